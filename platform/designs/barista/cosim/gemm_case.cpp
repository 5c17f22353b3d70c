#include "platform/designs/barista/cosim/gemm_case.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/barista/kernel.h"
#include "model/barista/result.h"
#include "model/core/error.h"
#include "model/stream/port_traffic.h"
#include "platform/designs/barista/rtl_parameters.h"
#include "platform/hardware/cosim/model_probe.h"

namespace weft::barista {

namespace {

constexpr Cycles kLaunchCycles = 5;   // BLC-2, BLC-3: the read of the beat, two cycles, cycle 0
constexpr Cycles kRefusalCycles = 4;  // REGISTERS.md: the read of the beat, done two cycles behind it
constexpr Cycles kDoneCycles = 1;     // BLC-4: drained in cycle T

std::vector<int> compared_words(const Alpha& alpha) {
  std::vector<int> words;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    const bool whole_tile = fifo == FifoId::ATile || fifo == FifoId::BTile;
    words.push_back(whole_tile ? 0 : fifo_width(alpha, fifo));
  }
  return words;
}

// A kernel of the model and its memory, cycle by cycle.
class SteppedGemm {
 public:
  SteppedGemm(const Plan& plan, const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores)
      : kernel_(std::make_shared<const Plan>(plan)),
        memory_(memory::make_memory(surroundings.memory)),
        channels_(surroundings.channels),
        stores_(stores),
        probe_(plan.alpha.band, compared_words(plan.alpha), kPorts) {}

  bool done() const { return kernel_.done(); }
  const BlockActivities& activities() const { return activities_; }

  void step(Cycles now, const std::vector<cosim::PortReady>& ready) {
    kernel_.a.port.ready = ready[index(Port::A)].address;
    kernel_.b.port.ready = ready[index(Port::B)].address;
    kernel_.c.port.address_ready = ready[index(Port::C)].address;
    kernel_.c.port.data_ready = ready[index(Port::C)].data;
    deliver(now);
    kernel_.step(now);
    account(kernel_, activities_);
    send(now);
    if (!kernel_.done() && !kernel_.moved() && kernel_.quiet_until(now + 1) == kNever && ready_all(ready) &&
        memory_->next_event() == kNever) {
      throw Deadlock(describe_deadlock(kernel_, now));
    }
  }

  void look(cosim::CycleEvents& events) {
    events.fifos.resize(kFifos);
    for (std::size_t i = 0; i < kFifos; ++i) {
      events.fifos[i] = probe_.fifo(i, kernel_.fifos[static_cast<FifoId>(i)]);
    }
    events.ports.assign({probe_.read(index(Port::A), kernel_.a.port), probe_.read(index(Port::B), kernel_.b.port),
                         probe_.write(index(Port::C), kernel_.c.port)});
  }

 private:
  static std::size_t index(Port port) { return static_cast<std::size_t>(port); }
  static bool ready_all(const std::vector<cosim::PortReady>& ready) {
    return std::all_of(ready.begin(), ready.end(), [](const cosim::PortReady& r) { return r.address && r.data; });
  }
  memory::Store& store(Port port) { return stores_[static_cast<std::size_t>(channels_[index(port)])]; }

  void deliver(Cycles now) {
    memory_->advance(now);
    const auto read = [&](Port id, stream::ReadPort& port) {
      for (Cycles visible; (visible = memory_->next_read_beat(port_id(id))) != kNever;) {
        memory_->take_read_beat(port_id(id), visible);
        port.data.push(visible);
      }
    };
    read(Port::A, kernel_.a.port);
    read(Port::B, kernel_.b.port);
    for (Cycles visible; (visible = memory_->next_write_response(port_id(Port::C))) != kNever;) {
      memory_->take_write_response(port_id(Port::C), visible);
      kernel_.c.port.responses.push(visible);
    }
  }
  void send(Cycles now) {
    const auto read = [&](Port id, stream::ReadPort& port) {
      if (!port.requested) return;
      memory_->send_read(port_id(id), now, port.request.address, port.request.beats);
      port.data.push_words(store(id).at(port.request.address), port.request.beats);
    };
    read(Port::A, kernel_.a.port);
    read(Port::B, kernel_.b.port);
    stream::WritePort& c = kernel_.c.port;
    if (c.requested) memory_->send_write(port_id(Port::C), now, c.request.address, c.request.beats);
    if (!c.beat_sent) return;
    memory_->send_write_beat(port_id(Port::C), now);
    stream::write_beat(c.beat.data(), c.first_lane, c.lanes, store(Port::C).at(c.beat_address));
  }

  Kernel kernel_;
  std::unique_ptr<memory::Memory> memory_;
  const std::vector<int>& channels_;
  std::vector<memory::Store>& stores_;
  cosim::ModelProbe probe_;
  BlockActivities activities_{};
};

}  // namespace

cosim::Hardware hardware(const Alpha& alpha) {
  std::vector<int> words = compared_words(alpha);
  std::vector<int> bits(words.size(), 32);
  return {&topology(), rtl_kernel(alpha), alpha.band, std::move(words), std::move(bits)};
}

cosim::RtlStart rtl_start(const Launch& launch) {
  cosim::RtlStart start;
  for (const Address address : {launch.bases.a, launch.bases.b, launch.params, launch.bases.c}) {
    const auto bits = static_cast<std::uint64_t>(address);
    start.registers.push_back(static_cast<std::uint32_t>(bits));
    start.registers.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  const auto word = [](std::int64_t count) { return static_cast<std::uint32_t>(count); };
  const Tiles& tiles = launch.tiles;
  start.read = {static_cast<std::size_t>(Port::A),
                launch.params,
                {word(tiles.rt), word(tiles.ct), word(tiles.k)},
                launch.read_cycles};
  start.cycles = kLaunchCycles + launch.read_cycles;
  return start;
}

cosim::RefusedCase refused_case(const Launch& launch, int status) {
  cosim::RefusedCase refused{"GEMM", rtl_start(launch), status};
  refused.start.cycles = kRefusalCycles + launch.read_cycles;
  return refused;
}

cosim::ModelCounts GemmCase::run_model(const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores,
                                       cosim::Watcher& watcher) const {
  const fp32::PeArithmetic arithmetic;
  SteppedGemm gemm(plan_, surroundings, stores);
  cosim::CycleEvents events;
  Cycles now = 0;
  for (bool goes_on = true; goes_on && !gemm.done(); ++now) {
    gemm.step(now, watcher.ready());
    gemm.look(events);
    goes_on = watcher.after(now, events);
  }
  const BlockActivities& activities = gemm.activities();
  return {now, kDoneCycles, {activities.begin(), activities.end()}};
}

}  // namespace weft::barista

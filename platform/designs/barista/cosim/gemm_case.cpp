#include "platform/designs/barista/cosim/gemm_case.h"

#include <algorithm>
#include <memory>

#include "kernels/fp32.h"
#include "model/barista/kernel.h"
#include "model/barista/result.h"
#include "model/core/error.h"
#include "model/stream/kernel_view.h"
#include "model/stream/port_traffic.h"
#include "platform/designs/barista/design.h"

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
        stores_(stores) {}

  bool done() const { return kernel_.done(); }
  const BlockActivities& activities() const { return activities_; }

  void step(Cycles now, const std::vector<cosim::PortReady>* ready) {
    if (ready) stream::set_ready(kernel_, *ready);
    memory_->advance(now);
    kernel_.for_each_port([&](memory::PortId id, auto& port) { stream::deliver(*memory_, id, port); });
    kernel_.step(now);
    account(kernel_, activities_);
    kernel_.for_each_port([&](memory::PortId id, auto& port) {
      const auto channel = static_cast<std::size_t>(channels_[static_cast<std::size_t>(id)]);
      stream::send(*memory_, id, port, now, &stores_[channel]);
    });
    if (!kernel_.done() && !kernel_.moved() && kernel_.quiet_until(now + 1) == kNever && (!ready || all(*ready)) &&
        memory_->next_event() == kNever) {
      throw Deadlock(describe_deadlock(kernel_, now));
    }
  }

  const stream::CycleEvents& look() { return view_.look(kernel_); }

 private:
  static bool all(const std::vector<cosim::PortReady>& ready) {
    return std::all_of(ready.begin(), ready.end(), [](const cosim::PortReady& r) { return r.address && r.data; });
  }

  Kernel kernel_;
  std::unique_ptr<memory::Memory> memory_;
  const std::vector<int>& channels_;
  std::vector<memory::Store>& stores_;
  stream::KernelView view_{topology()};
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
                                       stream::Observer& observer) const {
  const fp32::PeArithmetic arithmetic;
  SteppedGemm gemm(plan_, surroundings, stores);
  Cycles now = 0;
  for (bool goes_on = true; goes_on && !gemm.done(); ++now) {
    gemm.step(now, observer.ready());
    goes_on = observer.after(now, gemm.look());
  }
  const BlockActivities& activities = gemm.activities();
  return {now, kDoneCycles, {activities.begin(), activities.end()}};
}

}  // namespace weft::barista

#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/core/topology.h"
#include "model/stream/ports.h"
#include "model/systemc/axi_tlm.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/memory_module.h"

namespace weft::systemc {

// Socket of a block's port; passes returning beats or responses directly to the port.
template <class Port>
class PortSocket : public AxiInitiator {
 public:
  PortSocket(const char* name, Port& port) : socket(name), port_(port) { socket.bind(*this); }
  AxiInitiatorSocket socket;

  // Sends the port's requests of cycle `now`. Returns true if a burst is open afterwards.
  bool forward(Cycles now) {
    send(socket, port_, now);
    return port_.outstanding > 0;
  }

 private:
  static auto& answers(stream::ReadPort& port) { return port.data; }
  static auto& answers(stream::WritePort& port) { return port.responses; }
  tlm::tlm_sync_enum nb_transport_bw(AxiTransfer& transfer, AxiPhase&, sc_core::sc_time&) override {
    answers(port_).push(transfer.cycle, transfer.beats);
    return tlm::TLM_ACCEPTED;
  }

  Port& port_;
};

// Parts of the platform that a module uses: its clock, the memory connected to its ports, the hosted state, and the
// activity counts. The platform owns state and counts, because the next run replaces them as a whole.
template <class Kernel>
struct Host {
  EventClock& clock;
  MemoryModule& memory;
  const Topology& topology;
  Kernel& kernel;
  ActivitiesOf<Kernel>& activities;
  bool sleeps;  // true if modules sleep while nothing they observe can change
};

// Subsystem of a kernel, independent of its blocks.
class Subsystem : public Stepped {
 public:
  using Stepped::Stepped;
  // Shares a FIFO with `neighbour`: each wakes the other after touching it.
  void share(const Fifo& fifo, Stepped& neighbour) { shared_.push_back({&fifo, &neighbour}); }

 protected:
  struct Shared {
    const Fifo* fifo;
    Stepped* neighbour;
  };
  std::vector<Shared> shared_;
};

// Process for some blocks of a kernel, which `kStep` steps. Ports and shared FIFOs follow from the topology. The module
// with a write port ends the run when the kernel is done.
template <class Kernel, void (Kernel::*kStep)(Cycles), auto... kBlocks>
class KernelModule final : public Subsystem {
 public:
  KernelModule(const sc_core::sc_module_name& name, const Host<Kernel>& host)
      : Subsystem(name, host.clock), kernel_(host.kernel), activities_(host.activities), sleeps_(host.sleeps) {
    SC_HAS_PROCESS(KernelModule);
    SC_METHOD(step);
    sensitive << host.clock.tick();
    dont_initialize();
    kernel_.for_each_port([&](memory::PortId id, auto& port) {
      const PortInfo& info = host.topology.ports[static_cast<std::size_t>(id)];
      const std::size_t block = find_index(host.topology.blocks, info.block);
      if (((block == index(kBlocks)) || ...)) add(info.name, port).bind(host.memory.socket(id));
    });
  }

 private:
  template <class Block>
  static constexpr std::size_t index(Block block) {
    return static_cast<std::size_t>(block);
  }
  AxiInitiatorSocket& add(const char* name, stream::ReadPort& port) {
    return reads_.emplace_back(std::make_unique<PortSocket<stream::ReadPort>>(name, port))->socket;
  }
  AxiInitiatorSocket& add(const char* name, stream::WritePort& port) {
    return writes_.emplace_back(std::make_unique<PortSocket<stream::WritePort>>(name, port))->socket;
  }

  void step() {
    if (waking()) return;
    const Cycles now = this->now();
    (kernel_.*kStep)(now);
    bool quiet = sleeps_;
    for (const Shared& shared : shared_) {
      if (!shared.fifo->touched(now)) continue;
      shared.neighbour->wake(now);
      quiet = false;
    }
    for (const auto& read : reads_) quiet = !read->forward(now) && quiet;
    for (const auto& write : writes_) quiet = !write->forward(now) && quiet;
    account(1);
    if (!writes_.empty() && kernel_.done()) clock().stop();
    const auto last = kernel_.last();
    if (((last[index(kBlocks)] == Activity::Active) || ...)) {
      if (((last[index(kBlocks)] == Activity::Active && !kernel_.steady(kBlocks)) || ...)) clock().moved(now);
    } else if (quiet) {
      sleep();
    }
  }
  void account(Cycles cycles) override {
    const auto last = kernel_.last();
    (activities_[index(kBlocks)].add(last[index(kBlocks)], cycles), ...);
    (kernel_.count(kBlocks, cycles), ...);
  }

  Kernel& kernel_;
  ActivitiesOf<Kernel>& activities_;
  bool sleeps_;
  std::vector<std::unique_ptr<PortSocket<stream::ReadPort>>> reads_;
  std::vector<std::unique_ptr<PortSocket<stream::WritePort>>> writes_;
};

}  // namespace weft::systemc

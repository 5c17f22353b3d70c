#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/observer.h"
#include "model/stream/port_traffic.h"
#include "model/systemc/dma_module.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/kernel_module.h"
#include "model/systemc/memory_module.h"

namespace weft::systemc {

// A kernel with its memory, elaborated once per process (a limit of SystemC). It runs one unit of work after another,
// as hardware does; alpha may change in between, as if the card was reconfigured. A design derives from this class,
// hosts its subsystems, and collects the result of a run. A Kernel is default-constructible and has
//   BlockId, ChannelOfPort               its blocks; a memory channel for each of its ports
//   fifos, last(), for_each_port(visit)  in topology order; last(): activity of each block in its last cycle
//   a step function (now) per subsystem  in any order: each sees only the state at the start of the cycle
//   steady(block)                        true if an active block does the same in a cycle in which no other block moves
//   count(block, cycles)                 adds the block's own counts of its last cycle, `cycles` times
//   quiet_until(now)                     the earliest cycle >= now in which a block may act differently than in
//                                        now - 1, given that nothing moved in now - 1; kNever: nothing will ever move
//   done()
// and collect(kernel, activities, cycles, memory), which returns the result of a launch.
template <class Kernel>
class VirtualPlatform : public sc_core::sc_module {
 public:
  // Called about every 2^20 cycles with the current cycle; may be empty.
  std::function<void(Cycles)> on_progress;

  // Runs one launch from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored otherwise.
  // `observer`, if given, may end the launch early; the result then covers the cycles so far. Throws Deadlock if
  // nothing can ever move again.
  template <class Plan>
  auto run(const Plan& plan, memory::Memory& memory, const typename Kernel::ChannelOfPort& channel_of_port,
           std::vector<memory::Store>* channels, stream::Observer* observer = nullptr) {
    simulate(Kernel(std::make_shared<const Plan>(plan)), plan.alpha.clock, memory,
             {channel_of_port.begin(), channel_of_port.end()}, plan.with_data ? channels : nullptr, observer);
    if (kernel_.done()) memory.finish();  // an observer may end a launch before the last beats of a burst
    return result(memory);
  }

 protected:
  VirtualPlatform(const sc_core::sc_module_name& name, const Topology& topology, bool sleeps = true)
      : sc_module(name),
        topology_(topology),
        sleeps_(sleeps),
        clock_("clock"),
        memory_("memory", clock_, memory_ports(topology)),
        dma_("dma", clock_),
        hosts_(topology.blocks.size()) {
    const auto ports = static_cast<memory::PortId>(topology.ports.size());
    dma_.read.bind(memory_.socket(ports));
    dma_.write.bind(memory_.socket(ports + 1));
    clock_.settle = [this](Cycles finished) { return settle(finished); };
  }

  // Hosts a subsystem: the blocks that `kStep` steps.
  template <void (Kernel::*kStep)(Cycles), auto... kBlocks>
  void host(const char* name) {
    const Host<Kernel> host{clock_, memory_, topology_, kernel_, activities_, sleeps_};
    modules_.push_back(std::make_unique<KernelModule<Kernel, kStep, kBlocks...>>(name, host));
    for (const auto block : {kBlocks...}) hosts_[static_cast<std::size_t>(block)] = modules_.back().get();
    if (!sleeps_) return;
    for (std::size_t i = 0; i < topology_.fifos.size(); ++i) {
      Subsystem* const producer = hosts_[find_index(topology_.blocks, topology_.fifos[i].producer)];
      Subsystem* const consumer = hosts_[find_index(topology_.blocks, topology_.fifos[i].consumer)];
      if (!producer || !consumer || producer == consumer) continue;
      if (producer != modules_.back().get() && consumer != modules_.back().get()) continue;
      producer->share(kernel_.fifos[i], *consumer);
      consumer->share(kernel_.fifos[i], *producer);
    }
  }

  // Runs `kernel` from cycle 0. `channels`: contents of the memory in data mode, nullptr in timing mode. `observer`, if
  // given, may end the run early. `dma`: concurrent transfers, in timing mode without an observer, on the memory's two
  // ports after those of the kernel. Throws Deadlock if nothing can ever move again.
  void simulate(Kernel kernel, const Frequency& frequency, memory::Memory& memory, std::vector<int> channel_of_port,
                std::vector<memory::Store>* channels, stream::Observer* observer, memory::DmaMaster* dma = nullptr) {
    const fp32::PeArithmetic arithmetic;
    kernel_ = std::move(kernel);
    if (dma) channel_of_port.resize(channel_of_port.size() + kDmaPorts.size());  // the DMA engine moves no data
    memory_.load(memory, channels, std::move(channel_of_port));
    dma_.load(dma);
    activities_ = {};
    cycles_ = skipped_ = 0;
    deadlock_.clear();
    clock_.progress = on_progress;
    clock_.observe = nullptr;
    if (observer) {
      clock_.observe = [this, observer, view = stream::KernelView(topology_)](Cycles finished) mutable {
        return observe(*observer, view, finished);
      };
      if (const auto* ready = observer->ready()) stream::set_ready(kernel_, *ready);
    }
    clock_.start(frequency);
    sc_core::sc_start();
    if (!deadlock_.empty()) throw Deadlock(deadlock_);
  }

  // State and results of the last run.
  const Kernel& kernel() const { return kernel_; }
  Cycles cycles() const { return cycles_; }
  auto result(memory::Memory& memory) {
    auto result = collect(kernel_, activities_, cycles_, memory);
    result.skipped_cycles = skipped_;
    return result;
  }

 private:
  static std::vector<PortInfo> memory_ports(const Topology& topology) {
    std::vector<PortInfo> ports = topology.ports;
    ports.insert(ports.end(), kDmaPorts.begin(), kDmaPorts.end());
    return ports;
  }

  // Returns the next cycle in which a block acts on its own, or in which a beat or response becomes visible; the memory
  // passes these on one cycle earlier.
  Cycles settle(Cycles finished) {
    cycles_ = finished + 1;
    if (kernel_.done()) return kNever;
    const Cycles event = memory_.memory().next_event();
    const Cycles next = std::min({kernel_.quiet_until(cycles_), dma_.quiet_until(cycles_),
                                  event == kNever ? kNever : std::max(cycles_, event - 1)});
    if (next == kNever) {
      deadlock_ = deadlock_text(topology_, finished, kernel_);
      return kNever;
    }
    stream::account_waits(kernel_, next - cycles_);
    skipped_ += next - cycles_;
    return next;
  }

  bool observe(stream::Observer& observer, stream::KernelView& view, Cycles finished) {
    cycles_ = finished + 1;
    if (!observer.after(finished, view.look(kernel_))) return false;
    const auto* const ready = observer.ready();
    if (!ready || stream::set_ready(kernel_, *ready)) return true;
    // Blocks cannot foresee what the other side accepts: so none sleeps, and no cycle is skipped.
    for (const auto& module : modules_) module->wake(finished);
    clock_.moved(finished);
    return true;
  }

  const Topology& topology_;
  const bool sleeps_;
  Kernel kernel_;
  ActivitiesOf<Kernel> activities_{};
  EventClock clock_;
  MemoryModule memory_;
  DmaModule dma_;
  std::vector<std::unique_ptr<Subsystem>> modules_;
  std::vector<Subsystem*> hosts_;    // of each block
  Cycles cycles_ = 0, skipped_ = 0;  // skipped: cycles in which nothing could move
  std::string deadlock_;
};

// Returns the only platform of a design in the process; builds it at the first call.
template <class Platform>
Platform& only_platform(const char* name) {
  static const std::unique_ptr<Platform> platform = [name] {
    prepare_process();
    return std::make_unique<Platform>(name);
  }();
  return *platform;
}

}  // namespace weft::systemc

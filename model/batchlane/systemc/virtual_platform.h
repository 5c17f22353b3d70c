#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/batchlane/systemc/subsystems.h"
#include "model/memory/store.h"
#include "model/systemc/memory_module.h"
#include "model/systemc/timekeeper.h"

namespace weft::batchlane::systemc {

// One batch-lane kernel with its memory, elaborated once per process, running passes one after the other; alpha may
// differ from one to the next, as if the card was reconfigured.
class VirtualPlatform : public sc_core::sc_module {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  using Observer = std::function<bool(Cycles, const Kernel&)>;

  // Runs one pass from cycle 0. `channels` holds the tensors in data mode and is ignored otherwise. `observer`, if
  // there is one, sees each cycle that is stepped and may end the pass by false. Throws Deadlock if nothing can ever
  // move again.
  PassResult run(const Plan& plan, memory::Memory& memory, const std::array<int, kPorts>& channel_of_port,
                 std::vector<memory::Store>* channels, const Observer& observer = {});

  std::function<void(Cycles)> on_progress;  // called every 2^20 cycles or so; empty: never

 private:
  Cycles settle(Cycles finished);

  Kernel kernel_;
  BlockActivities activities_{};
  weft::systemc::EventClock clock_;
  FeatureModule features_;
  CsbModule csb_;
  ArrayModule array_;
  weft::systemc::MemoryModule memory_;

  weft::systemc::Timekeeper time_;
};

// The process's one platform: builds it at the first call.
VirtualPlatform& virtual_platform();

}  // namespace weft::batchlane::systemc

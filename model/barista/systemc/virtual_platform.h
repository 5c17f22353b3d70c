#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/barista/observer.h"
#include "model/barista/systemc/subsystems.h"
#include "model/memory/store.h"
#include "model/systemc/memory_module.h"
#include "model/systemc/timekeeper.h"

namespace weft::barista::systemc {

// One Barista kernel with its memory, elaborated once per process, running GEMMs one after the other; alpha may differ
// from one to the next, as if the card was reconfigured.
class VirtualPlatform : public sc_core::sc_module {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one GEMM from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored otherwise.
  // `observer`, if there is one, may end the GEMM early; the result is then that of the cycles so far. Throws Deadlock
  // if nothing can ever move again.
  GemmResult run(const Plan& plan, memory::Memory& memory, const std::array<int, kPorts>& channel_of_port,
                 std::vector<memory::Store>* channels, Observer* observer = nullptr);

  // Called every 2^20 cycles or so with the cycle that is reached; empty: never.
  std::function<void(Cycles)> on_progress;

 private:
  Cycles settle(Cycles finished);

  Kernel kernel_;
  BlockActivities activities_{};
  weft::systemc::EventClock clock_;
  LoadModule a_, b_;
  MeshModule mesh_;
  StoreModule c_;
  weft::systemc::FifoChannel a_tile_, b_tile_, c_tile_;
  weft::systemc::MemoryModule memory_;

  weft::systemc::Timekeeper time_;
};

// The process's one platform: builds it at the first call.
VirtualPlatform& virtual_platform();

}  // namespace weft::barista::systemc

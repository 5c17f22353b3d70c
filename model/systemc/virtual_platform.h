#pragma once

#include <memory>
#include <vector>

#include "model/fpgpt/result.h"
#include "model/systemc/memory_module.h"
#include "model/systemc/subsystems.h"

namespace weft::systemc {

// One FPGPT kernel with its memory, elaborated once per process (SystemC allows no more), running convolutions one
// after the other with different beta, as hardware does; alpha may differ from one to the next, as if the card was
// reconfigured.
class VirtualPlatform : public sc_core::sc_module {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one convolution from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored
  // otherwise. Throws Deadlock if nothing can ever move again.
  fpgpt::ConvolutionResult run(const fpgpt::Plan& plan, memory::Memory& memory,
                               const std::array<int, fpgpt::kPorts>& channel_of_port = {0, 1, 2},
                               std::vector<memory::Store>* channels = nullptr);

  // Called every 2^20 cycles or so with the cycle that is reached; empty: never.
  std::function<void(Cycles)> on_progress;

 private:
  Cycles settle(Cycles finished);

  fpgpt::Kernel kernel_;
  fpgpt::BlockActivities activities_{};
  EventClock clock_;
  InpModule inp_;
  KernModule kern_;
  ArrayModule array_;
  OutModule out_;
  FifoChannel column_, kern_row_, out_row_;
  MemoryModule memory_;

  Cycles skipped_ = 0;
  Cycles cycles_ = 0;
  std::string deadlock_;
};

// The process's one platform: builds it at the first call.
VirtualPlatform& virtual_platform();

}  // namespace weft::systemc

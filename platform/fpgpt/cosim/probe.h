#pragma once

#include <array>

#include "model/fpgpt/kernel.h"
#include "platform/cosim/rtl_kernel.h"

namespace weft::cosim {

// What happened in one cycle: pushes and pops of every FIFO, and what crossed the ports.
struct CycleEvents {
  std::array<FifoEvent, kFifos> fifos;
  AxiOutputs axi;
};

// Reads the events of a cycle off a kernel of the model: the difference to what it saw when it last looked. To be asked
// after every cycle in which anything moved; the kernel is in data mode, and no write beat is accepted before its
// address.
class KernelProbe {
 public:
  explicit KernelProbe(const fpgpt::Plan& plan);
  CycleEvents look(const fpgpt::Kernel& kernel);

 private:
  AxiOutputs ports(const fpgpt::Kernel& kernel);

  int band_;
  std::array<std::int64_t, kFifos> pushed_{}, popped_{};
  Cycles inp_busy_ = 0, kern_busy_ = 0;
  int burst_left_ = 0;  // beats to come of the write burst whose address was accepted last
};

}  // namespace weft::cosim

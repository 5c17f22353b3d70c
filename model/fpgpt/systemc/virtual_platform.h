#pragma once

#include <vector>

#include "model/fpgpt/drain.h"
#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"
#include "model/systemc/virtual_platform.h"

namespace weft::fpgpt::systemc {

// INP and KERN: a DDR reader and what makes the array's tokens of its beats; the X by Y array; OUT: constructor,
// encode, writer.
class VirtualPlatform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one convolution from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored
  // otherwise. `observer`, if there is one, may end the run early; the result is then that of the cycles so far.
  // `transfers`: on channels of the memory at the same time, in timing mode without an observer; `memory` has its two
  // ports then. Throws Deadlock if nothing can ever move again.
  ConvolutionResult run(const Plan& plan, memory::Memory& memory,
                        const Kernel::ChannelOfPort& channel_of_port = {0, 1, 2},
                        std::vector<memory::Store>* channels = nullptr, stream::Observer* observer = nullptr,
                        DmaTransfers* transfers = nullptr);
};

// The process's one platform.
VirtualPlatform& virtual_platform();

}  // namespace weft::fpgpt::systemc

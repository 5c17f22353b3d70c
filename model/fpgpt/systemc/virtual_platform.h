#pragma once

#include <vector>

#include "model/fpgpt/drain.h"
#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"
#include "model/systemc/virtual_platform.h"

namespace weft::fpgpt::systemc {

// Virtual platform of the kernel: INP and KERN, each a DDR reader and the blocks that turn beats into tokens of the
// array; the X by Y array; OUT: constructor, encode, writer.
class VirtualPlatform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit VirtualPlatform(const sc_core::sc_module_name& name);

  // Runs one convolution from cycle 0. `channels` holds the tensors in data mode (plan.with_data) and is ignored
  // otherwise. `observer`, if any, may end the run early; the result then covers the cycles so far. `transfers`: DMA
  // transfers on the memory's channels at the same time, in timing mode without an observer; `memory` must have their
  // two ports. Throws Deadlock if nothing can ever move again.
  ConvolutionResult run(const Plan& plan, memory::Memory& memory,
                        const Kernel::ChannelOfPort& channel_of_port = {0, 1, 2},
                        std::vector<memory::Store>* channels = nullptr, stream::Observer* observer = nullptr,
                        DmaTransfers* transfers = nullptr);
};

// Returns the only platform of the process.
VirtualPlatform& virtual_platform();

}  // namespace weft::fpgpt::systemc

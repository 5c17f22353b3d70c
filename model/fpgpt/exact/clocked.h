#pragma once

#include <array>
#include <vector>

#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"

namespace weft::engine {

// The channels' contents in data mode, and which of them each port reads or writes.
struct DataMemory {
  std::vector<memory::Store> channels;
  std::array<int, fpgpt::kPorts> channel_of_port{};
  memory::Store& of(fpgpt::Port port) {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  }
};

// Steps the blocks of one convolution cycle by cycle without the SystemC kernel: the reference that every faster way of
// driving the same objects must equal. `data` holds the tensors in data mode and is nullptr in timing mode.
// Throws Deadlock if nothing can ever move again.
fpgpt::ConvolutionResult run_clocked(const fpgpt::Plan& plan, memory::Memory& memory, DataMemory* data);

// What the owner of a kernel does between its ports and the memory in cycle `now`: pass on what is known to become
// visible, and, after the blocks were stepped, what they sent.
void deliver(fpgpt::Kernel& kernel, memory::Memory& memory, Cycles now);
void send(fpgpt::Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data);

}  // namespace weft::engine

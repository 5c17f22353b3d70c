#pragma once

#include <array>
#include <vector>

#include "model/fpgpt/kernel.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"

namespace weft::fpgpt::exact {

// The channels' contents in data mode, and which of them each port reads or writes.
struct DataMemory {
  std::vector<memory::Store> channels;
  std::array<int, kPorts> channel_of_port{};
  memory::Store& of(Port port) {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  }
};

// Hands a kernel what is known to become visible to its ports by cycle `now`.
void deliver(Kernel& kernel, memory::Memory& memory, Cycles now);

// One cycle of a kernel by itself: every block is stepped, and what it did is counted.
inline void step(Kernel& kernel, Cycles now, BlockActivities& activities) {
  kernel.step(now);
  account(kernel, activities);
}
// One cycle of a kernel and its memory: what has become visible is delivered, and what the ports sent is passed on.
// `data` holds the tensors in data mode and is nullptr in timing mode.
void step(Kernel& kernel, memory::Memory& memory, Cycles now, DataMemory* data, BlockActivities& activities);

// The same of a kernel whose writes do not go to this memory.
void step_with_reads(Kernel& kernel, memory::Memory& memory, Cycles now, BlockActivities& activities);

}  // namespace weft::fpgpt::exact

#pragma once

#include "model/fpgpt/kernel.h"
#include "model/memory/memory.h"
#include "model/memory/traffic.h"

namespace weft::fpgpt {

// Cycles from the end of a convolution, `end` = T, to the first in which neither reader has a beat to take or a burst
// to ask for (LCH-6). `kernel`, `memory`: their state at the start of cycle T. With `exact_bursts` there are none.
Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end);

// Transfers by a DMA engine while a kernel runs (CONTRACT.md, section 15), on the memory's ports behind those of the
// kernel: one that reads and one that writes.
struct DmaTransfers {
  memory::DmaMaster master;
  memory::PortStats stats;  // of both ports
};
inline constexpr memory::PortId kDmaRead = kPorts, kDmaWrite = kPorts + 1;

// The same with transfers that go on beside the readers and then alone: ends them.
Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end, DmaTransfers& transfers);

}  // namespace weft::fpgpt

#pragma once

#include "model/fpgpt/kernel.h"
#include "model/memory/memory.h"
#include "model/memory/traffic.h"

namespace weft::fpgpt {

// Returns the cycles from the end of a convolution, `end` = T, to the first in which neither reader has a beat to take
// or a burst to request (LCH-6); 0 with `exact_bursts`. `kernel`, `memory`: their state at the start of cycle T.
Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end);

// Transfers of a DMA engine while a kernel runs (CONTRACT.md, section 15): one port that reads and one that writes,
// numbered after the kernel's ports.
struct DmaTransfers {
  memory::DmaMaster master;
  memory::PortStats stats;  // of both ports
};
inline constexpr memory::PortId kDmaRead = kPorts, kDmaWrite = kPorts + 1;

// The same with transfers, which run in parallel with the readers and then alone to their end.
Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end, DmaTransfers& transfers);

}  // namespace weft::fpgpt

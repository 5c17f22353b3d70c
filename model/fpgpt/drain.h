#pragma once

#include "model/fpgpt/kernel.h"
#include "model/memory/memory.h"

namespace weft::fpgpt {

// Cycles from the end of a convolution, `end` = T, to the first in which neither reader has a beat to take or a burst
// to ask for (LCH-6). `kernel`, `memory`: their state at the start of cycle T. With `exact_bursts` there are none.
Cycles drain_cycles(const Kernel& kernel, const memory::Memory& memory, Cycles end);

}  // namespace weft::fpgpt

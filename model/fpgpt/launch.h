#pragma once

#include "model/conv/convolution.h"
#include "model/core/number_format.h"
#include "model/core/units.h"

namespace weft::fpgpt {

// What a host writes for a convolution (REGISTERS.md, LCH-1): beta's registers, with the first words of INP and KERN in
// fixed point, and CTRL to start.
constexpr int beta_registers(NumberFormat format) {
  return format.is_fixed() ? 32 : 30;
}
constexpr int register_writes(NumberFormat format) {
  return beta_registers(format) + 1;
}

// Kernel cycles from the one that takes the start to cycle 0 of a convolution that the kernel holds (LCH-1..4).
Cycles launch_cycles(const conv::Convolution& beta);

// Kernel cycles from the one that takes the start to the first in which done can be read, for a convolution that the
// kernel refuses (LCH-5).
Cycles refusal_cycles(const conv::Convolution& beta);

// The same from the end of the convolution, T, if no read is under way then (LCH-6).
inline constexpr Cycles kDoneCycles = 1;

}  // namespace weft::fpgpt

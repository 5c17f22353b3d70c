#include "model/fpgpt/launch.h"

namespace weft::fpgpt {

namespace {

// LCH-2: operands are fetched in a cycle and results stored in one; a division takes one a bit of its dividend between.
constexpr Cycles kProducts = 18;
constexpr Cycles kDivisions = 16;
constexpr Cycles kProductCycles = 2;
constexpr Cycles kDivisionCycles = 1 + 32 + 1;
constexpr Cycles kStepCycles = kProducts * kProductCycles + kDivisions * kDivisionCycles;

constexpr Cycles kStartCycles = 1;   // the one that takes the start
constexpr Cycles kCheckCycles = 2;   // LCH-3: the limits, and the answer
constexpr Cycles kSettleCycles = 4;  // LCH-4

// LCH-2: one an output of a map.
Cycles precompute_cycles(const conv::Convolution& beta) {
  return kStepCycles + beta.out_map() + kCheckCycles;
}

// Neither the steps nor the outputs can be begun with these.
bool unusable(const conv::Convolution& beta) {
  return beta.h.out == 0 || beta.w.out == 0 || beta.h.inp_dilation == 0 || beta.w.inp_dilation == 0;
}

}  // namespace

Cycles launch_cycles(const conv::Convolution& beta) {
  return kStartCycles + precompute_cycles(beta) + kSettleCycles;
}

Cycles refusal_cycles(const conv::Convolution& beta) {
  return kStartCycles + (unusable(beta) ? 1 : precompute_cycles(beta));
}

}  // namespace weft::fpgpt

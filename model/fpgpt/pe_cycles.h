#pragma once

#include <array>
#include <cstdint>

#include "model/conv/convolution.h"
#include "model/core/activity.h"
#include "model/fpgpt/array.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/topology.h"

namespace weft::fpgpt {

// PE-cycles of each class, in the order of PeClass (CONTRACT.md, "Where the PE-cycles go").
using PeCycles = std::array<std::int64_t, kPeClasses>;
inline constexpr const char* kPeCyclesName = "the PE-cycles of a convolution";  // in errors

// Of a convolution, or of its first cycles, from what the array did in them: only how often it advanced and what it
// waited for depends on time, which PE does what in an array cycle follows from the plan. Throws checked::Overflow.
PeCycles pe_cycles(const Plan& plan, const Activities& array, const ArrayStarved& starved);

// Those of all products of a convolution on an X by Y array, whatever their time: useful, zeros, unused columns and
// rows. Throws checked::Overflow.
PeCycles pe_cycles_of_products(int x, int y, const conv::Convolution& beta);

}  // namespace weft::fpgpt

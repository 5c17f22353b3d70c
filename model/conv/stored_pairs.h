#pragma once

#include <cstdint>

#include "model/conv/convolution.h"

namespace weft::conv {

// Pairs of one of the first `outputs` outputs of an axis and a sample of KERN that meet a stored sample of INP.
std::int64_t stored_pairs(const Axis& axis, std::int64_t outputs);

}  // namespace weft::conv

#pragma once

#include <cstdint>

#include "model/fpgpt/alpha.h"
#include "platform/hardware/rtl/rtl.h"

namespace weft::fpgpt {

inline constexpr rtl::Sources kRtlSources{"kernels/fpgpt/rtl", "fpgpt_pkg", "fpgpt_kernel"};

// The kernel as RTL: all parameters follow from alpha. `max_sets`: the largest S of the convolutions to come.
rtl::Kernel rtl_kernel(const Alpha& alpha, std::int64_t max_sets);

}  // namespace weft::fpgpt

#pragma once

#include "model/barista/alpha.h"
#include "platform/hardware/rtl/rtl.h"

namespace weft::barista {

inline constexpr rtl::Sources kRtlSources{"kernels/barista/rtl", "barista_pkg", "barista_kernel"};

// The words of a beat that the RTL can be built with: powers of two between these. A beat holds RT, CT and K (BAR-0).
inline constexpr int kLeastRtlBand = 4, kMostRtlBand = 32;

// The kernel as RTL: all parameters follow from alpha. Throws Error for a band that the RTL cannot have.
rtl::Kernel rtl_kernel(const Alpha& alpha);

}  // namespace weft::barista

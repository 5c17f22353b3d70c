#pragma once

#include <cstdint>

#include "model/fpgpt/alpha.h"
#include "platform/cosim/data_case.h"
#include "platform/cosim/lockstep.h"

namespace weft::cosim {

// The largest S of a random case.
inline constexpr int kRandomMaxSets = 64;

struct RandomCase {
  DataCase data;
  Surroundings surroundings;
};

// The kernel of build `build` of the campaign `seed`: X and Y 1-9, Z, band 2-16, sizes, FIFO depths 1-4, ports, each
// switch of the profile, variant.
fpgpt::Alpha random_build(std::uint64_t seed, int build);

// The convolution `number` of that build: shape and kind that the kernel holds, stride 1-4, dilation 1-3, padding,
// groups, kernels up to 11; ideal memory or DDR4, shared channels, kernel clock, latency; an AXI side that refuses
// nothing, 30%, 60% or 90%; values that round, cancel, overflow and are none (NaN). At most 60,000
// multiply-accumulates. Throws Error if nothing that is drawn fits the kernel.
RandomCase random_case(std::uint64_t seed, int build, int number, const fpgpt::Alpha& alpha);

}  // namespace weft::cosim

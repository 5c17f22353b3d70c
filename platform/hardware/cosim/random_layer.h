#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/hardware/cosim/case.h"

namespace weft::cosim {

using Random = std::mt19937_64;

inline int pick(Random& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

// A layer axis with stride 1-4, dilation 1-3, kernel up to 11, padding 0 to k-1 on each side, and a size that leaves
// one to a few outputs, so that sizes are not multiples of each other. With `crops` one axis in four has a padding of
// up to one more than the dilated kernel, so that GI's is negative.
inline conv::LayerAxis random_axis(Random& random, int largest_kernel = 11, bool crops = false) {
  conv::LayerAxis axis;
  axis.kernel = pick(random, 0, 3) ? pick(random, 1, std::min(3, largest_kernel)) : pick(random, 1, largest_kernel);
  axis.dilation = pick(random, 0, 2) ? 1 : pick(random, 1, 3);
  axis.stride = pick(random, 0, 1) ? 1 : pick(random, 1, 4);
  const int most_padding = !crops || pick(random, 0, 3) ? axis.kernel - 1 : axis.kernel_extent() + 1;
  axis.pad_begin = pick(random, 0, most_padding);
  axis.pad_end = pick(random, 0, most_padding);
  const int least = std::max(1, axis.kernel_extent() - axis.pad_begin - axis.pad_end);
  axis.size = pick(random, least, least + 9);
  return axis;
}

inline conv::Layer random_layer(Random& random, bool crops = false) {
  conv::Layer layer;
  layer.name = "random";
  layer.groups = pick(random, 0, 3) ? 1 : pick(random, 1, 3);
  layer.batch = pick(random, 1, 3);
  layer.channels = layer.groups * pick(random, 1, 5);
  layer.filters = layer.groups * pick(random, 1, 7);
  layer.h = random_axis(random, 11, crops);
  layer.w = random_axis(random, 11, crops);
  return layer;
}

// Generator of case `number` on build `build` of the campaign `seed`; negative numbers are for the build itself.
Random random_of(std::uint64_t seed, int build, int number);

// Random environment: three ports on up to three channels, the first always on channel 0; ideal memory or DDR4, kernel
// clock, latency, an AXI side that refuses nothing, 30%, 60% or 90%.
AxiEnvironment random_environment(Random& random, Bytes beat_bytes);

// Reshapes the values of half of the cases. Shapes: exponents far apart, so that sums lose whole operands; mantissas of
// at most 13 bits, so that products and sums are halfway between two numbers; zeros, subnormals, infinities, NaN;
// powers of two and values whose products are some 25 binary places apart, where rounding is decided.
void shape_values(Random& random, std::vector<memory::Store>& stores);

}  // namespace weft::cosim

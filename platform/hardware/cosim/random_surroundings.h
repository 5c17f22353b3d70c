#pragma once

#include <cstdint>
#include <vector>

#include "platform/hardware/cosim/case.h"
#include "platform/hardware/cosim/random_layer.h"

namespace weft::cosim {

// Of case `number` on build `build` of the campaign `seed`; negative numbers are of the build itself.
Random random_of(std::uint64_t seed, int build, int number);

// Three ports on up to three channels, the first always on channel 0: ideal memory or DDR4, kernel clock, latency, an
// AXI side that refuses nothing, 30%, 60% or 90%.
Surroundings random_surroundings(Random& random, Bytes beat_bytes);

// Half of the cases keep their uniform values. The others: exponents far apart, so that sums lose whole operands;
// mantissas of at most 13 bits, so that products and sums lie halfway between two numbers; zeros, subnormals,
// infinities, NaN; powers of two and others whose products lie some 25 binary places apart, where rounding is decided.
void shape_values(Random& random, std::vector<memory::Store>& stores);

}  // namespace weft::cosim

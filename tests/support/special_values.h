#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/fp32.h"
#include "model/core/units.h"
#include "model/memory/store.h"
#include "platform/hardware/cosim/random_layer.h"

namespace weft::test {

// Converts FP32 to words and back.
inline Word float_word(float value) {
  return {bits(value)};
}
inline std::vector<float> floats(const Word* words, int count) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(from_bits(words[i].bits));
  return all;
}

// Distribution of the values of a channel.
enum class Values {
  Uniform,  // in [-1, 1): nearly every product and sum is rounded
  Special,  // uniform, but one in twelve is zero, minus zero, subnormal, infinite, NaN or the largest number
  Tiny,     // about 2^-63: products and sums are above or below the smallest normal number, and are flushed to -0 too
};
inline constexpr int kValues = 3;

inline float random_value(cosim::Random& random, Values values) {
  const float value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
  if (values == Values::Tiny) return std::ldexp(value, -62);
  constexpr std::array<std::uint32_t, 10> kSpecial{0x00000000, 0x80000000, 0x80000000, 0x00000001, 0x807FFFFF,
                                                   0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF812345};
  if (values == Values::Uniform || cosim::pick(random, 0, 11) != 0) return value;
  return from_bits(kSpecial.at(static_cast<std::size_t>(cosim::pick(random, 0, 9))));
}

inline void fill(memory::Store& store, cosim::Random& random, Values values) {
  for (Address at = store.first(); at < store.end(); at += 4) *store.floats(at) = random_value(random, values);
}

}  // namespace weft::test

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Conversion between the host's FP32 and words of a fixed-point kernel. Block floating point: one scale s for all words
// of a tensor; a word q has the value q * 2^-s. The same for any number of threads (docs/how-to/train.md, NUM-9 to
// NUM-11).
namespace weft::quantiser {

inline constexpr int kLeastBits = 4, kMostBits = 16;
inline constexpr int kMostScale = 512;  // magnitude; FP32 needs -143 to 164

// Range of two's complement of `bits` bits.
struct Bounds {
  std::int32_t lower = 0, upper = 0;
};
constexpr Bounds bounds(int bits) {
  return {-(std::int32_t{1} << (bits - 1)), (std::int32_t{1} << (bits - 1)) - 1};
}

// FP32 values; `name`: for error messages.
struct Values {
  std::string name;
  const float* data = nullptr;
  std::size_t size = 0;
};

// Raw sums of a kernel; q has the value q * 2^-scale, scale = sINP + sKERN (NUM-8).
struct Sums {
  std::string name;
  const std::int32_t* data = nullptr;
  std::size_t size = 0;
  int scale = 0;
};

// Source of a tensor's random bits (NUM-11): the key, and two words of the counter.
struct Randomness {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0, iteration = 0;
};
// Returns the 24 random bits of element `index`.
std::uint32_t random_bits(const Randomness& randomness, std::uint64_t index);

// NUM-9: the largest s with max * 2^s <= UB + 1/2 and -min * 2^s <= -LB + 1/2, less `headroom` bits for sums; 0 if all
// values are 0. Throws Error that names an element that is NaN or infinite.
int scale_of(const Values& values, int bits, int headroom = 0, int threads = 1);
int scale_of(const Sums& sums, int bits, int headroom = 0, int threads = 1);

// NUM-10: q = clamp(floor(x * 2^scale + r / 2^24), LB, UB), with the fraction of x * 2^scale cut to 24 bits, r 24
// random bits. Writes `words`, one for each value. Throws Error as scale_of(), and for a scale beyond kMostScale.
struct Rounding {
  int bits = 8;
  int scale = 0;
  Randomness randomness;
};
void quantise(const Values& values, const Rounding& how, std::int16_t* words, int threads = 1);
void quantise(const Sums& sums, const Rounding& how, std::int16_t* words, int threads = 1);

// Writes q * 2^-scale, rounded to the nearest FP32, ties to even. Throws Error that names an element beyond FP32.
void dequantise(const Sums& sums, float* values, int threads = 1);

}  // namespace weft::quantiser

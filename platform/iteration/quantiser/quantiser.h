#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Between the FP32 of a host and the words of a kernel of fixed point: block floating point, one scale s for all words
// of a tensor, so that a word q is worth q * 2^-s. The same for any number of threads (rules NUM-9 to NUM-11 of
// docs/train.md).
namespace weft::quantiser {

inline constexpr int kLeastBits = 4, kMostBits = 16;
inline constexpr int kMostScale = 512;  // of either sign; FP32 needs -143 to 164

// What two's complement of `bits` can be.
struct Bounds {
  std::int32_t lower = 0, upper = 0;
};
constexpr Bounds bounds(int bits) {
  return {-(std::int32_t{1} << (bits - 1)), (std::int32_t{1} << (bits - 1)) - 1};
}

// FP32 values; the name is for messages.
struct Values {
  std::string name;
  const float* data = nullptr;
  std::size_t size = 0;
};

// Raw sums of a kernel, each worth q * 2^-scale: scale = sINP + sKERN (NUM-8).
struct Sums {
  std::string name;
  const std::int32_t* data = nullptr;
  std::size_t size = 0;
  int scale = 0;
};

// Where the random bits of a tensor come from (NUM-11): its key, and two of its counter's words.
struct Randomness {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0, iteration = 0;
};
// The 24 bits of element `index`.
std::uint32_t random_bits(const Randomness& randomness, std::uint64_t index);

// NUM-9: the largest s with max * 2^s <= UB + 1/2 and -min * 2^s <= -LB + 1/2, less `headroom` bits that leave room for
// sums; 0 if all values are 0. Throws Error that names the element if one is NaN or infinite.
int scale_of(const Values& values, int bits, int headroom = 0, int threads = 1);
int scale_of(const Sums& sums, int bits, int headroom = 0, int threads = 1);

// NUM-10: q = clamp(floor(x * 2^scale + r / 2^24), LB, UB), the fraction of x * 2^scale cut to 24 bits, r 24 random
// bits. Writes a word for each value to `words`. Throws Error as scale_of() does, and for a scale beyond kMostScale.
struct Rounding {
  int bits = 8;
  int scale = 0;
  Randomness randomness;
};
void quantise(const Values& values, const Rounding& how, std::int16_t* words, int threads = 1);
void quantise(const Sums& sums, const Rounding& how, std::int16_t* words, int threads = 1);

// q * 2^-scale, rounded to the nearest FP32, ties to even. Throws Error that names the element if one is beyond FP32.
void dequantise(const Sums& sums, float* values, int threads = 1);

}  // namespace weft::quantiser

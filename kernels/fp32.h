#pragma once

#include <xmmintrin.h>

#include <cstdint>
#include <cstring>

namespace weft {

// The word that holds a number of 32 bits, and back.
inline std::uint32_t bits(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  return word;
}
inline float from_bits(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace weft

// The arithmetic of a processing element (kernels/fpgpt/CONTRACT.md, "Numbers"): IEEE 754 binary32, round to nearest
// even, subnormal operands read as zero of their sign, results that are tiny after rounding flushed to zero of their
// sign, every NaN 7FC00000. No fused multiply-add.
namespace weft::fp32 {

inline constexpr std::uint32_t kQuietNan = 0x7FC00000u;

using weft::bits;
using weft::from_bits;

// Operand and result bits, by integer arithmetic alone: the definition that the RTL and the fast path are held against.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b);
std::uint32_t add(std::uint32_t a, std::uint32_t b);

// NaNs of the processor carry payloads and signs; the hardware's do not. Enough to do once, at the end of a chain of
// additions, because a NaN stays one.
inline float canonical(float value) {
  return value != value ? from_bits(kQuietNan) : value;
}

// While one lives, float arithmetic of this thread is that of the processing elements, up to canonical().
class PeArithmetic {
 public:
  PeArithmetic() : saved_(_mm_getcsr()) { _mm_setcsr((saved_ & ~kRounding) | kFlushToZero | kDenormalsAreZero); }
  ~PeArithmetic() { _mm_setcsr(saved_); }
  PeArithmetic(const PeArithmetic&) = delete;
  PeArithmetic& operator=(const PeArithmetic&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kRounding = 0x6000;
  unsigned saved_;
};

}  // namespace weft::fp32

#pragma once

#include <xmmintrin.h>

#include <cstdint>
#include <cstring>

namespace weft {

// Conversions between a 32-bit float and its word.
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

// Arithmetic of a processing element (kernels/fpgpt/CONTRACT.md, "Numbers"): IEEE 754 binary32, round to nearest even;
// subnormal operands are zeros of their sign; results tiny after rounding are flushed to zeros of their sign; every NaN
// is 7FC00000. No fused multiply-add.
namespace weft::fp32 {

inline constexpr std::uint32_t kQuietNan = 0x7FC00000u;

using weft::bits;
using weft::from_bits;

// Integer implementation on operand and result bits: the reference for the RTL and the fast path.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b);
std::uint32_t add(std::uint32_t a, std::uint32_t b);

// Replaces any NaN by the hardware's, which has no payload or sign. One call at the end of a chain of additions is
// enough, because a NaN stays a NaN.
inline float canonical(float value) {
  return value != value ? from_bits(kQuietNan) : value;
}

// While an object exists, float arithmetic of this thread is that of the processing elements, up to canonical().
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

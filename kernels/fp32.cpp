#include "kernels/fp32.h"

namespace weft::fp32 {

namespace {

constexpr std::uint32_t kSign = 0x80000000u, kInfinity = 0x7F800000u;
constexpr int kBias = 127;

struct Unpacked {
  std::uint32_t sign;
  int exponent;               // biased; 0 only for zeros (subnormals are flushed)
  std::uint64_t significand;  // with the hidden bit
  bool zero() const { return exponent == 0; }
  bool special() const { return exponent == 255; }
  bool nan() const { return special() && (significand & 0x7FFFFF) != 0; }
};

Unpacked unpack(std::uint32_t word) {
  const int exponent = static_cast<int>(word >> 23 & 0xFF);
  return {word & kSign, exponent, exponent == 0 ? 0 : (word & 0x7FFFFF) | 0x800000};
}

// Rounds significand * 2^(exponent - bias - point) to nearest even; bit `point` of a normalised significand is the
// hidden bit. The lowest bit may be sticky. `significand` is not zero.
std::uint32_t round(std::uint32_t sign, int exponent, std::uint64_t significand, int point) {
  while (significand >> (point + 1)) {
    significand = significand >> 1 | (significand & 1);
    ++exponent;
  }
  while (!(significand >> point)) {
    significand <<= 1;
    --exponent;
  }
  const int extra = point - 23;
  const std::uint64_t half = std::uint64_t{1} << (extra - 1), rest = significand & (2 * half - 1);
  std::uint64_t mantissa = significand >> extra;
  if (rest > half || (rest == half && (mantissa & 1))) ++mantissa;
  if (mantissa >> 24) {
    mantissa >>= 1;
    ++exponent;
  }
  if (exponent <= 0) return sign;  // tiny after rounding: flushed
  if (exponent >= 255) return sign | kInfinity;
  return sign | static_cast<std::uint32_t>(exponent) << 23 | (static_cast<std::uint32_t>(mantissa) & 0x7FFFFF);
}

}  // namespace

std::uint32_t multiply(std::uint32_t a_word, std::uint32_t b_word) {
  const Unpacked a = unpack(a_word), b = unpack(b_word);
  const std::uint32_t sign = a.sign ^ b.sign;
  if (a.nan() || b.nan() || (a.special() && b.zero()) || (b.special() && a.zero())) return kQuietNan;
  if (a.special() || b.special()) return sign | kInfinity;
  if (a.zero() || b.zero()) return sign;
  return round(sign, a.exponent + b.exponent - kBias, a.significand * b.significand, 46);
}

std::uint32_t add(std::uint32_t a_word, std::uint32_t b_word) {
  Unpacked a = unpack(a_word), b = unpack(b_word);
  if (a.nan() || b.nan() || (a.special() && b.special() && a.sign != b.sign)) return kQuietNan;
  if (a.special()) return a.sign | kInfinity;
  if (b.special()) return b.sign | kInfinity;
  if (a.zero() && b.zero()) return a.sign & b.sign;
  if (a.zero()) return b_word;
  if (b.zero()) return a_word;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    const Unpacked swap = a;
    a = b;
    b = swap;
  }
  // 30 bits below the hidden bit. At larger distances the smaller operand affects only the sticky bit.
  constexpr int kGuard = 30;
  const int distance = a.exponent - b.exponent;
  const std::uint64_t large = a.significand << kGuard;
  std::uint64_t small = b.significand << kGuard;
  small = distance > 53 ? 1 : (small >> distance) | ((small & ((std::uint64_t{1} << distance) - 1)) != 0 ? 1 : 0);
  const std::uint64_t sum = a.sign == b.sign ? large + small : large - small;
  if (sum == 0) return 0;
  return round(a.sign, a.exponent, sum, 23 + kGuard);
}

}  // namespace weft::fp32

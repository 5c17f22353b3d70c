#include "kernels/fp32.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weft::fp32 {
namespace {

std::uint32_t fast_multiply(std::uint32_t a, std::uint32_t b) {
  const PeArithmetic arithmetic;
  volatile float x = from_bits(a), y = from_bits(b);
  return bits(canonical(x * y));
}
std::uint32_t fast_add(std::uint32_t a, std::uint32_t b) {
  const PeArithmetic arithmetic;
  volatile float x = from_bits(a), y = from_bits(b);
  return bits(canonical(x + y));
}

// Returns zeros, subnormals, the smallest and largest normals, infinities, NaNs, ones and their neighbours, both signs.
std::vector<std::uint32_t> corners() {
  std::vector<std::uint32_t> words;
  for (const std::uint32_t word :
       {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x00FFFFFFu, 0x01000000u,
        0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x34000000u, 0x33800000u, 0x33800001u, 0x7F7FFFFFu,
        0x7F000000u, 0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0x1F800000u, 0x20000000u}) {
    words.push_back(word);
    words.push_back(word | 0x80000000u);
  }
  return words;
}

TEST(Fp32, Num1ArithmeticByIntegersEqualsTheProcessorOnAllCornerPairs) {
  for (const std::uint32_t a : corners()) {
    for (const std::uint32_t b : corners()) {
      ASSERT_EQ(multiply(a, b), fast_multiply(a, b)) << std::hex << a << " * " << b;
      ASSERT_EQ(add(a, b), fast_add(a, b)) << std::hex << a << " + " << b;
    }
  }
}

TEST(Fp32, Num1ArithmeticByIntegersEqualsTheProcessorOnRandomPairs) {
  std::mt19937 random(20231120);
  for (int i = 0; i < 1000000; ++i) {
    const std::uint32_t a = random();
    // Half of the pairs have similar exponents, where cancellation and rounding occur.
    const std::uint32_t b = i % 2 ? random() : (random() & 0x807FFFFFu) | ((a & 0x7F800000u) + (random() % 5 << 23));
    ASSERT_EQ(multiply(a, b), fast_multiply(a, b)) << std::hex << a << " * " << b;
    ASSERT_EQ(add(a, b), fast_add(a, b)) << std::hex << a << " + " << b;
  }
}

TEST(Fp32, Num1SubnormalsAreFlushedAndNansAreCanonical) {
  EXPECT_EQ(multiply(0x00000001u, 0x7F000000u), 0u);           // subnormal operand: zero
  EXPECT_EQ(multiply(0x80000001u, 0x3F800000u), 0x80000000u);  // with the operand's sign
  EXPECT_EQ(multiply(0x00800000u, 0x3F000000u), 0u);           // 2^-126 / 2: tiny, flushed
  EXPECT_EQ(add(0x00800001u, 0x80800000u), 0u);                // remainder 2^-149: flushed
  EXPECT_EQ(add(0x7F800000u, 0xFF800000u), kQuietNan);         // inf - inf
  EXPECT_EQ(multiply(0xFFC12345u, 0x3F800000u), kQuietNan);
  EXPECT_EQ(add(0x80000000u, 0x80000000u), 0x80000000u);  // -0 + -0
  EXPECT_EQ(add(0x3F800000u, 0xBF800000u), 0u);           // 1 - 1 = +0
}

TEST(Fp32, PeArithmeticEndsWithItsScope) {
  volatile float tiny = from_bits(1), one = 1.0F;
  {
    const PeArithmetic arithmetic;
    EXPECT_EQ(bits(tiny * one), 0u);
  }
  EXPECT_EQ(bits(tiny * one), 1u);
}

}  // namespace
}  // namespace weft::fp32

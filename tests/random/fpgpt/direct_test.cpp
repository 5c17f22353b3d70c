#include <gtest/gtest.h>

#include <array>

#include "model/fpgpt/direct_convolution.h"
#include "tests/support/hardware_order.h"
#include "tests/support/random_case.h"
#include "tests/support/special_values.h"

namespace weft {
namespace {

constexpr std::uint64_t kCases = 600;

std::vector<float> random_words(Words count, test::Random& random, test::Values values) {
  std::vector<float> words(static_cast<std::size_t>(count));
  for (float& word : words) word = test::random_value(random, values);
  return words;
}

// Returns the tensors in words of their own memories.
fpgpt::TensorWords at_bases(const conv::Convolution& c, const std::vector<float>& inp, const std::vector<float>& kern,
                            std::vector<float>& out) {
  const auto at = [](const conv::TensorView& view) { return view.base / 4 + view.first; };
  return {inp.data() + at(c.inp), kern.data() + at(c.kern), out.data() + at(c.out)};
}

// Num1Num2Num3Num4: oracle in integer arithmetic. OUT's memory is larger than OUT, with gaps; all words are compared.
TEST(DirectConvolution, NumEqualsIntegerArithmeticBitForBitAndWritesNothingElse) {
  std::array<int, 3> kinds{};
  std::int64_t nans = 0, infinities = 0, minus_zeros = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    conv::Layer layer;
    conv::Convolution c;
    do {
      layer = test::random_layer(random);
      if (test::pick(random, 0, 3) == 0) layer.filters = layer.groups * test::pick(random, 1, 40);
      c = workloads::lower(layer, static_cast<conv::Kind>(test::pick(random, 0, 2)),
                           test::pick(random, 0, layer.groups - 1));
    } while (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > 150000);
    ++kinds.at(static_cast<std::size_t>(c.kind));
    const workloads::TensorWords words = workloads::tensor_words(layer, c.kind);
    const auto values = static_cast<test::Values>(seed % test::kValues);
    c.inp.base += 4 * test::pick(random, 0, 20);
    c.out.base += 4 * test::pick(random, 0, 20);
    c.out.pitch_n += test::pick(random, 0, 9);
    const std::vector<float> inp = random_words(words.inp + 32, random, values);
    const std::vector<float> kern = random_words(words.kern, random, values);
    std::vector<float> expected = random_words(words.out + 32 + 9 * c.n_out(), random, values);
    std::vector<float> actual = expected, dealt = expected;
    test::hardware_order(c, inp, kern, expected);
    fpgpt::direct_convolution(c, at_bases(c, inp, kern, actual));
    test::expect_same_bits(actual, expected);
    // Any distribution of the outputs, in any order, gives the same words.
    const int parts = test::pick(random, 2, 9);
    for (int part = parts - 1; part >= 0; --part) {
      fpgpt::direct_convolution(c, at_bases(c, inp, kern, dealt), part, parts);
    }
    test::expect_same_bits(dealt, expected);
    for (const float value : expected) {
      nans += bits(value) == fp32::kQuietNan;
      infinities += std::isinf(value);
      minus_zeros += bits(value) == 0x80000000U;
    }
  }
  for (const int count : kinds) EXPECT_GE(count, 100);
  for (const std::int64_t count : {nans, infinities, minus_zeros}) EXPECT_GE(count, 100);
}

// NUM-1, 1 product: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 is halfway between two numbers and is rounded to the even one, 1
// + 2^-11. Products 0 and 4 are added in partial 0: -(1 + 2^-11), and the same rounded: their sum is +0, or 2^-24 if
// the fifth product is not rounded before the addition.
TEST(DirectConvolution, Num1ProductsAreRoundedBeforeTheyAreAdded) {
  conv::Convolution c;
  c.w = {5, 5, 1, 1, 0, 1, 1};
  c.inp.pitch_n = c.inp.pitch_c = 5;
  c.out.pitch_n = c.out.pitch_c = 1;
  const float x = 1 + std::ldexp(1.0F, -12);
  const std::array<float, 5> inp{-(1 + std::ldexp(1.0F, -11)), 0, 0, 0, x}, kern{1, 0, 0, 0, x};
  float out = 7;
  fpgpt::direct_convolution(c, {inp.data(), kern.data(), &out});
  EXPECT_EQ(bits(out), 0U);
}

// NUM-2: partials start from +0, so that -0 products leave +0; two sums of -0 and +0 are +0.
TEST(DirectConvolution, Num2PartialsStartFromPlusZero) {
  for (int products = 1; products <= 9; ++products) {
    conv::Convolution c;
    c.w = {products, products, 1, 1, 0, 1, 1};
    const std::vector<float> inp(9, -0.0F), kern(9, 1.0F);
    float out = 7;
    fpgpt::direct_convolution(c, {inp.data(), kern.data(), &out});
    EXPECT_EQ(bits(out), 0U) << products;
  }
}

// NUM-2, padding and dilation zeros counted: a negative sum that is flushed leaves -0 in a partial; the product +0 of a
// padding zero four places later makes it +0. Partials 1, 2 and 3 are +0 anyway, so the result shows it only if they
// are -0 too: all four get a flushed sum, one of them its zero.
TEST(DirectConvolution, Num2ZerosOfPaddingAreAdded) {
  // -a + b with b - a subnormal and negative: a = 2^-126 * 1.5, b = 2^-126, so that the sum is -2^-127.
  const float a = std::ldexp(1.5F, -126), b = std::ldexp(1.0F, -126);
  for (const int zeros : {0, 1, 4}) {
    conv::Convolution c;
    c.w = {8, 8 + zeros, 1, 1, 0, 1, 1};
    const std::vector<float> inp{-a, -a, -a, -a, b, b, b, b};
    const std::vector<float> kern(static_cast<std::size_t>(8 + zeros), 1.0F);
    float out = 7;
    fpgpt::direct_convolution(c, {inp.data(), kern.data(), &out});
    EXPECT_EQ(bits(out), zeros == 0 ? 0x80000000U : 0U) << zeros;
  }
}

}  // namespace
}  // namespace weft

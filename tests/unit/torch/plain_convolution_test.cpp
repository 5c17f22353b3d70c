#include <gtest/gtest.h>

#include <random>

#include "torch/loop_accelerator.h"

namespace weft::nn {
namespace {

using conv::Kind;
using Words = std::vector<std::int16_t>;
using Sums = std::vector<std::int32_t>;

// One image 3x3, one filter 2x2, stride 2 with a zero in front: outputs 2x2. IFM 1..9, weights 1 10 100 1000, so that
// each digit of an output names the sample that a weight meets.
//   windows begin at -1 and 1: (0,0) sees x x / x 1, (0,1) x x / 2 3, (1,0) x 4 / x 7, (1,1) 5 6 / 8 9.
TEST(PlainConvolution, ComputesALayerByHand) {
  const conv::Layer layer{"", 1, 1, 1, 1, {3, 2, 2, 1, 0, 1}, {3, 2, 2, 1, 0, 1}};
  const Words ifm{1, 2, 3, 4, 5, 6, 7, 8, 9}, weights{1, 10, 100, 1000}, gradient{1, 10, 100, 1000};
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{1000, 3200, 7040, 9865}));
  // A sample gets each weight times the gradient of the output where they met.
  EXPECT_EQ(plain_convolution(layer, Kind::GI, gradient, weights),
            (Sums{1000, 1000, 10000, 1000, 1000, 10000, 100000, 100000, 1000000}));
  // A weight gets each sample times the gradient of the output where they met.
  EXPECT_EQ(plain_convolution(layer, Kind::GW, ifm, gradient), (Sums{5000, 6400, 8020, 9731}));
}

// Dilation 2 of a kernel of 2: samples two apart. Groups: the second filter sees the second channel alone.
TEST(PlainConvolution, KnowsDilationAndGroups) {
  conv::Layer layer{"", 1, 2, 2, 2, {}, {4, 2, 1, 0, 0, 2}};
  const Words ifm{1, 2, 3, 4, 5, 6, 7, 8}, weights{1, 10, 1, 100};
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{31, 42, 705, 806}));
  layer.w.stride = 2;
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{31, 705}));
}

// Four products of 2^30 are 2^32: modulo 2^32 nothing; three of them read -2^30.
TEST(PlainConvolution, CutsSumsTo32Bits) {
  for (const int taps : {3, 4}) {
    const conv::Layer layer{"", 1, 1, 1, 1, {}, {taps, taps, 1, 0, 0, 1}};
    const Words least(static_cast<std::size_t>(taps), -32768);
    EXPECT_EQ(plain_convolution(layer, Kind::F, least, least), (Sums{taps == 3 ? -(1 << 30) : 0}));
  }
}

}  // namespace
}  // namespace weft::nn

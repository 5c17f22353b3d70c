#include "torch/kernel_set.h"

#include <gtest/gtest.h>

#include "model/fpgpt/sizing.h"
#include "tests/support/texts.h"
#include "torch/loop_accelerator.h"
#include "workloads/lowering.h"

namespace weft::nn {
namespace {

using conv::Kind;

conv::Layer layer_of(int channels, int filters, int size) {
  const conv::LayerAxis axis{size, 3, 1, 1, 1, 1};
  return {"conv1", 2, channels, filters, 1, axis, axis};
}

fpgpt::Alpha kernel_for(const conv::Layer& layer, Kind kind) {
  fpgpt::Alpha alpha;
  alpha.x = alpha.y = 4;
  alpha.variant = kind == Kind::GW ? fpgpt::Variant::GW : fpgpt::Variant::FGI;
  return fpgpt::fitted(alpha, workloads::lower(layer, kind));
}

// Returns kernels on a card of three channels.
KernelSet set_of(const std::vector<CardKernel>& kernels) {
  KernelSet set;
  set.channel_of_port = {0, 1, 2};
  set.channels = 3;
  set.channel_bytes = 1 << 20;
  set.kernels = kernels;
  return set;
}

std::string message_of(const KernelSet& set, const conv::Layer& layer, Kind kind) {
  return test::message_of([&] { plan_convolution(set, layer, kind); });
}

TEST(KernelSet, PicksTheSmallestKernelThatHoldsAConvolution) {
  const conv::Layer small = layer_of(2, 3, 6), large = layer_of(8, 9, 12);
  const KernelSet set = set_of({{"large", kernel_for(large, Kind::F), {}}, {"small", kernel_for(small, Kind::F), {}}});
  EXPECT_EQ(plan_convolution(set, small, Kind::F).kernel, 1U);
  EXPECT_EQ(plan_convolution(set, large, Kind::F).kernel, 0U);
}

TEST(KernelSet, PrefersTheKernelThatWasMadeForAConvolution) {
  const conv::Layer small = layer_of(2, 3, 6), large = layer_of(8, 9, 12);
  const KernelSet set =
      set_of({{"small", kernel_for(small, Kind::F), {}}, {"large", kernel_for(large, Kind::F), {"conv1:F"}}});
  EXPECT_EQ(plan_convolution(set, small, Kind::F).kernel, 1U);
  // The first has no GI, and the small one has no room for its KERN: 1 group of 4 times 3*3*3 words, 108 instead of 72.
  EXPECT_EQ(plan_convolution(set, small, Kind::GI).kernel, 1U);
}

// A kernel with one word less in any size is refused, and the size is named.
TEST(KernelSet, SaysWhatEachKernelLacks) {
  const conv::Layer layer = layer_of(2, 3, 6);
  EXPECT_EQ(message_of(set_of({}), layer, Kind::F), "no kernel can run conv1:F: there are none");
  KernelSet set = set_of({{"a", kernel_for(layer, Kind::GW), {}}});
  EXPECT_EQ(message_of(set, layer, Kind::GW), "nothing");
  EXPECT_EQ(message_of(set, layer, Kind::F), "no kernel can run conv1:F: a is of variant gw");
  set.kernels.front().alpha.k_range -= 1;
  // GW reads KERN, the gradient of the OFM, as N_KERN*H*W words: 3 * 6 * 6.
  EXPECT_EQ(message_of(set, layer, Kind::GW), "no kernel can run conv1:GW: a has k_range 107, not 108");
}

// A kernel of another format is ignored.
TEST(KernelSet, PicksAKernelOfTheFormat) {
  const conv::Layer layer = layer_of(2, 3, 6);
  KernelSet set =
      set_of({{"fp32", kernel_for(layer, Kind::F), {"conv1:F"}}, {"fxp12", kernel_for(layer, Kind::F), {}}});
  set.kernels.back().alpha.format = NumberFormat::fixed(12);
  EXPECT_EQ(plan_convolution(set, layer, Kind::F).kernel, 0U);
  const ConvolutionPlan plan = plan_convolution(set, layer, Kind::F, NumberFormat::fixed(12));
  EXPECT_EQ(plan.kernel, 1U);
  EXPECT_EQ(plan.bytes.inp, 4 * 64);   // 2 * 2 * 36 words, 42 per beat
  EXPECT_EQ(plan.bytes.kern, 2 * 64);  // 3 * 2 * 9
  EXPECT_EQ(plan.bytes.out, 2 * 3 * 36 * 4);
  EXPECT_EQ(test::message_of([&] { plan_convolution(set, layer, Kind::F, NumberFormat::fixed(8)); }),
            "no kernel can run conv1:F: there are none of fxp8");
}

// Placement of `weft run`: tensors follow each other in a shared channel, with guards between them.
TEST(KernelSet, PlacesTensorsAsARunDoes) {
  const conv::Layer layer = layer_of(2, 3, 6);
  KernelSet set = set_of({{"a", kernel_for(layer, Kind::F), {}}});
  set.channel_of_port = {0, 0, 1};
  const ConvolutionPlan plan = plan_convolution(set, layer, Kind::F);
  EXPECT_EQ(plan.bytes.inp, 2 * 2 * 36 * 4);
  EXPECT_EQ(plan.bytes.kern, 3 * 2 * 9 * 4);
  EXPECT_EQ(plan.bytes.out, 2 * 3 * 36 * 4);
  // 576 bytes of INP and its guard: Gamma_Burst of at most 256 beats is 48, and one more, of 64 bytes: 3712, one page.
  EXPECT_EQ(plan.placement.base, (std::array<Address, 3>{0, 4096, 0}));
  set.channel_bytes = 4096;
  EXPECT_NE(message_of(set, layer, Kind::F), "nothing");
}

TEST(KernelSet, HasALaunchForEachGroup) {
  conv::Layer layer = layer_of(4, 6, 6);
  layer.groups = 2;
  const ConvolutionPlan plan = plan_convolution(set_of({{"a", kernel_for(layer, Kind::F), {}}}), layer, Kind::F);
  ASSERT_EQ(plan.launches.size(), 2U);
  EXPECT_EQ(plan.launches[1].inp.base, 2 * 36 * 4);      // the second half of the channels
  EXPECT_EQ(plan.launches[1].kern.base, 3 * 2 * 9 * 4);  // the second half of the filters
  EXPECT_EQ(plan.launches[1].out.base, 3 * 36 * 4);
}

using Words = std::vector<std::int16_t>;
using Sums = std::vector<std::int32_t>;

// One image 3x3, one filter 2x2, stride 2 with a zero in front: outputs 2x2. IFM 1..9, weights 1 10 100 1000, so that
// each digit of an output names the sample that a weight meets.
//   windows begin at -1 and 1: (0,0) sees x x / x 1, (0,1) x x / 2 3, (1,0) x 4 / x 7, (1,1) 5 6 / 8 9.
TEST(PlainConvolution, ComputesALayerByHand) {
  const conv::Layer layer{"", 1, 1, 1, 1, {3, 2, 2, 1, 0, 1}, {3, 2, 2, 1, 0, 1}};
  const Words ifm{1, 2, 3, 4, 5, 6, 7, 8, 9}, weights{1, 10, 100, 1000}, gradient{1, 10, 100, 1000};
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{1000, 3200, 7040, 9865}));
  // A sample gets the sum of each weight times the gradient of the output where they met.
  EXPECT_EQ(plain_convolution(layer, Kind::GI, gradient, weights),
            (Sums{1000, 1000, 10000, 1000, 1000, 10000, 100000, 100000, 1000000}));
  // A weight gets the sum of each sample times the gradient of the output where they met.
  EXPECT_EQ(plain_convolution(layer, Kind::GW, ifm, gradient), (Sums{5000, 6400, 8020, 9731}));
}

// Dilation 2 of a kernel of 2: samples two apart. Groups: the second filter reads only the second channel.
TEST(PlainConvolution, KnowsDilationAndGroups) {
  conv::Layer layer{"", 1, 2, 2, 2, {}, {4, 2, 1, 0, 0, 2}};
  const Words ifm{1, 2, 3, 4, 5, 6, 7, 8}, weights{1, 10, 1, 100};
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{31, 42, 705, 806}));
  layer.w.stride = 2;
  EXPECT_EQ(plain_convolution(layer, Kind::F, ifm, weights), (Sums{31, 705}));
}

// Four products of 2^30 are 2^32, modulo 2^32 zero; three of them read -2^30.
TEST(PlainConvolution, CutsSumsTo32Bits) {
  for (const int taps : {3, 4}) {
    const conv::Layer layer{"", 1, 1, 1, 1, {}, {taps, taps, 1, 0, 0, 1}};
    const Words least(static_cast<std::size_t>(taps), -32768);
    EXPECT_EQ(plain_convolution(layer, Kind::F, least, least), (Sums{taps == 3 ? -(1 << 30) : 0}));
  }
}

}  // namespace
}  // namespace weft::nn

#include "torch/kernel_set.h"

#include <gtest/gtest.h>

#include "model/fpgpt/sizing.h"
#include "tests/support/texts.h"
#include "workloads/lowering.h"

namespace weft::nn {
namespace {

using conv::Kind;

conv::Layer layer_of(int channels, int filters, int size) {
  conv::Layer layer;
  layer.name = "conv1";
  layer.batch = 2;
  layer.channels = channels;
  layer.filters = filters;
  layer.h = layer.w = {size, 3, 1, 1, 1, 1};
  return layer;
}

fpgpt::Alpha kernel_for(const conv::Layer& layer, Kind kind) {
  fpgpt::Alpha alpha;
  alpha.x = alpha.y = 4;
  alpha.variant = kind == Kind::GW ? fpgpt::Variant::GW : fpgpt::Variant::FGI;
  return fpgpt::fitted(alpha, workloads::lower(layer, kind));
}

KernelSet empty_set() {
  KernelSet set;
  set.channel_of_port = {0, 1, 2};
  set.channels = 3;
  set.channel_bytes = 1 << 20;
  return set;
}

std::string message_of(const KernelSet& set, const conv::Layer& layer, Kind kind) {
  return test::message_of([&] { plan_convolution(set, layer, kind); });
}

TEST(KernelSet, PicksTheSmallestKernelThatHoldsAConvolution) {
  const conv::Layer small = layer_of(2, 3, 6), large = layer_of(8, 9, 12);
  KernelSet set = empty_set();
  set.kernels.push_back({"large", kernel_for(large, Kind::F), {}});
  set.kernels.push_back({"small", kernel_for(small, Kind::F), {}});
  EXPECT_EQ(plan_convolution(set, small, Kind::F).kernel, 1U);
  EXPECT_EQ(plan_convolution(set, large, Kind::F).kernel, 0U);
}

TEST(KernelSet, PrefersTheKernelThatWasMadeForAConvolution) {
  const conv::Layer small = layer_of(2, 3, 6), large = layer_of(8, 9, 12);
  KernelSet set = empty_set();
  set.kernels.push_back({"small", kernel_for(small, Kind::F), {}});
  set.kernels.push_back({"large", kernel_for(large, Kind::F), {"conv1:F"}});
  EXPECT_EQ(plan_convolution(set, small, Kind::F).kernel, 1U);
  // Not made for GI, and the small one has not room for its KERN: 1 group of 4 times 3*3*3 words, 108 instead of 72.
  EXPECT_EQ(plan_convolution(set, small, Kind::GI).kernel, 1U);
}

// One word less of each size is refused, and named.
TEST(KernelSet, SaysWhatEachKernelLacks) {
  const conv::Layer layer = layer_of(2, 3, 6);
  KernelSet set = empty_set();
  EXPECT_EQ(message_of(set, layer, Kind::F), "no kernel holds conv1:F: there are none");
  set.kernels.push_back({"a", kernel_for(layer, Kind::GW), {}});
  EXPECT_EQ(message_of(set, layer, Kind::GW), "nothing");
  EXPECT_EQ(message_of(set, layer, Kind::F), "no kernel holds conv1:F: a is of variant gw");
  set.kernels.front().alpha.k_range -= 1;
  // GW reads KERN, the gradient of the OFM, as N_KERN*H*W words: 3 * 6 * 6.
  EXPECT_EQ(message_of(set, layer, Kind::GW), "no kernel holds conv1:GW: a has k_range 107, not 108");
}

// A kernel of another format is none.
TEST(KernelSet, PicksAKernelOfTheFormat) {
  const conv::Layer layer = layer_of(2, 3, 6);
  KernelSet set = empty_set();
  set.kernels.push_back({"fp32", kernel_for(layer, Kind::F), {"conv1:F"}});
  set.kernels.push_back({"fxp12", kernel_for(layer, Kind::F), {}});
  set.kernels.back().alpha.format = NumberFormat::fixed(12);
  EXPECT_EQ(plan_convolution(set, layer, Kind::F).kernel, 0U);
  const ConvolutionPlan plan = plan_convolution(set, layer, Kind::F, NumberFormat::fixed(12));
  EXPECT_EQ(plan.kernel, 1U);
  EXPECT_EQ(plan.bytes.inp, 4 * 64);   // 2 * 2 * 36 words, 42 a beat
  EXPECT_EQ(plan.bytes.kern, 2 * 64);  // 3 * 2 * 9
  EXPECT_EQ(plan.bytes.out, 2 * 3 * 36 * 4);
  EXPECT_EQ(test::message_of([&] { plan_convolution(set, layer, Kind::F, NumberFormat::fixed(8)); }),
            "no kernel holds conv1:F: there are none of fxp8");
}

// Where `weft run` has the tensors: one behind the other in a shared channel, guards between them.
TEST(KernelSet, PlacesTensorsAsARunDoes) {
  const conv::Layer layer = layer_of(2, 3, 6);
  KernelSet set = empty_set();
  set.channel_of_port = {0, 0, 1};
  set.kernels.push_back({"a", kernel_for(layer, Kind::F), {}});
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
  KernelSet set = empty_set();
  set.kernels.push_back({"a", kernel_for(layer, Kind::F), {}});
  const ConvolutionPlan plan = plan_convolution(set, layer, Kind::F);
  ASSERT_EQ(plan.launches.size(), 2U);
  EXPECT_EQ(plan.launches[1].inp.base, 2 * 36 * 4);      // the second half of the channels
  EXPECT_EQ(plan.launches[1].kern.base, 3 * 2 * 9 * 4);  // of the filters
  EXPECT_EQ(plan.launches[1].out.base, 3 * 36 * 4);
}

}  // namespace
}  // namespace weft::nn

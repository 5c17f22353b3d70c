#include "model/fpgpt/sizing.h"

#include <gtest/gtest.h>

#include "golden_networks.h"
#include "model/core/error.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

conv::Convolution googlenet(const std::string& name, conv::Kind kind) {
  return workloads::lower(test::layer_named(test::golden_layers("googlenet", 256), name), kind);
}

Alpha array(int x, int y, Variant variant = Variant::Both) {
  Alpha alpha;
  alpha.x = x;
  alpha.y = y;
  alpha.variant = variant;
  return alpha;
}

TEST(Fitted, ForwardHoldsItsWeightsAndTwoHalvesOfYMaps) {
  const Alpha a = fitted(array(5, 6), googlenet("conv1.conv", conv::Kind::F));
  EXPECT_EQ(a.k_range, 0);
  EXPECT_EQ(a.kern_words, 66 * 147);         // 64 kernels in rows of 6: 11 each
  EXPECT_EQ(a.out_words, 2 * 6 * 2509 * 5);  // ceil(12544 / 5) = 2509
}

TEST(Fitted, TakesZAndZChannelOfTheConvolution) {
  const Alpha f = fitted(array(4, 8), googlenet("conv1.conv", conv::Kind::F));
  EXPECT_EQ(f.z, 7);
  EXPECT_EQ(f.z_channel, 1357);
  const Alpha gw = fitted(array(4, 8), googlenet("conv1.conv", conv::Kind::GW));
  EXPECT_EQ(gw.z, 221);
  EXPECT_EQ(gw.z_channel, 49952);
}

TEST(Fitted, GradWeightHoldsTwoHalvesOfYMapsOfKernAndAllOfOut) {
  const Alpha a = fitted(array(4, 8), googlenet("conv1.conv", conv::Kind::GW));
  EXPECT_EQ(a.k_range, 64 * 12544);
  EXPECT_EQ(a.kern_words, 2 * 8 * 12544);
  EXPECT_EQ(a.out_words, 64 * 3 * 13 * 4);  // 7*7 outputs in 13 sets of 4
}

TEST(Fitted, KeepsEverythingButTheSizes) {
  Alpha a = array(4, 8, Variant::FGI);
  a.bus_bits = 1024;
  a.format = NumberFormat::fixed(16);
  a.profile = Profile::rtl();
  const Alpha b = fitted(a, googlenet("conv2.conv", conv::Kind::F));
  EXPECT_EQ(b.bus_bits, 1024);
  EXPECT_EQ(b.format, NumberFormat::fixed(16));
  EXPECT_EQ(b.variant, Variant::FGI);
  EXPECT_TRUE(b.profile == Profile::rtl());
}

TEST(SharedSizes, AreTheLargestOfEachParameterOnItsOwn) {
  const auto f = googlenet("conv1.conv", conv::Kind::F), gw = googlenet("conv1.conv", conv::Kind::GW),
             deep = googlenet("inception5b.branch1.conv", conv::Kind::F);
  const Alpha a = fitted(array(4, 8), {f, gw, deep});
  EXPECT_EQ(a.z, 221);            // conv1 GW
  EXPECT_EQ(a.z_channel, 49952);  // conv1 GW
  EXPECT_EQ(a.k_range, 64 * 12544);
  EXPECT_EQ(a.kern_words, 384 * 832);        // inception5b.branch1 F, more than 2*8*12544 = 200,704
  EXPECT_EQ(a.out_words, 2 * 8 * 3136 * 4);  // conv1 F
}

TEST(SharedSizes, IgnoreWhatTheVariantCannotRun) {
  const auto f = googlenet("conv1.conv", conv::Kind::F), gw = googlenet("conv1.conv", conv::Kind::GW);
  EXPECT_EQ(fitted(array(4, 8, Variant::FGI), {f, gw}).z, 7);
  EXPECT_EQ(fitted(array(4, 8, Variant::FGI), {f, gw}).k_range, 0);
  EXPECT_EQ(fitted(array(4, 8, Variant::GW), {f, gw}).kern_words, 2 * 8 * 12544);
  EXPECT_THROW(fitted(array(4, 8, Variant::GW), std::vector<conv::Convolution>{f}), Error);
  EXPECT_THROW(fitted(array(4, 8), std::vector<conv::Convolution>{}), Error);
}

TEST(Fitted, RefusesAnEmptyArray) {
  EXPECT_THROW(fitted(array(0, 8), googlenet("conv2.conv", conv::Kind::F)), Error);
  EXPECT_THROW(fitted(array(4, 0), googlenet("conv2.conv", conv::Kind::F)), Error);
}

}  // namespace
}  // namespace weft::fpgpt

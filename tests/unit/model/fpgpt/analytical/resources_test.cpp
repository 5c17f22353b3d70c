#include "model/fpgpt/analytical/resources.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "golden_networks.h"
#include "model/core/error.h"
#include "model/fpgpt/sizing.h"
#include "tests/support/texts.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

using test::array;
using test::googlenet;

void expect_memory(const MemoryUse& m, const std::string& name, Words words, std::int64_t util, std::int64_t partitions,
                   std::int64_t ports, std::int64_t pblocks) {
  EXPECT_EQ(std::tuple(m.name, m.partition_words, m.util, m.partitions, m.mblocks, m.ports, m.pblocks),
            std::tuple(name, words, util, partitions, util * partitions, ports, pblocks));
}

// GoogLeNet conv1 F: Z = 7, Z_channel = 1357, 64 kernels of 147 words, 112*112 outputs in 3136 sets of 4.
TEST(MemoryOfForward, FollowsEq514To522) {
  const auto c = googlenet("conv1.conv", conv::Kind::F);
  const Resources r = resources(fitted(array(4, 8, Variant::FGI), c));
  ASSERT_EQ(r.memories.size(), 3u);
  // 5.14: align(1357, 16) = 1360, to 7: 1365, to 14: 1372; 5.17: ceil(1372/512) = 3; 5.18: 3*2; 5.21: ceil(7/2) = 4.
  expect_memory(r.memories[0], "INP", 1372, 3, 2, 7, 4);
  // 5.15: ceil(64/8)*147 = 1176, 3 blocks; 5.19: times Y.
  expect_memory(r.memories[1], "KERN (F/GI)", 1176, 3, 8, 8, 4);
  // 5.16: 8*3136 = 25,088 = 49 blocks; 5.20: times 2*X.
  expect_memory(r.memories[2], "OUT (F/GI)", 25088, 49, 8, 4, 2);
  EXPECT_EQ(r.bram18, 6 + 24 + 392);
  EXPECT_EQ(r.uram, 0);
  EXPECT_EQ(r.dsp, 9 * 32);
}

// Same layer at 8 bits, a block of 2048 words, BAND 64: align(1357, 64) = 1408, to 7: 1414, which is to 14. OUT has
// sums of 32 bits by the default reading.
TEST(MemoryOfForward, OfFixedPointHasWordsOfItsWidthAndSumsOf32Bits) {
  const auto c = googlenet("conv1.conv", conv::Kind::F);
  Alpha alpha = array(4, 8, Variant::FGI);
  alpha.format = NumberFormat::fixed(8);
  alpha = fitted(alpha, c);
  const Resources r = resources(alpha);
  expect_memory(r.memories[0], "INP", 1414, 1, 2, 7, 4);
  expect_memory(r.memories[1], "KERN (F/GI)", 1176, 1, 8, 8, 4);
  expect_memory(r.memories[2], "OUT (F/GI)", 25088, 49, 8, 4, 2);
  EXPECT_EQ(r.bram18, 4 + 8 + 392);
  EXPECT_EQ(r.dsp, 3 * 32);
  Readings narrow;
  narrow.out_word = reading::OutWord::Wl;
  EXPECT_EQ(resources(alpha, narrow).bram18, 4 + 8 + 8 * 13);  // ceil(25088/2048) = 13
  Readings synthesis;
  synthesis.resources = reading::Resources::Synthesis;
  const Resources rtl = resources(alpha, synthesis);
  EXPECT_EQ(rtl.memories[0].partition_words, 2 * 194) << "two channels of 1357 bytes, 7 side by side";
  EXPECT_EQ(rtl.memories[0].partitions, 7);
  EXPECT_EQ(rtl.memories[1].partition_words, 1176);
  EXPECT_EQ(rtl.memories[2].partition_words % 4, 0) << "rows of X sums";
}

// GoogLeNet conv2 GW: Z = 1, Z_channel = 3136 = C*H*W of KERN, 64*64 outputs of one word.
TEST(MemoryOfGradWeight, FollowsEq514To522) {
  const auto c = googlenet("conv2.conv", conv::Kind::GW);
  const Resources r = resources(fitted(array(4, 8, Variant::GW), c));
  ASSERT_EQ(r.memories.size(), 3u);
  expect_memory(r.memories[0], "INP", 3136, 7, 2, 1, 1);             // already aligned to 16, 1 and 2
  expect_memory(r.memories[1], "KERN (GW)", 3136, 7, 2 * 64, 8, 4);  // align(3136, 8), 2*Y*Y partitions
  expect_memory(r.memories[2], "OUT (GW)", 4096, 8, 4, 4, 2);        // 64*64*ceil(1/4), X partitions
  EXPECT_EQ(r.bram18, 14 + 896 + 32);
}

// GoogLeNet conv3 GW: Z = 57 ports need more blocks than 3136 words do.
TEST(MemoryOfGradWeight, PortsCanNeedMoreBlocksThanWords) {
  const auto c = googlenet("conv3.conv", conv::Kind::GW);
  const Resources r = resources(fitted(array(4, 8, Variant::GW), c));
  expect_memory(r.memories[0], "INP", 3192, 7, 2, 57, 29);  // to 57: 56*57 = 3192, to 114: 28*114
  EXPECT_EQ(r.memories[0].blocks(), 29);
}

TEST(MemoryInUram, IsCountedApartInBlocksOf4096Words) {
  const auto c = googlenet("conv1.conv", conv::Kind::F);
  Alpha alpha = fitted(array(4, 8, Variant::FGI), c);
  alpha.out_storage = Storage::URAM;
  const Resources r = resources(alpha);
  expect_memory(r.memories[2], "OUT (F/GI)", 25088, 7, 8, 4, 2);  // ceil(25088/4096) = 7
  EXPECT_EQ(r.bram18, 6 + 24);
  EXPECT_EQ(r.uram, 56);
}

TEST(MemoryReadings, BanksAndAlignmentOfInp) {
  Alpha alpha = fitted(array(4, 8, Variant::FGI), googlenet("conv1.conv", conv::Kind::F));
  Readings r;
  r.inp_align = reading::InpAlign::ToZ;
  expect_memory(resources(alpha, r).memories[0], "INP", 1365, 3, 2, 7, 4);
  r.inp_align = reading::InpAlign::ToTwoZ;
  r.inp_banks = reading::InpBanks::ZBanks;
  expect_memory(resources(alpha, r).memories[0], "INP", 196, 1, 14, 7, 4);  // 1372/7 words in each of 2*7 banks
}

TEST(MemoryReadings, TheGradWeightBufferIsOneYthOfThePrint) {
  Readings r;
  r.kern_storage = reading::KernStorage::Buffer;
  const auto c = googlenet("conv2.conv", conv::Kind::GW);
  const MemoryUse m = resources(fitted(array(4, 8, Variant::GW), c), r).memories[1];
  expect_memory(m, "KERN (GW)", 392, 1, 128, 8, 4);
  EXPECT_EQ(m.partition_words * m.partitions, 2 * 8 * 3136);  // A.2.5: two halves of Y*C*H*W
}

TEST(MemoryReadings, TheTextOfOutHoldsEveryChannel) {
  Readings r;
  r.out_storage = reading::OutStorage::Tensor;
  const auto c = googlenet("conv1.conv", conv::Kind::F);
  const MemoryUse m = resources(fitted(array(4, 8, Variant::FGI), c), {c}, r).memories[2];
  expect_memory(m, "OUT (F/GI)", 25088 * 64, 49 * 64, 8, 4, 2);
}

TEST(KernelForBothVariants, PaysForBothFeedersAndBothConstructors) {
  const auto f = googlenet("conv1.conv", conv::Kind::F), gw = googlenet("conv2.conv", conv::Kind::GW);
  const std::vector<conv::Convolution> both{f, gw};
  const Alpha alpha = fitted(array(4, 8, Variant::Both), both);
  const Resources r = resources(alpha, both);
  ASSERT_EQ(r.memories.size(), 5u);
  expect_memory(r.memories[1], "KERN (F/GI)", 1176, 3, 8, 8, 4);
  expect_memory(r.memories[2], "KERN (GW)", 3136, 7, 128, 8, 4);
  expect_memory(r.memories[3], "OUT (F/GI)", 25088, 49, 8, 4, 2);
  expect_memory(r.memories[4], "OUT (GW)", 4096, 8, 4, 4, 2);
  EXPECT_GE(resources(alpha).bram18, r.bram18) << "sized by alpha alone, each must hold the larger";
}

TEST(SizingByConvolution, EqualsSizingByAlphaForOneConvolution) {
  for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", 256))) {
    const Alpha alpha = fitted(array(4, 8, c.kind == conv::Kind::GW ? Variant::GW : Variant::FGI), c);
    EXPECT_EQ(resources(alpha).bram18, resources(alpha, {c}).bram18);
  }
}

TEST(Blocks, AreAsTheDevicesHaveThem) {
  EXPECT_EQ(memory_block(Storage::BRAM, 32).words, 512);
  EXPECT_EQ(memory_block(Storage::BRAM, 18).words, 1024);
  EXPECT_EQ(memory_block(Storage::BRAM, 8).words, 2048);
  EXPECT_EQ(memory_block(Storage::BRAM, 64).words, 256);
  EXPECT_EQ(memory_block(Storage::URAM, 32).words, 4096);
  EXPECT_EQ(memory_block(Storage::URAM, 8).words, 4096);
  EXPECT_EQ(memory_block(Storage::BRAM, 32).ports, 2);
}

TEST(Dsps, AreNinePerFloatAndThreePerFixedPointPe) {
  EXPECT_EQ(dsp_per_pe(NumberFormat::fp32()), 9);
  EXPECT_EQ(dsp_per_pe(NumberFormat::fixed(8)), 3);
}

TEST(Report, SaysPerResourceWhatFits) {
  const auto c = googlenet("conv1.conv", conv::Kind::F);
  const Resources r = resources(fitted(array(4, 8, Variant::FGI), c));
  ResourceReport report = compare(r, {3072, 1344, 0});
  EXPECT_TRUE(fits(report));
  EXPECT_STREQ(report[0].name, "DSP");
  EXPECT_EQ(report[0].used, 288);
  EXPECT_EQ(report[1].used, 422);
  EXPECT_EQ(report[1].available, 1344);
  report = compare(r, {287, 422, 0});
  EXPECT_FALSE(report[0].fits());
  EXPECT_TRUE(report[1].fits()) << "exactly all of it fits";
  EXPECT_TRUE(report[2].fits());
  EXPECT_FALSE(fits(report));
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

// 5.14 aligns Z_channel, 100 words, to BAND of INP. No other equation of resources has a width.
TEST(Resources, HaveTheBandOfInpAlone) {
  Alpha a = array(4, 8, Variant::FGI);
  a.z = 16;
  a.z_channel = 100;
  a.kern_words = a.out_words = 1000;
  const Resources wide = resources(a);
  EXPECT_EQ(wide.memories[0].partition_words, 128);  // align(align(100, 16), 16), to 2 * 16
  a.port_bits = {0, 32, 64};
  EXPECT_EQ(resources(a).memories[0].partition_words, 128);
  EXPECT_EQ(resources(a).bram18, wide.bram18);
  a.port_bits = {1024 * 8, 0, 0};
  EXPECT_EQ(resources(a).memories[0].partition_words, 256);
}

TEST(SharedSizes, AreTheLargestOfEachParameterOnItsOwn) {
  const auto f = googlenet("conv1.conv", conv::Kind::F), gw = googlenet("conv1.conv", conv::Kind::GW),
             deep = googlenet("inception5b.branch1.conv", conv::Kind::F);
  const Alpha a = fitted(array(4, 8), {f, gw, deep});
  EXPECT_EQ(a.z, 221);            // conv1 GW
  EXPECT_EQ(a.z_channel, 49952);  // conv1 GW
  EXPECT_EQ(a.k_range, 64 * 12544);
  EXPECT_EQ(a.kern_words, 384 * 832);        // inception5b.branch1 F, larger than 2*8*12544 = 200,704
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

conv::Convolution conv1(conv::Kind kind) {
  return workloads::lower(test::golden_layers("googlenet", 2).front(), kind);
}

Alpha fitted_to(const conv::Convolution& c) {
  return fitted(test::array(4, 8), c);
}

std::string refusal(const Alpha& alpha, const conv::Convolution& c) {
  return test::message_of([&] { refuse_beyond(alpha, c); });
}

void expect_refusal(const Alpha& alpha, const conv::Convolution& c, const std::string& parameter,
                    const std::string& limit) {
  const std::string message = refusal(alpha, c);
  EXPECT_TRUE(test::has(message, "kernel." + parameter + ":"));
  EXPECT_TRUE(test::has(message, limit));
}

TEST(Refusal, AKernelRunsWhatItIsFittedToAndNotAWordMore) {
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
    const conv::Convolution c = conv1(kind);
    const Alpha fit = fitted_to(c);
    EXPECT_EQ(refusal(fit, c), "nothing");
    const auto expect_exact = [&](auto size, const std::string& name) {
      Alpha alpha = fit;
      --(alpha.*size);
      expect_refusal(alpha, c, name, "at most " + std::to_string(alpha.*size));
    };
    expect_exact(&Alpha::z, "z");
    expect_exact(&Alpha::z_channel, "z_channel");
    expect_exact(&Alpha::kern_words, "kern_words");
    expect_exact(&Alpha::out_words, "out_words");
  }
}

TEST(Refusal, OnlyGradWeightNeedsAKernRange) {
  Alpha alpha = fitted_to(conv1(conv::Kind::GW));
  --alpha.k_range;
  expect_refusal(alpha, conv1(conv::Kind::GW), "k_range", "at most 802815");
  alpha = fitted_to(conv1(conv::Kind::F));
  EXPECT_EQ(alpha.k_range, 0);
  EXPECT_EQ(refusal(alpha, conv1(conv::Kind::F)), "nothing");
}

TEST(Refusal, AVariantRunsItsKindsOnly) {
  Alpha alpha = fitted_to(conv1(conv::Kind::GW));
  alpha.variant = Variant::FGI;
  expect_refusal(alpha, conv1(conv::Kind::GW), "variant", "F and GI");
  alpha = fitted_to(conv1(conv::Kind::F));
  alpha.variant = Variant::GW;
  expect_refusal(alpha, conv1(conv::Kind::F), "variant", "GW");
  expect_refusal(alpha, conv1(conv::Kind::GI), "variant", "GI");
}

TEST(Refusal, NamesTheConvolutionsKindAndItsNeed) {
  Alpha alpha = fitted_to(conv1(conv::Kind::F));
  alpha.z_channel = 1000;
  const std::string message = refusal(alpha, conv1(conv::Kind::F));
  EXPECT_TRUE(test::has(message, "F convolution"));
  EXPECT_TRUE(test::has(message, "1357"));
}

TEST(Refusal, ASharedKernelRunsAllThatItIsSharedBy) {
  const auto convolutions = test::training_convolutions(test::golden_layers("googlenet", 2));
  for (const Variant variant : {Variant::FGI, Variant::GW, Variant::Both}) {
    const Alpha alpha = fitted(test::array(16, 16, variant), convolutions);
    for (const conv::Convolution& c : convolutions) {
      EXPECT_EQ(refusal(alpha, c) == "nothing", runs(variant, c.kind)) << refusal(alpha, c);
    }
  }
}

}  // namespace
}  // namespace weft::fpgpt

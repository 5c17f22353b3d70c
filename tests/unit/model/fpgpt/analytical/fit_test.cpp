
#include <gtest/gtest.h>

#include <string>

#include "golden_networks.h"
#include "model/fpgpt/sizing.h"
#include "tests/support/texts.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

conv::Convolution conv1(conv::Kind kind) {
  return workloads::lower(test::golden_layers("googlenet", 2).front(), kind);
}

Alpha fitted_to(const conv::Convolution& c, Variant variant = Variant::Both) {
  Alpha alpha;
  alpha.x = 4;
  alpha.y = 8;
  alpha.variant = variant;
  return fitted(alpha, c);
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
    Alpha alpha = fit;
    --alpha.z;
    expect_refusal(alpha, c, "z", "at most " + std::to_string(alpha.z));
    alpha = fit;
    --alpha.z_channel;
    expect_refusal(alpha, c, "z_channel", "at most " + std::to_string(alpha.z_channel));
    alpha = fit;
    --alpha.kern_words;
    expect_refusal(alpha, c, "kern_words", "at most " + std::to_string(alpha.kern_words));
    alpha = fit;
    --alpha.out_words;
    expect_refusal(alpha, c, "out_words", "at most " + std::to_string(alpha.out_words));
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
  const Alpha both = fitted_to(conv1(conv::Kind::GW));
  Alpha alpha = both;
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
    Alpha alpha;
    alpha.x = alpha.y = 16;
    alpha.variant = variant;
    alpha = fitted(alpha, convolutions);
    for (const conv::Convolution& c : convolutions) {
      EXPECT_EQ(refusal(alpha, c) == "nothing", runs(variant, c.kind)) << refusal(alpha, c);
    }
  }
}

}  // namespace
}  // namespace weft::fpgpt

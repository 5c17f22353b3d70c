#include "platform/studies/validate/limits.h"

#include <gtest/gtest.h>

namespace weft::validate {
namespace {

Pair pair(const std::string& layer, conv::Kind kind, Cycles model, Cycles against) {
  Pair one;
  one.layer.name = layer;
  one.kind = kind;
  one.model.cycles = model;
  one.against.cycles = against;
  return one;
}

// F: 1900 of 2000, -5 %; GW: 60 of 50, +20 %; all: 1960 of 2050, -4.39 %. Single convolutions: -10 %, 0, +20 %.
const std::vector<Pair> kPairs{pair("a", conv::Kind::F, 900, 1000), pair("b", conv::Kind::F, 1000, 1000),
                               pair("a", conv::Kind::GW, 60, 50)};

TEST(Limits, SumTheCyclesOfEachKindAndOfAll) {
  const LimitsVerdict verdict = judge({100, 100}, kPairs);
  const auto totals = verdict.totals();
  ASSERT_EQ(totals.size(), 3U);
  EXPECT_EQ(totals[0].first, "F");
  EXPECT_EQ(totals[0].second.error, -0.05);
  EXPECT_EQ(totals[1].first, "GW");
  EXPECT_EQ(totals[1].second.error, 0.2);
  EXPECT_EQ(totals[2].first, "all");
  EXPECT_EQ(totals[2].second.model, 1960);
  EXPECT_EQ(totals[2].second.against, 2050);
  EXPECT_TRUE(verdict.holds);
}

TEST(Limits, HoldAtTheLimitAndNotBeyondOnEitherSide) {
  EXPECT_TRUE(judge({20, 20}, kPairs).holds);
  const LimitsVerdict sums = judge({4.9, 20}, kPairs);
  EXPECT_FALSE(sums.totals()[0].second.holds);
  EXPECT_FALSE(sums.totals()[1].second.holds);
  EXPECT_TRUE(sums.totals()[2].second.holds);
  EXPECT_TRUE(sums.beyond.empty());
  EXPECT_FALSE(sums.holds);
  EXPECT_FALSE(judge({20, 19.9}, kPairs).holds);
}

TEST(Limits, NameTheConvolutionsBeyondTheWorstFirst) {
  const auto errors = [](double convolution_percent) {
    std::vector<double> errors;
    for (const auto& one : judge({100, convolution_percent}, kPairs).beyond) errors.push_back(one.error);
    return errors;
  };
  EXPECT_EQ(errors(10), (std::vector<double>{0.2}));
  EXPECT_EQ(errors(9.9), (std::vector<double>{0.2, -0.1}));
}

}  // namespace
}  // namespace weft::validate

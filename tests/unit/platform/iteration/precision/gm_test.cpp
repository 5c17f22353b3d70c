#include "platform/iteration/precision/gm.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "model/core/error.h"

namespace weft::precision {
namespace {

using Places = std::vector<std::size_t>;

// Returns times at two levels, 8 bits and FP32: the gain is their difference.
std::vector<LevelTimes> of_gains(const std::vector<Picoseconds>& gains) {
  std::vector<LevelTimes> times;
  times.reserve(gains.size());
  for (const Picoseconds gain : gains) times.push_back({1000, 1000 + gain});
  return times;
}

// Gains 40, 30, 20, 10 are 100 in total.
TEST(WorthLowering, TakesTheFewestThatReachTheShare) {
  const auto times = of_gains({10, 40, 20, 30});
  EXPECT_EQ(worth_lowering(times, 100), (Places{0, 1, 2, 3}));
  EXPECT_EQ(worth_lowering(times, 90), (Places{1, 2, 3}));
  EXPECT_EQ(worth_lowering(times, 90.1), (Places{0, 1, 2, 3}));
  EXPECT_EQ(worth_lowering(times, 70), (Places{1, 3}));
  EXPECT_EQ(worth_lowering(times, 40), (Places{1}));
  EXPECT_EQ(worth_lowering(times, 0), (Places{}));
}

TEST(WorthLowering, TakesTheFirstOfTheGraphOfEqualGains) {
  EXPECT_EQ(worth_lowering(of_gains({10, 20, 10, 20, 10}), 71), (Places{0, 1, 3}));
  const auto half = worth_lowering(of_gains(std::vector<Picoseconds>(80, 7)), 50);
  ASSERT_EQ(half.size(), 40U);
  EXPECT_EQ(half.back(), 39U);
}

// A convolution that is slower in 8 bits does not reduce the sum of the others, and is never lowered.
TEST(WorthLowering, LeavesOutWhatGainsNothing) {
  EXPECT_EQ(worth_lowering(of_gains({10, 0, -50, 10}), 100), (Places{0, 3}));
}

// Two convolutions at the levels of the thesis; the first gains 10 per level, the second 1.
std::vector<LevelTimes> two() {
  return {{100, 110, 120, 130, 140}, {100, 101, 102, 103, 104}};
}

// One tick of one iteration in which the errors of every watched convolution differ by `difference`.
Places tick(Gm& policy, double difference) {
  for (std::size_t c = 0; c < 2; ++c) {
    if (policy.watches(c)) policy.observe(c, 0.25, 0.25 + difference);
  }
  return policy.tick();
}

TEST(Gm, LowersAtTheThirdPass) {
  Gm policy({}, two(), 14);
  EXPECT_EQ(policy.lower(0), 12);
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(policy.levels(), (std::vector<Level>{14, 14}));
  EXPECT_EQ(tick(policy, 0.0), (Places{0, 1}));
  EXPECT_EQ(policy.levels(), (std::vector<Level>{12, 12}));
}

// psi = 3 of the last eta = 10 ticks: passes at ticks 0, 1 and 9 are within ten, those at 0, 1 and 10 are not.
TEST(Gm, RemembersTheLastTenTicksAndNoMore) {
  for (const int third : {9, 10}) {
    Gm policy({}, two(), 14);
    for (int t = 0; t < third; ++t) EXPECT_EQ(tick(policy, t < 2 ? 0.0 : 1.0), Places{}) << t;
    EXPECT_EQ(tick(policy, 0.0).size(), third == 9 ? 2U : 0U);
  }
}

// Four iterations per tick: their mean counts, and 0.05 itself passes. Differences in quarters are exact.
TEST(Gm, ComparesTheMeanOfATickWithTheThreshold) {
  GmRules rules;
  rules.error_threshold = 0.25;
  rules.passes = 1;
  for (const bool above : {false, true}) {
    Gm policy(rules, two(), 12);
    for (const double difference : {0.0, 1.0, -0.5, above ? 0.5625 : 0.5}) policy.observe(0, 0.5, 0.5 + difference);
    EXPECT_EQ(policy.tick(), above ? Places{} : Places{0});  // the other has no observation
  }
}

TEST(Gm, ForgetsTheTicksBeforeALoweringAndTheIterationsBeforeATick) {
  Gm policy({}, two(), 14);
  for (int t = 0; t < 3; ++t) tick(policy, 0.0);
  EXPECT_EQ(policy.levels(), (std::vector<Level>{12, 12}));
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(tick(policy, 0.0), (Places{0, 1}));
  EXPECT_EQ(policy.levels(), (std::vector<Level>{8, 8}));

  GmRules rules;
  rules.passes = 1;
  Gm other(rules, two(), 12);
  EXPECT_EQ(tick(other, 1.0), Places{});
  EXPECT_EQ(tick(other, 0.0), (Places{0, 1}));  // the mean of both would not pass
}

TEST(Gm, WatchesNothingAtTheLowestLevel) {
  Gm policy({}, two(), 8);
  EXPECT_FALSE(policy.watches(0));
  EXPECT_THROW(policy.observe(0, 0, 0), std::invalid_argument);
  for (int t = 0; t < 5; ++t) EXPECT_EQ(policy.tick(), Places{});
}

// tau of the second is 1, of the first 10, and a gain of 10 suffices.
TEST(Gm, WatchesWhatGainsTheThresholdAtTheNextLevel) {
  GmRules rules;
  rules.gain_threshold = 10;
  Gm policy(rules, two(), 16);
  EXPECT_EQ(policy.gain(0), 10);
  EXPECT_TRUE(policy.watches(0));
  EXPECT_FALSE(policy.watches(1));
  rules.gain_threshold = 11;
  EXPECT_FALSE(Gm(rules, two(), 16).watches(0));
}

// tau applies to a convolution's current level: from 16 to 14 bits the gain is too small here, from 14 to 12 it is not.
TEST(Gm, AsksForTheGainAgainAfterALowering) {
  GmRules rules;
  rules.gain_threshold = 5;
  rules.passes = 1;
  Gm policy(rules, {{100, 110, 112, 120, 140}}, 16);
  policy.observe(0, 0, 0);
  EXPECT_EQ(policy.tick(), Places{0});
  EXPECT_EQ(policy.level(0), 14);
  EXPECT_FALSE(policy.watches(0));  // 14 to 12 bits gains 2
}

TEST(Gm, WatchesOnlyWhatIsWorthLowering) {
  GmRules rules;
  rules.total_percent = 80;
  const Gm policy(rules, two(), 16);
  EXPECT_EQ(policy.accelerated(), Places{0});
  EXPECT_TRUE(policy.watches(0));
  EXPECT_FALSE(policy.watches(1));
}

TEST(Gm, FollowsMuppetWithEveryConvolutionAndForgetsEverything) {
  Gm policy({}, two(), 12);
  for (int t = 0; t < 3; ++t) {
    policy.observe(0, 0, 0);
    policy.tick();
  }
  EXPECT_EQ(policy.levels(), (std::vector<Level>{8, 12}));
  policy.observe(1, 0, 0);
  policy.tick();
  policy.observe(1, 0, 0);
  policy.tick();
  policy.observe(1, 0, 0);  // for a tick that never ends
  policy.follow(14);
  EXPECT_EQ(policy.levels(), (std::vector<Level>{14, 14}));
  EXPECT_EQ(policy.tick(), Places{});
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(tick(policy, 0.0), Places{});
  EXPECT_EQ(tick(policy, 0.0), (Places{0, 1}));
}

TEST(Gm, RestsInFp32UnlessItIsToGoOn) {
  GmRules rules;
  rules.passes = 1;
  for (const bool goes_on : {false, true}) {
    rules.in_fp32 = goes_on;
    Gm policy(rules, two(), 16);
    policy.follow(kFp32);
    EXPECT_EQ(tick(policy, 0.0), goes_on ? (Places{0, 1}) : Places{});
    EXPECT_EQ(policy.level(0), goes_on ? 16 : kFp32);
  }
}

TEST(Gm, RefusesTimesLevelsAndErrorsThatDoNotGoTogether) {
  EXPECT_THROW(Gm({}, {{1, 2, 3}}, 8), std::invalid_argument);
  EXPECT_THROW(Gm({}, two(), 10), std::invalid_argument);
  Gm policy({}, two(), 16);
  EXPECT_THROW(policy.observe(0, 0, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(policy.follow(6), std::invalid_argument);
}

TEST(WorthLowering, CountsGainsUpToTheLastPicosecondAndNoFurther) {
  constexpr Picoseconds kHalf = Picoseconds{1} << 62;
  EXPECT_EQ(worth_lowering({{0, kHalf}, {0, kHalf - 1}}, 60), (Places{0, 1}));
  EXPECT_THROW(worth_lowering({{0, kHalf}, {0, kHalf}}, 60), checked::Overflow);
}

}  // namespace
}  // namespace weft::precision

#include "platform/iteration/precision/muppet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace weft::precision {
namespace {

// Ends an epoch, with diversity `d` if the policy needs one.
bool end(Muppet& policy, double d) {
  return policy.asks() ? policy.end_epoch(d) : policy.end_epoch();
}

// First epochs of all levels after the first, and the number of epochs. `d`: by epoch.
struct PrecisionSchedule {
  std::vector<int> switches;
  int epochs = 0;
};
template <class Diversity>
PrecisionSchedule precision_schedule(Diversity d, const MuppetRules& rules = {}) {
  Muppet policy(rules);
  PrecisionSchedule precision_schedule;
  while (!policy.finished()) {
    if (end(policy, d(policy))) precision_schedule.switches.push_back(policy.epoch());
  }
  precision_schedule.epochs = policy.epoch();
  return precision_schedule;
}

// |g1|^2 + |g2|^2 over |g1 + g2|^2: equal gradients 2 / 4, orthogonal ones of equal length 2 / 2; their mean.
TEST(Diversity, IsTheMeanOverTensors) {
  EXPECT_DOUBLE_EQ(diversity({{2, 4}}), 0.5);
  EXPECT_DOUBLE_EQ(diversity({{2, 4}, {2, 2}}), 0.75);
}

// r = 3: diversities at the ends of epochs 2, 5 and 8. The first is the maximum of its level, and the next two may
// violate: a level lasts at least 9 epochs, four levels 36, and 45 epochs of FP32 follow.
TEST(Muppet, SwitchesEveryNineEpochsAtTheEarliest) {
  const PrecisionSchedule earliest =
      precision_schedule([](const Muppet& policy) { return policy.epoch() % 9 == 2 ? 1.0 : 0.01; });
  EXPECT_EQ(earliest.switches, (std::vector<int>{9, 18, 27, 36}));
  EXPECT_EQ(earliest.epochs, 81);
}

TEST(Muppet, AsksForADiversityEveryThirdEpochUntilFp32) {
  Muppet policy{MuppetRules{}};
  for (const bool asks : {false, false, true, false, false, true, false}) {
    EXPECT_EQ(policy.asks(), asks) << policy.epoch();
    end(policy, 1);
  }
  while (policy.level() != kFp32) policy.end_epoch_by(true);
  for (; !policy.finished(); policy.end_epoch()) EXPECT_FALSE(policy.asks());
}

// Table 3.3 of the thesis: AlexNet leaves 8 bits at epoch 19 and ResNet-20 at 37. As first epochs of 12 bits, counted
// from 1, both are 1 modulo 3, as r = 3 requires.
TEST(Muppet, CanSwitchAtTheEpochsOfTable33AndAtNoneBesideThem) {
  for (const int epoch : {19, 37}) {
    // Violations at the last two ends with a diversity.
    Muppet policy{MuppetRules{}};
    while (policy.level() == 8) end(policy, policy.epoch() + 1 >= epoch - 4 ? 0.1 : 1.0);
    EXPECT_EQ(policy.epoch() + 1, epoch);
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0.3, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    for (const int first : precision_schedule([&](const Muppet&) { return any(random); }).switches)
      EXPECT_EQ((first + 1) % 3, 1);
  }
}

// T = 1 + 1.5 exp(-0.1 e) is 1.674 at e = 8 and 1.499 at e = 11: a ratio of 1.6 violates from e = 11 on.
TEST(Muppet, CountsAViolationFromTheEpochWhoseThresholdTheRatioExceeds) {
  Muppet policy{MuppetRules{}};
  const auto until = [&](int epoch) {
    while (policy.epoch() < epoch) EXPECT_FALSE(end(policy, policy.epoch() == 2 ? 1.6 : 1.0));
  };
  until(8);
  EXPECT_NEAR(policy.threshold(), 1.6740, 5e-5);
  until(9);
  EXPECT_EQ(policy.violations(), 0);
  until(11);
  EXPECT_NEAR(policy.threshold(), 1.4993, 5e-5);
  EXPECT_EQ(policy.violations(), 0);
  until(12);
  EXPECT_EQ(policy.violations(), 1);
  until(14);
  EXPECT_TRUE(end(policy, 1.0));
  EXPECT_EQ(policy.epoch(), 15);
  EXPECT_EQ(policy.level(), 12);
}

TEST(Muppet, CountsNoViolationAtTheThresholdItself) {
  const double at_5 = 1 + 1.5 * std::exp(-0.5);
  for (const bool above : {false, true}) {
    Muppet policy{MuppetRules{}};
    const double most = above ? std::nextafter(at_5, 3) : at_5;
    while (policy.epoch() < 6) end(policy, policy.epoch() == 2 ? most : 1.0);
    EXPECT_EQ(policy.violations(), above ? 1 : 0);
  }
}

// d of epochs 2, 5, 8, ...: 1 is the maximum, 0.1 violates, 1 equals the maximum and 2 raises it, neither violates nor
// cancels a violation; 1.3 is 1.54 times below 2, and the limit T(14) is 1.3699.
TEST(Muppet, TakesADiversityAtOrAboveTheMaximumAsTheNewMaximum) {
  Muppet policy{MuppetRules{}};
  const std::vector<double> d{1, 0.1, 1, 2, 1.3};
  const std::vector<int> violations{0, 1, 1, 1};
  for (std::size_t i = 0; i < violations.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_FALSE(end(policy, d[i]));
    EXPECT_EQ(policy.violations(), violations[i]) << i;
  }
  end(policy, 0);
  end(policy, 0);
  EXPECT_TRUE(end(policy, d[4]));
}

// After a switch the first diversity becomes the maximum, however small it is.
TEST(Muppet, ForgetsMaximumAndViolationsAtASwitch) {
  Muppet policy{MuppetRules{}};
  while (policy.level() == 8) end(policy, policy.epoch() == 2 ? 1.0 : 0.01);
  EXPECT_EQ(policy.epoch(), 9);
  for (int k = 0; k < 3; ++k) end(policy, 0.01);
  EXPECT_EQ(policy.violations(), 0);
  for (int k = 0; k < 3; ++k) end(policy, 0.001);
  EXPECT_EQ(policy.violations(), 1);
  EXPECT_EQ(policy.level(), 12);
}

TEST(Muppet, TrainsFortyFiveEpochsInFp32AndLowersTheRateEveryFifteen) {
  Muppet policy{MuppetRules{}};
  while (policy.level() != kFp32) {
    EXPECT_EQ(policy.rate(), 1);
    policy.end_epoch_by(true);
  }
  for (int k = 0; k < 45; ++k) {
    EXPECT_FALSE(policy.finished()) << k;
    EXPECT_DOUBLE_EQ(policy.rate(), k < 15 ? 1 : k < 30 ? 0.1 : 0.01) << k;
    policy.end_epoch();
  }
  EXPECT_TRUE(policy.finished());
}

TEST(Muppet, FollowsOtherConstants) {
  MuppetRules rules;
  rules.levels = {6, 10, kFp32};
  rules.resolution = 2;
  rules.patience = 1;
  rules.fp32_epochs = 3;
  // Ends of epochs 1 (the maximum) and 3 (a violation): 4 epochs per level.
  const PrecisionSchedule of =
      precision_schedule([](const Muppet& policy) { return policy.epoch() % 4 == 1 ? 1.0 : 0.01; }, rules);
  EXPECT_EQ(of.switches, (std::vector<int>{4, 8}));
  EXPECT_EQ(of.epochs, 11);
}

TEST(Muppet, RefusesWhatIsNoDiversity) {
  Muppet policy{MuppetRules{}};
  EXPECT_THROW(policy.end_epoch(1.0), std::invalid_argument);
  policy.end_epoch();
  policy.end_epoch();
  EXPECT_THROW(policy.end_epoch(), std::invalid_argument);
  for (const double d :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(policy.end_epoch(d), std::invalid_argument);
  }
  EXPECT_EQ(policy.epoch(), 2);
  MuppetRules rules;
  rules.levels = {8, 16};
  EXPECT_THROW(Muppet{rules}, std::invalid_argument);
  rules.levels = {12, 8, kFp32};
  EXPECT_THROW(Muppet{rules}, std::invalid_argument);
}

TEST(Muppet, IsACopyThatGoesItsOwnWay) {
  Muppet policy{MuppetRules{}};
  while (policy.epoch() < 8) end(policy, policy.epoch() == 2 ? 1.0 : 0.1);
  Muppet copy = policy;
  EXPECT_TRUE(end(copy, 0.1));
  EXPECT_FALSE(end(policy, 1.0));
  EXPECT_EQ(copy.level(), 12);
  EXPECT_EQ(policy.level(), 8);
}

}  // namespace
}  // namespace weft::precision

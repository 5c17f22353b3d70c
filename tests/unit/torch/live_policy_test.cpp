#include "torch/live_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/core/error.h"
#include "tests/support/files.h"

namespace weft::nn {
namespace {

using precision::kFp32;
using precision::Level;

const conv::Layer kLayer{"conv1", 1, 1, 1, 1, {}, {4, 1, 1, 0, 0, 1}};

Computed computed_of(conv::Kind kind, const std::vector<std::int32_t>& sums, int scale) {
  return {kLayer, kind, NumberFormat::fixed(12), nullptr, sums.size(), nullptr, nullptr, &sums, scale, {7, 1, 2}};
}

// Sums that fit 8 bits unscaled have no error, nor has FP32. With 127 * 2^8 as the largest, words are whole multiples
// of 2^8: of 127 * 2^8, 0 and 2^7 only the last is rounded, up or down, by 2^7 either way.
TEST(RelativeError, IsThatOfEq63) {
  const std::vector<std::int32_t> exact{127, -128, 3, 0}, rounded{127 << 8, 0, 1 << 7, 0}, zeros(4);
  EXPECT_EQ(relative_error(computed_of(conv::Kind::F, exact, 5), 8, 0), 0);
  EXPECT_EQ(relative_error(computed_of(conv::Kind::F, rounded, 5), kFp32, 0), 0);
  EXPECT_EQ(relative_error(computed_of(conv::Kind::F, zeros, 5), 8, 0), 0);
  const double wanted = 128 / std::sqrt(std::pow(127 * 256, 2) + 128.0 * 128);
  EXPECT_NEAR(relative_error(computed_of(conv::Kind::F, rounded, 5), 8, 0), wanted, 1e-15);
  // Equal values in FP32.
  const std::vector<float> values{127 * 256.0F / 32, 0, 4, 0};
  const Computed fp32{kLayer, conv::Kind::F, NumberFormat::fp32(), values.data(), 4, nullptr, nullptr, nullptr,
                      0,      {7, 1, 2}};
  EXPECT_NEAR(relative_error(fp32, 8, 0), wanted, 1e-15);
}

// A training with invented gradients and errors, run live and then replayed from the files that it wrote.
class Live : public testing::Test {
 protected:
  static precision::Replay rules() {
    precision::Replay rules;
    rules.muppet.levels = {12, kFp32};
    rules.muppet.resolution = 2;
    rules.muppet.alpha = rules.muppet.beta = 0;  // any diversity below the largest is a violation
    rules.muppet.fp32_epochs = 2;
    rules.gm.levels = {8, 10, 12, kFp32};
    rules.gm.ticks_per_epoch = 2;
    rules.gm.passes = 2;
    rules.gm.history = 3;
    rules.gm.error_threshold = 0.003;
    return rules;
  }
  static std::vector<std::string> names() { return {"conv1:F", "conv1:GI", "conv1:GW"}; }
  // Every convolution is faster at every lower level.
  static std::vector<precision::LevelTimes> times() { return {3, {10, 20, 30, 40}}; }

  precision::PrecisionSchedule train(LivePolicy& policy, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> value;
    while (!policy.finished()) {
      do {
        for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
          std::vector<std::int32_t> sums(50);
          for (std::int32_t& sum : sums) sum = static_cast<std::int32_t>(value(random) * 1e6F);
          policy.observe(computed_of(kind, sums, 10), 0);
        }
      } while (!policy.end_iteration());
      std::vector<float> gradient(20);
      for (float& each : gradient) each = value(random);
      policy.end_epoch({{gradient.data(), gradient.size()}, {gradient.data(), 5}});
    }
    return policy.policies().precision_schedule();
  }
  precision::PrecisionSchedule replayed(const LivePolicy& policy, bool gm) {
    precision::Replay replay = rules();
    dir_.write("d.csv", policy.diversities());
    replay.diversities = precision::read_diversities(dir_.path() / "d.csv", replay.muppet.resolution);
    if (gm) {
      dir_.write("e.csv", policy.errors());
      replay.errors = precision::read_errors(dir_.path() / "e.csv", names(), replay.gm.levels, 2);
    }
    return precision::replay(replay, kIterations, names(), times());
  }
  static void expect_same(const precision::PrecisionSchedule& live, const precision::PrecisionSchedule& replay) {
    ASSERT_EQ(live.epochs.size(), replay.epochs.size());
    EXPECT_EQ(replay.unused_lines, 0U);
    for (std::size_t i = 0; i < live.epochs.size(); ++i) {
      const precision::Epoch &a = live.epochs[i], &b = replay.epochs[i];
      EXPECT_EQ(a.level, b.level);
      EXPECT_EQ(a.diversity, b.diversity);
      EXPECT_EQ(a.violations, b.violations);
      ASSERT_EQ(a.stretches.size(), b.stretches.size());
      for (std::size_t k = 0; k < a.stretches.size(); ++k) {
        EXPECT_EQ(a.stretches[k].levels, b.stretches[k].levels) << "epoch " << i;
        EXPECT_EQ(a.stretches[k].iterations, b.stretches[k].iterations);
      }
    }
  }

  static constexpr std::int64_t kIterations = 5;
  test::TemporaryDirectory dir_;
};

TEST_F(Live, ATrainingUnderMuppetIsReplayedFromItsDiversities) {
  LivePolicy policy(rules(), false, kIterations, names(), {});
  EXPECT_EQ(policy.format("conv1:GW"), NumberFormat::fixed(12));
  const precision::PrecisionSchedule precision_schedule = train(policy, 1);
  EXPECT_EQ(precision_schedule.epochs.back().level, kFp32);
  EXPECT_EQ(policy.format("conv1:GW"), NumberFormat::fp32());
  expect_same(precision_schedule, replayed(policy, false));
}

// Some of 20 trainings lower one or two levels, each at its own epoch.
TEST_F(Live, ATrainingUnderGmIsReplayedFromItsErrorsToTheLastTick) {
  int lowered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    LivePolicy policy(rules(), true, kIterations, names(), times());
    const precision::PrecisionSchedule precision_schedule = train(policy, seed);
    expect_same(precision_schedule, replayed(policy, true));
    for (const precision::Epoch& epoch : precision_schedule.epochs) {
      for (const precision::Stretch& stretch : epoch.stretches) {
        for (const Level level : stretch.levels) lowered += level < epoch.level;
      }
    }
  }
  EXPECT_GT(lowered, 20);
}

// Hand calculation of S / |G|^2, epochs 0 and 1 of one tensor: g = (3, 4) and (3, -4): S = 50, G = (6, 0), 50/36. Equal
// gradients give 1/2: a second tensor (1), (1): S = 2, |G|^2 = 4. Then their mean. Zero gradients are not counted.
TEST_F(Live, TheDiversityIsTheMeanOverTheTensors) {
  LivePolicy policy(rules(), false, 1, names(), {});
  const std::vector<float> first{3, 4}, second{3, -4}, one{1}, zero{0};
  EXPECT_TRUE(policy.end_iteration());
  policy.end_epoch({{first.data(), 2}, {one.data(), 1}, {zero.data(), 1}});
  EXPECT_TRUE(policy.end_iteration());
  policy.end_epoch({{second.data(), 2}, {one.data(), 1}, {zero.data(), 1}});
  EXPECT_DOUBLE_EQ(*policy.policies().precision_schedule().epochs[1].diversity, (50.0 / 36 + 0.5) / 2);
}

TEST_F(Live, SaysWhatItCannotGoOnWithout) {
  LivePolicy gm(rules(), true, 1, names(), times());
  EXPECT_THROW(gm.end_iteration(), Error);  // no error was computed
  EXPECT_THROW(gm.format("conv2:F"), Error);
  LivePolicy muppet(rules(), false, 1, names(), {});
  const std::vector<float> zero{0};
  muppet.end_iteration();
  muppet.end_epoch({{zero.data(), 1}});
  muppet.end_iteration();
  EXPECT_THROW(muppet.end_epoch({{zero.data(), 1}}), Error);
}

}  // namespace
}  // namespace weft::nn

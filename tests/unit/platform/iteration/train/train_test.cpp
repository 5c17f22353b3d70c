#include "platform/iteration/train/train.h"

#include <gtest/gtest.h>

#include <limits>

namespace weft::train {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Returns one setup with `counted` per iteration, and one epoch for each number of `iterations`.
Training training_of(Picoseconds counted, const std::vector<std::int64_t>& iterations) {
  Training training;
  Setup setup;
  setup.counted = counted;
  training.setups = {setup};
  for (const std::int64_t each : iterations) training.epochs.push_back({{each, 0, false}});
  return training;
}

// 2^63 - 1 ps are 2562.05 hours: an iteration of an hour is 3.6 * 10^15 ps.
TEST(Training, TakesAnyHours) {
  constexpr Picoseconds kHour = 3'600'000'000'000'000;
  const Training training = training_of(kHour, {2562, 1, 97'437});
  EXPECT_EQ(seconds(training.time(std::size_t{0})) / 3600, 2562);
  EXPECT_EQ(seconds(training.time(std::size_t{2})) / 3600, 97'437);
  EXPECT_EQ(seconds(training.time()) / 3600, 100'000);
  EXPECT_TRUE(training.time() == static_cast<LongTime>(kHour) * 100'000);
}

TEST(Training, TakesTheTimeOfAsManyIterationsAsCanBeCounted) {
  const Training training = training_of(kMost, {kMost - 1, 1});
  EXPECT_TRUE(training.time() == static_cast<LongTime>(kMost) * kMost);
}

TEST(Training, CountsLoadsUpToTheLastAndNoFurther) {
  Training training = training_of(1, {std::int64_t{1} << 61, (std::int64_t{1} << 61) - 1});
  training.setups[0].iteration = IterationTime{};
  training.setups[0].iteration->loads = 2;
  EXPECT_EQ(training.loads(), kMost - 1);
  training.epochs[1][0].iterations += 1;
  EXPECT_THROW(training.loads(), checked::Overflow);
  training.epochs.pop_back();
  training.setups[0].iteration->loads = 4;
  EXPECT_THROW(training.loads(), checked::Overflow);
}

TEST(Fp32Alone, CountsIterationsUpToTheLastAndNoFurther) {
  TrainConfig config;
  config.runs.emplace_back();
  config.runs[0].run.batch = 1;
  config.runs[0].run.dataset_images = std::int64_t{1} << 61;
  config.fp32_alone_epochs = 3;
  const Training training = training_of(1, {});
  EXPECT_TRUE(fp32_alone(config, training) == static_cast<LongTime>(3) << 61);
  config.fp32_alone_epochs = 4;
  EXPECT_THROW(fp32_alone(config, training), checked::Overflow);
}

}  // namespace
}  // namespace weft::train

#include "platform/validate/comparison.h"

#include <gtest/gtest.h>

#include "platform/config/run_config.h"
#include "platform/run/simulate.h"

namespace weft::validate {
namespace {

using fpgpt::Block;

const config::Library kLibrary{WEFT_CONFIG_DIR};
const cosim::Workshop kNoRtl{};

Activities spent(Cycles active, Cycles blocked, Cycles starved, Cycles idle) {
  return {{active, blocked, starved, idle}};
}

fpgpt::BlockActivities all(const Activities& one) {
  fpgpt::BlockActivities activities;
  activities.fill(one);
  return activities;
}

Activities& at(fpgpt::BlockActivities& activities, Block block) {
  return activities[static_cast<std::size_t>(block)];
}

// One convolution on two kernels, small enough for every rung.
ValidateConfig small(Rung model, Rung against) {
  ValidateConfig config;
  config.model = model;
  config.against = against;
  config.kernels.push_back({"a", config::load_run("conv-small", {}, kLibrary)});
  config.kernels.push_back(
      {"b", config::load_run("conv-small", {config::parse_override("kernel.array.x=3")}, kLibrary)});
  return config;
}

workloads::Network network_of(const ValidateConfig& config) {
  workloads::Network network;
  network.layers = config::inline_layers(config.kernels.front().run);
  return network;
}

TEST(Comparison, IsOfTheCyclesThatRunsGive) {
  const ValidateConfig config = small(Rung::Analytical, Rung::SystemC);
  const workloads::Network network = network_of(config);
  const std::vector<Pair> pairs = compare(config, network, kNoRtl, {});
  ASSERT_EQ(pairs.size(), 2U);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    config::RunConfig run = config.kernels[i].run;
    run.rung = config::Rung::SystemC;
    const run::Row row = run::simulate(run, network, {}).rows.front();
    EXPECT_EQ(pairs[i].kernel, config.kernels[i].label);
    EXPECT_EQ(pairs[i].model.cycles, row.gamma.total);
    EXPECT_EQ(pairs[i].against.cycles, row.cycles);
    EXPECT_EQ(pairs[i].error(), row.analytical_error());
    EXPECT_NE(pairs[i].error(), 0);
  }
  EXPECT_NE(pairs[0].against.cycles, pairs[1].against.cycles);
}

TEST(Comparison, CauseAddsUpToTheDifferenceEitherWayRound) {
  const ValidateConfig config = small(Rung::Analytical, Rung::Exact);
  for (const Pair& pair : compare(config, network_of(config), kNoRtl, {})) {
    const Cause c = cause(pair.model, pair.against);
    EXPECT_EQ(c.work + c.blocked + c.starved + c.idle, pair.against.cycles - pair.model.cycles);
    EXPECT_EQ(c.block, pair.model.limiter);
    const Cause back = cause(pair.against, pair.model);
    EXPECT_EQ(back.work + back.blocked + back.starved + back.idle, pair.model.cycles - pair.against.cycles);
  }
}

TEST(Comparison, ExactAndSystemCDifferInNoBlock) {
  const ValidateConfig config = small(Rung::Exact, Rung::SystemC);
  for (const Pair& pair : compare(config, network_of(config), kNoRtl, {})) {
    EXPECT_EQ(pair.error(), 0);
    EXPECT_EQ(reason(pair), "no block differs");
  }
}

// The reader stands because im2col does, and that because the array has no row: the KERN feeder is at work.
TEST(Culprit, OfABlockedReaderIsTheFeederThatTheArrayWaitsFor) {
  fpgpt::BlockActivities activities = all(spent(1000, 0, 0, 0));
  for (const Block block : {Block::InpReader, Block::InpDecode, Block::InpConstruct, Block::InpIm2col}) {
    at(activities, block) = spent(600, 400, 0, 0);
  }
  at(activities, Block::Array) = spent(500, 0, 500, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::KernFeeder);
  // And if that is starved in turn, what starves it.
  at(activities, Block::KernFeeder) = spent(500, 0, 500, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::KernDecode);
}

TEST(Culprit, OfABlockedReaderIsTheFirstBlockThatIsNotBlocked) {
  fpgpt::BlockActivities activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::InpDecode) = spent(600, 400, 0, 0);
  at(activities, Block::InpConstruct) = spent(801, 199, 0, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::InpConstruct);
}

TEST(Culprit, OfAStarvedArrayIsUpTheSideThatDoesNotWaitForIt) {
  fpgpt::BlockActivities activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::KernFeeder) = spent(200, 800, 0, 0);
  at(activities, Block::InpIm2col) = spent(200, 0, 800, 0);
  EXPECT_EQ(culprit(Block::Array, Activity::Starved, 800, activities), Block::InpConstruct);
  EXPECT_EQ(culprit(Block::KernReader, Activity::Starved, 800, activities), Block::KernReader);
}

TEST(Culprit, OfAFeederIdleAtTheEndIsTheBlockThatStillWorks) {
  fpgpt::BlockActivities activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::Array) = spent(900, 0, 0, 100);
  EXPECT_EQ(culprit(Block::KernFeeder, Activity::Idle, 100, activities), Block::OutConstructor);
}

}  // namespace
}  // namespace weft::validate

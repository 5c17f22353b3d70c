#include "platform/studies/validate/comparison.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "model/fpgpt/topology.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/record/json.h"
#include "platform/run/simulate.h"
#include "platform/studies/validate/result.h"
#include "tests/support/work_case.h"

namespace weft::validate {
namespace {

using fpgpt::Block;

const cosim::BuildContext kNoRtl{};

Activities spent(Cycles active, Cycles blocked, Cycles starved, Cycles idle) {
  return {{active, blocked, starved, idle}};
}

std::vector<Activities> all(const Activities& one) {
  return std::vector<Activities>(fpgpt::kBlocks, one);
}

Activities& at(std::vector<Activities>& activities, Block block) {
  return activities[static_cast<std::size_t>(block)];
}

Block culprit(Block block, Activity activity, Cycles amount, const std::vector<Activities>& activities) {
  return static_cast<Block>(
      validate::culprit(fpgpt::topology(), static_cast<std::size_t>(block), activity, amount, activities));
}

// Returns one convolution on two kernels, small enough for every rung.
ValidateConfig small(Rung model, Rung against) {
  ValidateConfig config;
  config.model = model;
  config.against = against;
  config.kernels.push_back({"a", test::run_of("conv-small")});
  config.kernels.push_back({"b", test::run_of("conv-small", {"kernel.array.x=3"})});
  return config;
}

const config::Library kLibrary = config::project_library();

TEST(Comparison, ComesBackFromItsJson) {
  ValidateConfig config = small(Rung::Analytical, Rung::Exact);
  config.limits = Limits{1, 1};
  config.published[0] = PublishedFigures{1, 2, 3, 4};
  ValidateResult result = result_of(config, compare(config, kLibrary, kNoRtl, {}));
  Deviation deviation{"a", "x", conv::Kind::GW, {}, 0.5, 1, 2, {3, 4}, {5, 6}, "change", "keys"};
  result.baseline = {"b.json", {deviation}};
  EXPECT_EQ(result.convolutions[0].model.blocks[0].second.index(), 0U);
  EXPECT_EQ(result.convolutions[0].against.blocks[0].second.index(), 1U);
  std::string json = record::json_text(result);
  EXPECT_EQ(record::json_text(record::from_json<ValidateResult>("r.json", json)), json);
  const std::size_t bin = json.find("[\n", json.find("\"bins\"") + sizeof("\"bins\": ["));
  json.erase(bin + 1, json.find(',', bin) - bin);  // the bin has no number for GW
  EXPECT_THROW(record::from_json<ValidateResult>("r.json", json), InputError);
}

TEST(Comparison, IsOfTheCyclesThatRunsGive) {
  const ValidateConfig config = small(Rung::Analytical, Rung::SystemC);
  const std::vector<Pair> pairs = compare(config, kLibrary, kNoRtl, {});
  ASSERT_EQ(pairs.size(), 2U);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    config::RunConfig run = config.kernels[i].run;
    run.rung = config::Rung::SystemC;
    const run::Row row = run::simulate(run, training::load_network(run, kLibrary), {}).rows.front();
    EXPECT_EQ(pairs[i].kernel, config.kernels[i].label);
    EXPECT_EQ(pairs[i].model.cycles, row.equations.cycles);
    EXPECT_EQ(pairs[i].against.cycles, row.cycles);
    EXPECT_EQ(pairs[i].error(), row.analytical_error());
    EXPECT_NE(pairs[i].error(), 0);
  }
  EXPECT_NE(pairs[0].against.cycles, pairs[1].against.cycles);
}

TEST(Comparison, CauseAddsUpToTheDifferenceEitherWayRound) {
  const ValidateConfig config = small(Rung::Analytical, Rung::Exact);
  for (const Pair& pair : compare(config, kLibrary, kNoRtl, {})) {
    const Cause c = cause(pair.model, pair.against);
    EXPECT_EQ(c.work + c.blocked + c.starved + c.idle, pair.against.cycles - pair.model.cycles);
    EXPECT_EQ(c.block, pair.model.limiter);
    const Cause back = cause(pair.against, pair.model);
    EXPECT_EQ(back.work + back.blocked + back.starved + back.idle, pair.model.cycles - pair.against.cycles);
  }
}

TEST(Comparison, ExactAndSystemCDifferInNoBlock) {
  const ValidateConfig config = small(Rung::Exact, Rung::SystemC);
  for (const Pair& pair : compare(config, kLibrary, kNoRtl, {})) {
    EXPECT_EQ(pair.error(), 0);
    EXPECT_EQ(reason(pair), "no block differs");
  }
}

// Returns layers of which a and c are equal and b has one more channel. Rows are a, b, c of F, GI and GW on both
// kernels.
ValidateConfig with_equal_layers(Rung rung, const std::string& only) {
  ValidateConfig config;
  config.model = Rung::Analytical;
  config.against = rung;
  const std::string layer = "channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}";
  const std::string layers = "network={layers: [{name: a, " + layer + ", {name: b, channels: 4" + layer.substr(11) +
                             ", {name: c, " + layer + "]}";
  for (const char* x : {"4", "3"}) {
    config.kernels.push_back({x, test::run_of("conv-small", {layers, "gi_first=true", "only='" + only + "'",
                                                             std::string("kernel.array.x=") + x})});
  }
  return config;
}

// The position of b between them and a run of them on another kernel must not matter; nor may b be taken for either.
TEST(Comparison, SimulatesEqualConvolutionsOfAKernelOnce) {
  for (const Rung rung : {Rung::Exact, Rung::SystemC}) {
    const ValidateConfig config = with_equal_layers(rung, "*");
    const std::vector<Pair> pairs = compare(config, kLibrary, kNoRtl, {});
    ASSERT_EQ(pairs.size(), 18U);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      EXPECT_EQ(pair.against.repeats, pair.layer.name == "c") << i;
      EXPECT_FALSE(pair.model.repeats);
      // Simulated alone it has equal results.
      const ValidateConfig alone = with_equal_layers(rung, pair.layer.name + ":" + conv::to_string(pair.kind));
      const std::vector<Pair> two_kernels = compare(alone, kLibrary, kNoRtl, {});
      ASSERT_EQ(two_kernels.size(), 2U);
      const Pair& one = two_kernels[i / 9];
      EXPECT_FALSE(one.against.repeats);
      EXPECT_EQ(one.against.cycles, pair.against.cycles);
      for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
        EXPECT_EQ(one.against.activities[block].cycles, pair.against.activities[block].cycles);
      }
    }
  }
}

// The reader is blocked by im2col, which is blocked by the array, which misses a row: the KERN feeder is at work.
TEST(Culprit, OfABlockedReaderIsTheFeederThatTheArrayWaitsFor) {
  std::vector<Activities> activities = all(spent(1000, 0, 0, 0));
  for (const Block block : {Block::InpReader, Block::InpDecode, Block::InpConstruct, Block::InpIm2col}) {
    at(activities, block) = spent(600, 400, 0, 0);
  }
  at(activities, Block::Array) = spent(500, 0, 500, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::KernFeeder);
  // If the feeder is starved in turn, the culprit is the block that starves it.
  at(activities, Block::KernFeeder) = spent(500, 0, 500, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::KernDecode);
}

TEST(Culprit, OfABlockedReaderIsTheFirstBlockThatIsNotBlocked) {
  std::vector<Activities> activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::InpDecode) = spent(600, 400, 0, 0);
  at(activities, Block::InpConstruct) = spent(801, 199, 0, 0);
  EXPECT_EQ(culprit(Block::InpReader, Activity::Blocked, 400, activities), Block::InpConstruct);
}

TEST(Culprit, OfAStarvedArrayIsUpTheSideThatDoesNotWaitForIt) {
  std::vector<Activities> activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::KernFeeder) = spent(200, 800, 0, 0);
  at(activities, Block::InpIm2col) = spent(200, 0, 800, 0);
  EXPECT_EQ(culprit(Block::Array, Activity::Starved, 800, activities), Block::InpConstruct);
  EXPECT_EQ(culprit(Block::KernReader, Activity::Starved, 800, activities), Block::KernReader);
}

TEST(Culprit, OfAFeederIdleAtTheEndIsTheBlockThatStillWorks) {
  std::vector<Activities> activities = all(spent(1000, 0, 0, 0));
  at(activities, Block::Array) = spent(900, 0, 0, 100);
  EXPECT_EQ(culprit(Block::KernFeeder, Activity::Idle, 100, activities), Block::OutConstructor);
}

}  // namespace
}  // namespace weft::validate

#include "platform/studies/cluster/nada_plan.h"

#include <gtest/gtest.h>

#include "tests/support/texts.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {
namespace {

const config::Library kLibrary{WEFT_CONFIG_DIR};

NadaConfig load(const std::vector<std::string>& sets) {
  std::vector<config::Override> overrides;
  overrides.reserve(sets.size());
  for (const std::string& set : sets) overrides.push_back(config::parse_override(set));
  return read_nada(cluster_file("nada-mobilenetv2", overrides, kLibrary), kLibrary);
}

workloads::ImportedGraph network(const std::string& name) {
  return workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
}

NadaPlan planned(const std::vector<std::string>& sets) {
  const NadaConfig config = load(sets);
  return plan_nada(config, network(config.network));
}

// The four boards contain features.0.0 to classifier.1. At 40 MHz 112 x 112 pixels of eight cycles each are 398.6
// images per second, at 60 MHz 597.9 (reference: an independent planner found 398 and 597 with the same assumptions).
TEST(NadaPlan, OfMobileNetIsThatOfAnIndependentPlannerWhereItsSidesAreTheSame) {
  const NadaPlan plan = planned({"nada.clock_mhz=40"});
  EXPECT_EQ(plan.plan.period, 112 * 112 * 8);
  EXPECT_EQ(planned({"nada.clock_mhz=60"}).plan.period, 112 * 112 * 8);
  EXPECT_GE(plan.images_per_second(plan.plan.pooled_period), plan.images_per_second(plan.plan.period));
}

TEST(NadaPlan, RunsAsAPipelineAtTheRateThatIsPlanned) {
  const NadaPlan plan = planned({});
  EXPECT_EQ(plan.simulated.period, plan.plan.period);
  EXPECT_GT(plan.images_per_second(plan.plan.period), 500);  // there is a plan with NADA's rate
  EXPECT_EQ(plan.update, 1280 * 1000);
}

// Returns the blocks of FIFOs per board: on the reader's board, in 512 words each; stores from F to GW are in DRAM.
std::vector<std::int64_t> fifo_blocks_of(const NadaPlan& plan) {
  std::vector<Words> words(plan.plan.boards.size(), 0);
  const pipeline::Training& training = plan.training;
  for (std::size_t id = 0; id < training.pipeline.fifos.size(); ++id) {
    const pipeline::Fifo& fifo = training.pipeline.fifos[id];
    if (fifo.name.find(" store") != std::string::npos) continue;
    const std::string& reader = training.pipeline.blocks[fifo.to].name;
    std::size_t board = plan.plan.boards.size() - 1;  // the loss
    const auto numbered = [&](const std::string& before) {
      const std::size_t at = reader.rfind(before);
      if (at == std::string::npos) return false;
      board = std::stoul(reader.substr(at + before.size())) - 1;
      return true;
    };
    for (std::size_t i = 0; i < plan.problem.entities.size(); ++i) {
      const std::string& name = plan.problem.entities[i].name;
      if (reader == name || reader.rfind(name + " ", 0) == 0) board = plan.plan.board_of[i];
    }
    if (reader == "source" || reader == "input fork") board = 0;
    if (reader.find(" packetiser") != std::string::npos) {
      board = training.board[fifo.from];  // the sender's
    } else if (!numbered("to board ") && !numbered(" on board ") && !numbered("DRAM ")) {
      numbered("wire ");
    }
    words[board] += fifo.depth * training.token_words[id];
  }
  std::vector<std::int64_t> blocks;
  blocks.reserve(words.size());
  for (const Words each : words) blocks.push_back((each + 511) / 512);
  return blocks;
}

TEST(NadaPlan, HasRoomForItsFifosOnEveryBoard) {
  const std::int64_t whole = load({}).usable(0).limit.m20k;
  const auto lacks = [&](const NadaPlan& plan) {
    EXPECT_EQ(plan.fifo_blocks, fifo_blocks_of(plan));
    int boards = 0;
    for (std::size_t i = 0; i < plan.fifo_blocks.size(); ++i) {
      boards += plan.plan.boards[i].use.m20k + plan.fifo_blocks[i] > whole ? 1 : 0;
    }
    return boards;
  };
  const NadaPlan beside = planned({"nada.clock_mhz=100", "nada.fifos=beside"});
  EXPECT_EQ(lacks(beside), 1);
  const NadaPlan within = planned({"nada.clock_mhz=100"});
  EXPECT_EQ(lacks(within), 0);
  EXPECT_EQ(within.period_beside, beside.plan.period);
  EXPECT_GT(within.plan.period, beside.plan.period);
  // Streams that wait in turn for the DRAM of the first board use it less than wholly.
  EXPECT_GE(within.simulated.period, within.plan.period);
  EXPECT_LT(within.simulated.period, within.plan.period * Rational(103, 100));
}

// A planner that is stopped at its first query still returns a plan, and nothing is planned again.
TEST(NadaPlan, EndsWhenItIsStopped) {
  const NadaConfig config = load({"nada.placement=any"});
  int asked = 0;
  const NadaPlan plan = plan_nada(config, network(config.network), [&](std::int64_t, std::int64_t, Cycles) {
    ++asked;
    return false;
  });
  EXPECT_GT(plan.plan.period, 0);
  EXPECT_EQ(plan.plan.chosen.size(), plan.problem.entities.size());
  EXPECT_LE(asked, 3);
}

TEST(NadaPlan, CountsTheParametersAndActivationsOfMobileNet) {
  const nada::Problem problem = nada_problem(load({}), network("mobilenet_v2"));
  Words weights = 0, stored = 0;
  int convolutions = 0;
  for (const nada::Entity& entity : problem.entities) {
    if (entity.passes == 0) continue;
    ++convolutions;
    weights += entity.weights();
    stored += entity.stored;
  }
  EXPECT_EQ(convolutions, 53);
  EXPECT_EQ(weights, 3'469'760);  // torchvision's 3,504,872 without biases and normalisation
  EXPECT_EQ(problem.entities[0].passes, 2);
  EXPECT_EQ(problem.entities[1].channels, 1);  // depthwise
  EXPECT_EQ(problem.entities[1].filters, 32);
  Words largest = 0;
  for (std::size_t cut = 1; cut < problem.entities.size(); ++cut) {
    largest = std::max(largest, nada::cut_words(problem, cut));
  }
  EXPECT_EQ(largest, 112 * 112 * 96);                                     // 19.3 Gb/s at 500 images per second
  EXPECT_NEAR(static_cast<double>(stored) * 2 * 4 * 500 / 1e9, 27, 0.5);  // GB/s of DRAM at that rate
}

// .664 = B / (B - 1 + 6.7): 11.3 images; with an update as long as 3.2 images 17.6.
TEST(NadaPlan, ImpliesABatchByWhatItFillsAndDrains) {
  EXPECT_NEAR(implied_batch(.664, 1, 6.7, 0), .664 * 5.7 / .336, 1e-12);
  EXPECT_NEAR(implied_batch(.664, 400'000, 6.7 * 400'000, 1'280'000), .664 * (5.7 + 3.2) / .336, 1e-9);
}

// Latency L and update U of batches of B, period P: efficiency B P / ((B - 1) P + L + U).
TEST(NadaTimeline, IsABatchThatFillsAndDrainsThePlannedPipeline) {
  const NadaConfig config = load({"batch=64"});
  const NadaTimeline timeline = nada_timeline(config, network(config.network));
  const pipeline::BatchTimes& batch = timeline.batch;
  const Cycles period = timeline.plan.plan.period;
  EXPECT_EQ(batch.period, period);
  EXPECT_EQ(batch.fill, timeline.plan.simulated.latency);
  EXPECT_EQ(batch.last, timeline.plan.simulated.latency + 63 * period);
  EXPECT_EQ(batch.update, 1280 * 1000);  // the classifier's weights, one per cycle
  const double efficiency = 64. * static_cast<double>(period) / static_cast<double>(batch.total());
  EXPECT_DOUBLE_EQ(batch.efficiency(), efficiency);
  const BatchResult& result = timeline.result;
  EXPECT_DOUBLE_EQ(result.images_per_second, efficiency * 200e6 / static_cast<double>(period));
  EXPECT_NEAR(result.epoch_hours, 1'281'167 / result.images_per_second / 3600, 1e-9);
  ASSERT_EQ(result.efficiencies.size(), 11U);
  EXPECT_EQ(result.efficiencies[6].batch, 64);
  EXPECT_DOUBLE_EQ(result.efficiencies[6].efficiency, efficiency);
}

TEST(NadaTimeline, HasTheStoresAndLinksOfThePlan) {
  const NadaConfig config = load({});
  const NadaTimeline timeline = nada_timeline(config, network(config.network));
  EXPECT_EQ(timeline.result.stores.size(), 53U);
  Words words = 0;
  for (const StoreUse& each : timeline.result.stores) {
    words += each.words;
    EXPECT_GT(each.images, 0) << each.store;
    EXPECT_LT(each.images, 8) << each.store;  // at most the images in flight
  }
  EXPECT_LE(words, timeline.plan.simulated.store_words);
  const std::vector<LinkUse>& links = timeline.result.links;
  ASSERT_EQ(links.size(), 3U);
  for (const LinkUse& each : links) EXPECT_LE(each.part, 1);
  EXPECT_NEAR(
      links[0].gbits_per_s,
      static_cast<double>(timeline.plan.plan.link_words[0]) * 32 * 0.2 / static_cast<double>(timeline.plan.plan.period),
      1e-9);
}

TEST(NadaPlan, MobileNetDoesNotFitOneBoard) {
  EXPECT_TRUE(test::has(test::message_of([&] { planned({"boards=1"}); }), "120 more than the 5688 that may be used"));
}

}  // namespace
}  // namespace weft::cluster

#include "platform/cluster/nada_plan.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "workloads/catalogue.h"

namespace weft::cluster {
namespace {

const config::Library kLibrary{WEFT_CONFIG_DIR};

NadaConfig load(const std::vector<std::string>& sets) {
  std::vector<config::Override> overrides;
  overrides.reserve(sets.size());
  for (const std::string& set : sets) overrides.push_back(config::parse_override(set));
  return load_nada("nada-mobilenetv2", overrides, kLibrary);
}

workloads::ImportedGraph network(const std::string& name) {
  return workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
}

NadaPlan planned(const std::vector<std::string>& sets) {
  const NadaConfig config = load(sets);
  return plan_nada(config, network(config.network));
}

// The four boards hold features.0.0 to classifier.1. At 40 MHz 112 x 112 pixels in eight cycles each are 398.6 images a
// second, at 60 MHz 597.9 (reference: a planner of its own found 398 and 597 with the same assumptions).
TEST(NadaPlan, OfMobileNetIsThatOfAnIndependentPlannerWhereItsSidesAreTheSame) {
  const NadaPlan plan = planned({"nada.clock_mhz=40"});
  EXPECT_EQ(plan.plan.period, 112 * 112 * 8);
  EXPECT_EQ(planned({"nada.clock_mhz=60"}).plan.period, 112 * 112 * 8);
  EXPECT_GE(plan.images_per_s(plan.plan.pooled_period), plan.images_per_s(plan.plan.period));
}

TEST(NadaPlan, RunsAsAPipelineAtTheRateThatIsPlanned) {
  const NadaPlan plan = planned({});
  EXPECT_EQ(plan.simulated.period, plan.plan.period);
  EXPECT_GT(plan.images_per_s(plan.plan.period), 500);  // a plan of NADA's rate exists
  EXPECT_EQ(plan.update, 1280 * 1000);
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
  EXPECT_EQ(largest, 112 * 112 * 96);                                     // 19.3 Gb/s at 500 images a second
  EXPECT_NEAR(static_cast<double>(stored) * 2 * 4 * 500 / 1e9, 27, 0.5);  // GB/s of DRAM at that rate
}

// .664 = B / (B - 1 + 6.7): 11.3 images; with an update of 3.2 images' time 17.6.
TEST(NadaPlan, ImpliesABatchByWhatItFillsAndDrains) {
  EXPECT_NEAR(implied_batch(.664, 1, 6.7, 0), .664 * 5.7 / .336, 1e-12);
  EXPECT_NEAR(implied_batch(.664, 400'000, 6.7 * 400'000, 1'280'000), .664 * (5.7 + 3.2) / .336, 1e-9);
}

TEST(NadaPlan, MobileNetDoesNotFitOneBoard) {
  try {
    planned({"boards=1"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("120 more than the 5688 that may be used"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace weft::cluster

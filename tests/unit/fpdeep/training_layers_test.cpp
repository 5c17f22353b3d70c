#include "platform/cluster/training_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "platform/cluster/array_pipeline.h"
#include "workloads/catalogue.h"

namespace weft::cluster {
namespace {

using pipeline::TrainingLayer;

workloads::ImportedGraph network(const std::string& name) {
  return workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
}

// 52 convolutions and the fully connected layer, 10 additions, one global pool. 193,987 cycles at 200 MHz are 1031
// images a second.
TEST(TrainingLayers, OfMobileNetRunAtTheRateTheyAreMadeFor) {
  constexpr Cycles kPeriod = 193'987;
  const std::vector<TrainingLayer> layers = training_layers(network("mobilenet_v2"), kPeriod);
  const auto count = [&](TrainingLayer::Kind kind) {
    return std::count_if(layers.begin(), layers.end(), [&](const TrainingLayer& layer) { return layer.kind == kind; });
  };
  EXPECT_EQ(count(TrainingLayer::Kind::Windowed), 53);
  EXPECT_EQ(count(TrainingLayer::Kind::Sum), 10);
  EXPECT_EQ(count(TrainingLayer::Kind::Whole), 1);
  pipeline::Training net = pipeline::training(layers, kPeriod);
  EXPECT_EQ(net.stores.size(), 53U);
  EXPECT_LE(net.entities, kPeriod);
  pipeline::size_fifos(net);
  const pipeline::Simulated simulated = pipeline::simulate(net.pipeline, 1000);
  ASSERT_TRUE(simulated.recurrence);
  EXPECT_EQ(simulated.recurrence->period(), kPeriod);
}

TEST(TrainingLayers, RefuseAConcatenationByName) {
  try {
    training_layers(network("squeezenet1_1"), 100'000);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Concat"), std::string::npos) << text;
    EXPECT_NE(text.find("has no entity in a pipeline"), std::string::npos) << text;
  }
}

// 13 convolutions, 5 pools and one to 7 x 7 pixels, which they are, the view of 7 x 7 pixels as a vector, 3 fully
// connected layers.
TEST(TrainingLayers, OfVgg16AreAChain) {
  const std::vector<TrainingLayer> layers = training_layers(network("vgg16"), 1'000'000);
  EXPECT_EQ(layers.size(), 13U + 6 + 1 + 3);
  for (std::size_t i = 1; i < layers.size(); ++i) EXPECT_EQ(layers[i].inputs, std::vector<std::size_t>{i - 1});
  EXPECT_EQ(layers[19].filters, 512 * 7 * 7);
}

// The slowest part of the 15 boards gives the period: of the equations, and of the pipeline.
TEST(ArrayPipeline, RunsAtTheRateOfTheEquations) {
  const workloads::ImportedGraph vgg = network("vgg16");
  const ArrayPlan plan = plan_array(load_array("fpdeep-vgg16", {}, config::Library{WEFT_CONFIG_DIR}), vgg);
  pipeline::Training array = array_pipeline(plan, vgg);
  EXPECT_EQ(array.stores.size(), 13U);
  pipeline::size_fifos(array);
  const pipeline::Simulated simulated = pipeline::simulate(array.pipeline, 100);
  ASSERT_TRUE(simulated.recurrence);
  EXPECT_EQ(simulated.recurrence->period(), fpdeep::period(plan.boards));
}

}  // namespace
}  // namespace weft::cluster

#include "platform/studies/cluster/training_layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/array_plan.h"
#include "tests/support/texts.h"
#include "workloads/onnx/import.h"

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

// 26 convolutions and 3 pools, 8 fire modules that end in a concatenation, one global pool.
TEST(TrainingLayers, OfSqueezeNetJoinTheBranchesOfEachFire) {
  constexpr Cycles kPeriod = 100'000;
  workloads::ImportedGraph squeezenet = network("squeezenet1_1");
  const std::vector<TrainingLayer> layers = training_layers(squeezenet, kPeriod);
  std::int64_t joined = 0, convolutions = 0, pools = 0, global = 0;
  for (const TrainingLayer& layer : layers) {
    global += layer.kind == TrainingLayer::Kind::Whole ? 1 : 0;
    if (layer.kind == TrainingLayer::Kind::Windowed) ++(layer.gw > 0 ? convolutions : pools);
    if (layer.kind != TrainingLayer::Kind::Concatenation) continue;
    ++joined;
    ASSERT_EQ(layer.inputs.size(), 2U) << layer.name;
    EXPECT_EQ(layer.filters, layers[layer.inputs[0]].filters + layers[layer.inputs[1]].filters) << layer.name;
  }
  EXPECT_EQ(joined, 8);
  EXPECT_EQ(convolutions, 26);
  EXPECT_EQ(pools, 3);
  EXPECT_EQ(global, 1);
  pipeline::Training net = pipeline::training(layers, kPeriod);
  pipeline::size_fifos(net);
  const pipeline::Simulated simulated = pipeline::simulate(net.pipeline, 100);
  ASSERT_TRUE(simulated.recurrence);
  EXPECT_EQ(simulated.recurrence->period(), kPeriod);

  const auto refused = [&](const std::string& what) {
    EXPECT_TRUE(test::has(test::message_of([&] { training_layers(squeezenet, kPeriod); }), what));
  };
  const auto join = std::find_if(squeezenet.graph.operators.begin(), squeezenet.graph.operators.end(),
                                 [](const auto& op) { return std::holds_alternative<workloads::ConcatOp>(op.what); });
  ASSERT_NE(join, squeezenet.graph.operators.end());
  join->what = workloads::ConcatOp{2};
  refused("'" + join->name + "' of network 'squeezenet1_1' concatenates axis 2: a pipeline joins channels, axis 1");
  join->what = workloads::UnknownOp{};
  refused("'" + join->name + "' of network 'squeezenet1_1' has no entity in a pipeline");
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
  const config::Library library{WEFT_CONFIG_DIR};
  const ArrayPlan plan = plan_array(read_array(cluster_file("fpdeep-vgg16", {}, library), library), vgg);
  const pipeline::Training array = array_pipeline(plan, vgg);
  EXPECT_EQ(array.stores.size(), 13U);
  EXPECT_EQ(simulate_array(plan, vgg).period, fpdeep::period(plan.boards));
}

}  // namespace
}  // namespace weft::cluster

#include "platform/studies/cluster/array_plan.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <variant>

#include "model/pipeline/analytical.h"
#include "model/pipeline/exact.h"
#include "platform/studies/cluster/training_layers.h"
#include "tests/support/texts.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {
namespace {

const config::Library kLibrary{WEFT_CONFIG_DIR};

workloads::ImportedGraph network(const std::string& name) {
  return workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
}

ArrayConfig array(const std::string& name, const std::vector<std::string>& sets = {}) {
  std::vector<config::Override> overrides;
  overrides.reserve(sets.size());
  for (const std::string& each : sets) overrides.push_back(config::parse_override(each));
  return read_array(cluster_file(name, overrides, kLibrary), kLibrary);
}

ArrayPlan plan(const std::string& name, const std::vector<std::string>& sets = {}) {
  const ArrayConfig config = array(name, sets);
  return plan_array(config, network(config.network));
}

// Expected values: a separate calculation of the same readings in exact fractions, from lists of the layers' shapes
// (for VGG-16 within boundaries at 60 Gb/s: 60e9 / (16 bits * 64 * 224 * 224 words * 12.079 images/s) = 96.67).
TEST(ArrayPlan, HasTheScalingOfEachNamedReading) {
  const std::vector<const char*> readings{"boundaries-10G", "boundaries-13G", "inner-10G", "inner-13G", "inner-125G"};
  const std::map<std::string, std::vector<int>> expected{{"fpdeep-alexnet", {65, 86, 50, 66, 106}},
                                                         {"fpdeep-vgg16", {96, 126, 65, 86, 135}},
                                                         {"fpdeep-vgg19", {123, 161, 83, 110, 172}}};
  for (const auto& [name, boards] : expected) {
    const ArrayConfig config = array(name, {"scaling_to=200"});
    const ArrayPlan planned = plan_array(config, network(config.network));
    const double rate = planned.images_per_second(config);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const Scaling& scaling = planned.scalings.at(i);
      EXPECT_EQ(scaling.reading.name, readings[i]);
      EXPECT_EQ(scaling.linear_boards, boards[i]) << name << " " << readings[i];
      EXPECT_DOUBLE_EQ(scaling.images_per_second[9], rate / 15 * 10);
      EXPECT_DOUBLE_EQ(scaling.images_per_second[14], rate);
    }
  }
}

// MACs per image 655,566,528, of the first layer 70,276,800: 2 * (3 * 655566528 - 70276800) operations in 45,375 cycles
// of 15 boards. 2,880 DSPs at 200 MHz: 1152 GOPS.
TEST(ArrayPlan, ComputesNoMoreThanThePeakOfItsDsps) {
  for (const char* name : {"fpdeep-alexnet", "fpdeep-vgg16", "fpdeep-vgg19"}) {
    const ArrayConfig config = array(name);
    const auto result = std::get<ArrayResult>(config.plan(network(config.network), {}));
    EXPECT_EQ(result.peak_gops_per_board, 1152) << name;
    EXPECT_LT(result.gops_per_board, 1152) << name;
    EXPECT_GT(result.gops_per_board, .95 * 1152) << name;
    EXPECT_DOUBLE_EQ(result.images_per_second_per_board * 15, result.images_per_second) << name;
    if (config.network != "alexnet") continue;
    EXPECT_NEAR(result.gops_per_board, 2 * 1896422784. / 45'375 * .2 / 15, 1e-9);
  }
}

TEST(ArrayPlan, IsBalancedOnFifteenBoards) {
  for (const char* name : {"fpdeep-alexnet", "fpdeep-vgg16", "fpdeep-vgg19"}) {
    EXPECT_GE(fpdeep::balance(plan(name).boards), .95) << name;
  }
}

double percent(Words part, Words whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Boards of 1470 blocks of 2048 words. Whole filters move the cuts by less than 2 %.
TEST(ArrayPlan, SaysWhatIsStoredAndWhetherItFits) {
  const Words words = Words{1470} * 2048;
  const auto fullest = [&](const ArrayPlan& planned) {
    return percent(planned.stored[planned.weights_only.fullest].weights, words);
  };
  EXPECT_TRUE(plan("fpdeep-alexnet").storage.fits);
  const ArrayPlan vgg16 = plan("fpdeep-vgg16");
  EXPECT_NEAR(fullest(vgg16), 173, 173 * .02);
  EXPECT_NEAR(vgg16.fetch_bits_per_s, 6.4e9, 6.4e9 * .02);
  EXPECT_NEAR(plan("fpdeep-vgg16", {"fpdeep.weight_fetch=row"}).fetch_bits_per_s, 90e9, 90e9 * .02);
  EXPECT_NEAR(fullest(plan("fpdeep-vgg16", {"boards=30"})), 87, 87 * .02);
  const ArrayPlan vgg19 = plan("fpdeep-vgg19", {"fpdeep.features=pooled"});
  const ArrayPlan by_rows = plan("fpdeep-vgg19", {"fpdeep.features=pooled", "fpdeep.lag=rows"});
  EXPECT_FALSE(vgg19.storage.fits);
  EXPECT_NEAR(percent(vgg19.storage.all, vgg19.storage.room), 114, 114 * .02);
  EXPECT_NEAR(percent(by_rows.storage.all, by_rows.storage.room), 132, 132 * .02);
  EXPECT_TRUE(plan("fpdeep-vgg19", {"fpdeep.gradients=shared"}).storage.fits);
}

// 10 Gb/s per lane: 64 of 66 bits, 31 of 32 cycles, 1472 of 1480 bytes.
TEST(ArrayConfig, TakesFramingFromALanesRate) {
  const NamedReading aurora = array("fpdeep-alexnet").readings.at(6);
  EXPECT_EQ(aurora.framing, Framing::Aurora);
  EXPECT_NEAR(aurora.bits_per_s(), 60e9 * 64 / 66 * 31 / 32 * 1472 / 1480, 1);
}

TEST(ArrayConfig, IsReadAsItIsWritten) {
  const std::string once = array("fpdeep-vgg16", {"boards=30"}).resolved_yaml();
  EXPECT_TRUE(test::has(once, "boards: 30"));
  EXPECT_TRUE(test::has(once, "features: unpooled"));
}

void refuses(const std::string& name, const std::vector<std::string>& sets, const std::string& message) {
  EXPECT_TRUE(test::has(test::message_of([&] { plan(name, sets); }), message));
}

TEST(ArrayConfig, RefusesWhatDoesNotFitTogether) {
  refuses("fpdeep-alexnet", {"fpdeep.dsp=3601"}, "3601 is more than the 3600 of board 'vc709'");
  refuses("fpdeep-alexnet", {"published=[{source: a, board: b, networks: [c]}]"},
          "give exactly one of boards and gops_per_board");
  refuses("fpdeep-alexnet", {"boards=0"}, "boards");
  refuses("fpdeep-alexnet", {"board=vc708"}, "there is no board 'vc708'");
  refuses("fpdeep-alexnet", {"fpdeep.lags=rows"}, "fpdeep.lags");
}

using pipeline::TrainingLayer;

// 52 convolutions and the fully connected layer, 10 additions, one global pool. 193,987 cycles at 200 MHz are 1031
// images per second.
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
  refused("'" + join->name + "' of network 'squeezenet1_1' cannot run in a pipeline");
}

// 13 convolutions, 5 pools and one to 7 x 7 pixels (an identity), the view of 7 x 7 pixels as a vector, 3 fully
// connected layers.
TEST(TrainingLayers, OfVgg16AreAChain) {
  const std::vector<TrainingLayer> layers = training_layers(network("vgg16"), 1'000'000);
  EXPECT_EQ(layers.size(), 13U + 6 + 1 + 3);
  for (std::size_t i = 1; i < layers.size(); ++i) EXPECT_EQ(layers[i].inputs, std::vector<std::size_t>{i - 1});
  EXPECT_EQ(layers[19].filters, 512 * 7 * 7);
}

// The slowest part of the 15 boards sets the period, in the equations and in the pipeline with its links. The 14 cuts
// are within layers.
TEST(ArrayPipeline, RunsAtTheRateOfTheEquations) {
  const workloads::ImportedGraph vgg = network("vgg16");
  const ArrayConfig config = array("fpdeep-vgg16");
  const ArrayPlan planned = plan_array(config, vgg);
  EXPECT_EQ(array_pipeline(config, planned, vgg).stores.size(), 13U + 14);
  EXPECT_EQ(simulate_array(config, planned, vgg).period, fpdeep::period(planned.boards));
}

// Words of an image that packetisers take for the link to a board.
Words words_to(const pipeline::Training& array, const std::string& board) {
  const std::string suffix = " to board " + board + " packetiser";
  Words words = 0;
  for (pipeline::FifoId id = 0; id < array.pipeline.fifos.size(); ++id) {
    const std::string& name = array.pipeline.blocks[array.pipeline.fifos[id].to].name;
    if (name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
    words += array.pipeline.taken(id) * array.token_words[id];
  }
  return words;
}

// AlexNet on four boards: the first cut is in features.3, whose input is 64 x 55 x 55 words as computed and 64 x 27 x
// 27 as read, and of whose 192 x 27 x 27 outputs the first board computes a part. Both ways carry IF + x OF; the image
// has no gradient.
TEST(ArrayPipeline, SendsTheWordsOfThePartitionByOutputFeatures) {
  const workloads::ImportedGraph alexnet = network("alexnet");
  const std::map<std::string, Words> inputs{{"unpooled", 64 * 55 * 55}, {"pooled", 64 * 27 * 27}};
  for (const auto& [features, input] : inputs) {
    const ArrayConfig config = array("fpdeep-alexnet", {"boards=4", "fpdeep.features=" + features});
    const ArrayPlan planned = plan_array(config, alexnet);
    const fpdeep::Part& last = planned.boards[0].parts.back();
    ASSERT_EQ(planned.chain.layers[last.layer].name, "features.3");
    const pipeline::Training net = array_pipeline(config, planned, alexnet);
    EXPECT_EQ(words_to(net, "1"), input + last.filters() * 27 * 27) << features;
  }
}

// Words of an image that cross from board `from` to `to`, both from 1.
Words words_between(const pipeline::Training& array, std::size_t from, std::size_t to) {
  const std::string suffix = fmt::format(" to board {} packetiser", to);
  Words words = 0;
  for (pipeline::FifoId id = 0; id < array.pipeline.fifos.size(); ++id) {
    const pipeline::BlockId packetiser = array.pipeline.fifos[id].to;
    const std::string& name = array.pipeline.blocks[packetiser].name;
    if (name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
    if (array.board[packetiser] + 1 == from) words += array.pipeline.taken(id) * array.token_words[id];
  }
  return words;
}

// ResNet-18 has residuals, GoogLeNet concatenations. Each link carries what the equations say of the cut of its whole
// filters; to the left without the gradient of the image.
TEST(ArrayPipeline, SendsEachTensorOfBranchesOverALinkOnce) {
  for (const char* name : {"resnet18", "googlenet"}) {
    const workloads::ImportedGraph net = network(name);
    const ArrayConfig config = array("fpdeep-alexnet", {std::string("network=") + name});
    const ArrayPlan planned = plan_array(config, net);
    const pipeline::Training simulated = array_pipeline(config, planned, net);
    fpdeep::LinkReading output = config.readings[0].links;
    output.partition = fpdeep::Partition::Output;
    for (std::size_t board = 0; board + 1 < planned.boards.size(); ++board) {
      const fpdeep::Part& last = planned.boards[board].parts.back();
      const fpdeep::ChainLayer& layer = planned.chain.layers[last.layer];
      const fpdeep::Cut cut{static_cast<int>(board) + 1, last.layer, Rational(last.last, layer.filters)};
      const fpdeep::LinkWords words = fpdeep::link_words(planned.chain, cut, output);
      const Words image = cut.layer == 0 && cut.left != 1 ? layer.input : 0;
      EXPECT_EQ(words_between(simulated, board + 1, board + 2), words.right) << name << " " << board;
      EXPECT_EQ(words_between(simulated, board + 2, board + 1), words.left - image) << name << " " << board;
    }
  }
}

TEST(ArrayPipeline, OfResidualsRunsAtTheRateOfTheEquations) {
  const workloads::ImportedGraph resnet = network("resnet18");
  const ArrayConfig config = array("fpdeep-alexnet", {"network=resnet18"});
  const ArrayPlan planned = plan_array(config, resnet);
  EXPECT_GT(
      std::count_if(planned.stored.begin(), planned.stored.end(), [](const auto& each) { return each.waiting > 0; }),
      7);
  EXPECT_EQ(simulate_array(config, planned, resnet).period, fpdeep::period(planned.boards));
}

// A link of 1 Gb/s for 17 Gb/s: the wires set the period.
TEST(ArrayPipeline, WaitsForItsLinks) {
  const workloads::ImportedGraph alexnet = network("alexnet");
  const ArrayConfig config =
      array("fpdeep-alexnet", {"simulated_reading=slow", "readings=[{name: slow, lanes: 1, lane_gbps: 1}]"});
  const SimulatedArray slow = simulate_array(config, plan_array(config, alexnet), alexnet);
  EXPECT_EQ(slow.slowest.substr(0, 4), "wire");
  EXPECT_GT(slow.period, 10 * 50'176);
}

}  // namespace
}  // namespace weft::cluster

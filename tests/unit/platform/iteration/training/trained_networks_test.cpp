#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/core/error.h"
#include "platform/iteration/training/trained_network.h"
#include "tests/support/files.h"
#include "workloads/graph/dependencies.h"
#include "workloads/graph/training_graph.h"

namespace weft::training {
namespace {

using namespace weft::workloads;

TrainedNetwork trained(const std::string& name, int batch = 1, bool lower_fc = false) {
  ImportOptions options;
  options.batch = batch;
  options.lower_fc = lower_fc;
  return load_trained(name, {WEFT_SOURCE_DIR "/configs/networks"}, options);
}

std::int64_t parameters(const Graph& graph) {
  std::int64_t words = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.kind == TensorKind::Weight && !tensor.view_of) words += tensor.elements;
  }
  return words;
}

template <class What>
std::size_t count(const Graph& graph, Direction direction) {
  return static_cast<std::size_t>(std::count_if(
      graph.operators.begin(), graph.operators.end(),
      [&](const Operator& op) { return op.direction == direction && std::holds_alternative<What>(op.what); }));
}

struct Published {
  const char* name;
  std::int64_t parameters;
  friend void PrintTo(const Published& p, std::ostream* out) { *out << p.name; }
};

// Parameters: torchvision's num_params (GoogLeNet without its auxiliary classifiers). ResNet-20: convolutions 432 +
// 13,824 + 50,688 + 202,752, shortcuts 512 + 2,048, scale and shift 2 * 7 * (16 + 32 + 64), fc 650. AlexNet for
// CIFAR-10: weights 23,232 + 307,200 + 663,552 + 884,736 + 589,824 + 2,560, biases 64 + 192 + 384 + 256 + 256 + 10. VGG
// of WAGE, without biases: 3,456 + 147,456 + 294,912 + 589,824 + 1,179,648 + 2,359,296 + 8,192 * 1,024 + 10,240. VGG-11
// of DeePhi: weights 1,728 + 73,728 + 294,912 + 589,824 + 1,179,648 + 3 * 2,359,296 + 2 * 262,144 + 5,120, biases 64 +
// 128 + 2 * 256 + 4 * 512 + 2 * 512 + 10. GoogLeNet with 5x5: 16 more weights for each 3x3 one of branch 3.
class TrainedAsPublished : public testing::TestWithParam<Published> {};
const std::vector<Published> kPublished{
    {"alexnet", 61100840},
    {"densenet121", 7978856},
    {"efficientnet_b0", 5288548},
    {"alexnet_cifar10", 23232 + 307200 + 663552 + 884736 + 589824 + 2560 + 64 + 192 + 384 + 256 + 256 + 10},
    {"googlenet", 6624904},
    {"googlenet_5x5",
     6624904 + 16 * (16 * 32 + 32 * 96 + 16 * 48 + 24 * 64 + 24 * 64 + 32 * 64 + 32 * 128 + 32 * 128 + 48 * 128)},
    {"mobilenet_v2", 3504872},
    {"resnet18", 11689512},
    {"resnet50", 25557032},
    {"resnet20", 272474},
    {"squeezenet1_0", 1248424},
    {"squeezenet1_1", 1235496},
    {"vgg11", 132863336},
    {"vgg11_cifar10",
     1728 + 73728 + 294912 + 589824 + 1179648 + 3 * 2359296 + 2 * 262144 + 5120 + 64 + 128 + 512 + 2048 + 1024 + 10},
    {"vgg16", 138357544},
    {"vgg19", 143667240},
    {"vgglike_cifar10", 3456 + 147456 + 294912 + 589824 + 1179648 + 2359296 + 8192 * 1024 + 10240}};
INSTANTIATE_TEST_SUITE_P(Each, TrainedAsPublished, testing::ValuesIn(kPublished),
                         [](const auto& network) { return std::string(network.param.name); });

TEST_P(TrainedAsPublished, HasTheParametersOfTheOriginal) {
  const TrainedNetwork network = trained(GetParam().name);
  EXPECT_EQ(parameters(network.forward), GetParam().parameters);
  ASSERT_TRUE(network.restoration.has_value());
  EXPECT_FALSE(network.restoration->source.empty());
}

// Every row of a run has its operator, by the layer's name and kind; every host layer has one and its backward.
TEST_P(TrainedAsPublished, HasEveryConvolutionAndHostLayerOfTheNetwork) {
  for (const bool gi_first : {false, true}) {
    const TrainedNetwork network = trained(GetParam().name, 3);
    TrainingOptions options;
    options.gi_first = gi_first;
    const Graph graph = training_graph(network.forward, options);
    ASSERT_NO_THROW(check(graph));
    ASSERT_NO_THROW(require_known(graph));
    std::set<std::pair<std::string, conv::Kind>> convolutions;
    std::multiset<std::string> names[2];  // forward, backward
    for (const Operator& op : graph.operators) {
      if (const auto* conv = std::get_if<ConvolutionOp>(&op.what)) {
        EXPECT_TRUE(convolutions.emplace(op.name, conv->kind).second);
        EXPECT_EQ(network.network.layers[conv->index].name, op.name);
        EXPECT_EQ(conv->layer.batch, 3);
      } else if (op.direction == Direction::Forward || op.direction == Direction::Backward) {
        names[op.direction == Direction::Forward ? 0 : 1].insert(op.name);
      }
    }
    const std::vector<TrainingConvolution> rows = training_convolutions(network.network.layers, gi_first);
    EXPECT_EQ(convolutions.size(), rows.size());
    for (const TrainingConvolution& row : rows) {
      EXPECT_EQ(convolutions.count({network.network.layers[row.layer].name, row.kind}), 1U);
    }
    for (const HostLayer& host : network.network.host_layers) {
      std::string name = host.name;
      if (host.op == "Gemm") {  // named as a layer: /fc/Gemm is fc
        const auto fc = std::find_if(network.network.fully_connected.begin(), network.network.fully_connected.end(),
                                     [&](const FullyConnected& each) {
                                       return host.name.size() > each.name.size() + 5 &&
                                              host.name.compare(host.name.size() - each.name.size() - 5,
                                                                each.name.size() + 5, each.name + "/Gemm") == 0;
                                     });
        ASSERT_NE(fc, network.network.fully_connected.end()) << host.name;
        name = fc->name;
      }
      EXPECT_EQ(names[0].count(name), 1U) << name;
      EXPECT_GE(names[1].count(name), 1U) << name;
    }
    EXPECT_TRUE(Dependencies(graph).allows(given_order(graph)));
  }
}

TEST_P(TrainedAsPublished, GrowsWithTheBatchInWhatIsComputedAlone) {
  const Graph one = training_graph(trained(GetParam().name, 1).forward);
  const Graph many = training_graph(trained(GetParam().name, 7).forward);
  ASSERT_EQ(one.tensors.size(), many.tensors.size());
  for (TensorId t = 0; t < one.tensors.size(); ++t) {
    const TensorKind kind = one.tensors[t].kind;
    const bool once = kind == TensorKind::Weight || kind == TensorKind::WeightGradient || kind == TensorKind::Loss ||
                      kind == TensorKind::OptimiserState || kind == TensorKind::Statistic ||
                      kind == TensorKind::Constant;
    EXPECT_EQ(many.tensors[t].bytes(), (once ? 1 : 7) * one.tensors[t].bytes()) << one.tensors[t].name;
    EXPECT_GT(one.tensors[t].bytes(), 0) << one.tensors[t].name;
  }
}

// 57 convolutions F, 56 GI, 57 GW; of the file 57 Relu, 13 pools and a global one, 9 Concat, Flatten and Gemm: 82.
TEST(TrainedGoogLeNet, HasWhatTrainingAdds) {
  const TrainedNetwork network = trained("googlenet", 256);
  EXPECT_EQ(network.network.host_layers.size(), 82U);
  const Graph graph = training_graph(network.forward);
  EXPECT_EQ(count<ConvolutionOp>(graph, Direction::Forward), 57U);
  EXPECT_EQ(count<ConvolutionOp>(graph, Direction::Backward), 113U);
  EXPECT_EQ(count<BatchNormOp>(graph, Direction::Forward), 57U);
  EXPECT_EQ(count<BatchNormOp>(graph, Direction::Backward), 57U);
  EXPECT_EQ(count<DropoutOp>(graph, Direction::Forward), 1U);
  EXPECT_EQ(count<LossOp>(graph, Direction::Loss), 1U);
  EXPECT_EQ(count<BiasOp>(graph, Direction::Forward), 0U);
  EXPECT_EQ(count<AccumulateOp>(graph, Direction::Backward), 9U);  // the input of each inception, for four branches
  // Weights of 57 convolutions, scale and shift of 57 normalisations, weights and bias of fc.
  EXPECT_EQ(count<SgdOp>(graph, Direction::Update), 3U * 57 + 2);
  const std::size_t forward = network.forward.operators.size();
  EXPECT_EQ(forward, 57U + 82 + 57 + 1);
  for (const Operator& op : graph.operators) {
    if (const auto* sum = std::get_if<AccumulateOp>(&op.what)) {
      (void)sum;
      EXPECT_EQ(op.inputs.size(), 4U) << op.name;
    }
  }
}

TEST(TrainedNetwork, WithLoweredLayersHasThemAsConvolutions) {
  const TrainedNetwork network = trained("alexnet", 2, true);
  const Graph graph = training_graph(network.forward);
  EXPECT_EQ(count<FullyConnectedOp>(graph, Direction::Forward), 0U);
  EXPECT_EQ(count<ConvolutionOp>(graph, Direction::Forward), 8U);
  EXPECT_EQ(count<ConvolutionOp>(graph, Direction::Backward), 15U);
  for (const Operator& op : graph.operators) {
    const auto* conv = std::get_if<ConvolutionOp>(&op.what);
    if (conv == nullptr || !conv->fully_connected) continue;
    EXPECT_EQ(network.network.fc_layers[conv->index].name, op.name);
  }
}

TEST(TrainedNetwork, OfAFileOfItsOwnIsSaidToBeFoldedPerhaps) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "mine.onnx";
  std::filesystem::copy_file(std::filesystem::path(WEFT_SOURCE_DIR "/configs/networks") / "resnet20.onnx", file);
  const TrainedNetwork network = load_trained(file.string(), {});
  EXPECT_FALSE(network.restoration.has_value());
  ASSERT_EQ(network.notes.size(), 1U);
  EXPECT_EQ(
      network.notes[0],
      "21 of its convolutions have a bias and no batch normalisation (conv1, layer1.0.conv1, layer1.0.conv2, ...): if "
      "export folded it into them, " +
          (directory.path() / "mine.training.yaml").string() + " can restore it");
  std::filesystem::copy_file(std::filesystem::path(WEFT_SOURCE_DIR "/configs/networks") / "resnet20.training.yaml",
                             directory.path() / "mine.training.yaml");
  EXPECT_TRUE(load_trained(file.string(), {}).notes.empty());
}

}  // namespace
}  // namespace weft::training

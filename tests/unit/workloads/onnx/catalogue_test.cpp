#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/support/texts.h"
#include "workloads/lowering.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {
namespace {

using conv::Kind;
using conv::Layer;

const std::vector<std::string> kDirs{WEFT_SOURCE_DIR "/configs/networks"};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns a convolution in the golden tables' columns.
std::string row(const Layer& l) {
  EXPECT_EQ(l.h.pad_begin, l.h.pad_end);  // the tables have one column per axis
  EXPECT_EQ(l.w.pad_begin, l.w.pad_end);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", l.name, l.batch, l.channels, l.h.size,
                     l.w.size, l.filters, l.h.kernel, l.w.kernel, l.h.stride, l.w.stride, l.h.pad_begin, l.w.pad_begin,
                     l.h.dilation, l.w.dilation, l.groups, l.h.out(), l.w.out());
}

struct Known {
  const char* name;
  std::size_t convolutions;
  double mega_macs;  // per image, one forward pass
  friend void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }
};

// Counts and multiply-accumulates as published with the tables, which are rounded to these digits.
const std::vector<Known> kKnown{
    {"alexnet", 5, 655.6},         {"alexnet_cifar10", 5, 14.95},  {"vgg11", 8, 7485.5},
    {"vgg16", 13, 15346.6},        {"vgg19", 16, 19508.4},         {"vgg11_cifar10", 8, 152.8},
    {"vgglike_cifar10", 6, 607.5}, {"resnet18", 20, 1813.6},       {"resnet20", 21, 40.8},
    {"googlenet", 57, 1497.4},     {"googlenet_5x5", 57, 1581.6},  {"squeezenet1_0", 26, 818.9},
    {"squeezenet1_1", 26, 349.2},  {"mobilenet_v2", 52, 299.5},    {"resnet50", 53, 4087.1},
    {"densenet121", 120, 2833.1},  {"efficientnet_b0", 81, 384.5},
};

class NamedNetwork : public testing::TestWithParam<Known> {
 protected:
  // Returns the lines of the golden table; the first names the columns.
  std::vector<std::string> golden(const std::string& ending) const {
    return lines_of(std::string(WEFT_SOURCE_DIR "/tests/golden/networks/") + GetParam().name + ending);
  }
  const Network network = find_network(GetParam().name, kDirs);
};

TEST_P(NamedNetwork, HasTheConvolutionsOfItsGoldenTableRowByRow) {
  const std::vector<std::string> lines = golden(".csv");
  ASSERT_EQ(network.layers.size() + 1, lines.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) EXPECT_EQ(row(network.layers[i]), lines[i + 1]);
}

TEST_P(NamedNetwork, HasTheFullyConnectedLayersOfItsGoldenTableRowByRow) {
  const std::vector<std::string> lines = golden(".fc.csv");
  ASSERT_EQ(network.fully_connected.size() + 1, lines.size());
  for (std::size_t i = 0; i < network.fully_connected.size(); ++i) {
    const FullyConnected& fc = network.fully_connected[i];
    EXPECT_EQ(fmt::format("{},{},{},{}", fc.name, fc.rows, fc.in_features, fc.out_features), lines[i + 1]);
  }
}

TEST_P(NamedNetwork, HasThePublishedCountAndMultiplyAccumulates) {
  EXPECT_EQ(network.layers.size(), GetParam().convolutions);
  double mega_macs = 0;
  for (const Layer& layer : network.layers) mega_macs += macs(layer) / 1e6;
  EXPECT_NEAR(mega_macs, GetParam().mega_macs, GetParam().mega_macs < 20 ? 0.005 : 0.05);
}

TEST_P(NamedNetwork, ReadsItsGraphInputInItsFirstConvolutionOnly) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) EXPECT_EQ(network.layers[i].from_graph_input, i == 0) << i;
}

TEST_P(NamedNetwork, CountsTheSameMultiplyAccumulatesForEveryKind) {
  for (const Layer& layer : network.layers) {
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      EXPECT_EQ(lower(layer, kind).useful_macs * layer.groups, macs(layer)) << layer.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, NamedNetwork, testing::ValuesIn(kKnown),
                         [](const auto& known) { return std::string(known.param.name); });

TEST(NamedNetworks, AreAllTested) {
  std::vector<std::string> tested;
  tested.reserve(std::size(kKnown));
  for (const Known& known : kKnown) tested.emplace_back(known.name);
  const std::vector<std::string> others = lines_of(WEFT_SOURCE_DIR "/tests/golden/networks/published.csv");
  for (std::size_t i = 1; i < others.size(); ++i) tested.push_back(others[i].substr(0, others[i].find(',')));
  std::sort(tested.begin(), tested.end());
  EXPECT_EQ(known_networks(kDirs), tested);
}

TEST(GoogLeNet, TrainsIn170Convolutions) {
  const Network network = find_network("googlenet", kDirs);
  int f = 0, gi = 0, gw = 0;
  for (const TrainingConvolution& c : training_convolutions(network.layers)) {
    f += c.kind == Kind::F;
    gi += c.kind == Kind::GI;
    gw += c.kind == Kind::GW;
  }
  EXPECT_EQ(f, 57);
  EXPECT_EQ(gi, 56);
  EXPECT_EQ(gw, 57);
  EXPECT_EQ(training_convolutions(network.layers, true).size(), 171U);  // gi_first adds GI of conv1
}

TEST(GoogLeNet, LeavesPoolingConcatenationAndTheClassifierToTheHost) {
  const Network network = find_network("googlenet", kDirs);
  std::map<std::string, int> operators;
  for (const HostLayer& host : network.host_layers) {
    ++operators[host.op];
    EXPECT_GT(host.elements, 0) << host.name;
  }
  // The file's 40 Identity nodes carry biases and are not layers.
  const std::map<std::string, int> expected{{"Concat", 9},   {"Flatten", 1}, {"Gemm", 1}, {"GlobalAveragePool", 1},
                                            {"MaxPool", 13}, {"Relu", 57}};
  EXPECT_EQ(operators, expected);
  const HostLayer& relu = network.host_layers.front();
  EXPECT_EQ(relu.shape, (std::vector<std::int64_t>{1, 64, 112, 112}));
  EXPECT_EQ(relu.elements, 64 * 112 * 112);
}

TEST(FindNetwork, TakesAPathAsWellAsAName) {
  EXPECT_EQ(find_network(kDirs[0] + "/vgg11.onnx", {}).layers.size(), 8U);
  EXPECT_EQ(find_network("vgg11.onnx", kDirs).layers.size(), 8U);  // relative to a search directory
  EXPECT_EQ(find_network("vgg11.onnx", kDirs).name, "vgg11");
}

TEST(FindNetwork, TakesTheFirstDirectoryThatHasTheName) {
  const std::string own = testing::TempDir() + "own_networks";
  std::filesystem::create_directories(own);
  std::filesystem::copy_file(kDirs[0] + "/vgg16.onnx", own + "/vgg11.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(find_network("vgg11", {own, kDirs[0]}).layers.size(), 13U);
  EXPECT_EQ(find_network("vgg11", {own + "/missing", kDirs[0], own}).layers.size(), 8U);
}

std::string message_of(const std::string& name, const std::vector<std::string>& dirs) {
  return test::message_of([&] { find_network(name, dirs); });
}

TEST(FindNetwork, SuggestsTheLikeliestOfTheKnownNames) {
  for (const auto& [typed, meant] :
       std::vector<std::pair<std::string, std::string>>{{"GoogLeNet", "googlenet"},
                                                        {"squeezenet-1.1", "squeezenet1_1"},
                                                        {"restnet18", "resnet18"},
                                                        {"mobilenetv2", "mobilenet_v2"},
                                                        {"vgg-19", "vgg19"}}) {
    const std::string message = message_of(typed, kDirs);
    EXPECT_TRUE(test::has(message, fmt::format("network '{}' is not known (did you mean {}?)", typed, meant)));
    EXPECT_TRUE(test::has(message, "give one of alexnet, alexnet_cifar10, convnext_tiny, dcgan_discriminator,"));
  }
  EXPECT_FALSE(test::has(message_of("transformer", kDirs), "did you mean"));
  EXPECT_TRUE(test::has(message_of("", kDirs), "network '' is not known"));
}

TEST(FindNetwork, SaysThatAPathCannotBeRead) {
  EXPECT_EQ(message_of("./no_such.onnx", kDirs), "./no_such.onnx: cannot be read: No such file or directory");
  EXPECT_EQ(message_of(kDirs[0] + "/", {}), kDirs[0] + "/: is a directory, not an ONNX file");
}

}  // namespace
}  // namespace weft::workloads

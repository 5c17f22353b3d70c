#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "platform/iteration/training/trained_network.h"
#include "workloads/graph/training_graph.h"

namespace weft::training {
namespace {

using namespace weft::workloads;

// Row of tests/golden/networks/published.csv, which names paper, table and value of each network that
// configs/networks/write_zoo.py writes.
struct Published {
  std::string name;
  double million_macs = 0, within = 0;
  std::int64_t parameters = 0;
  friend void PrintTo(const Published& published, std::ostream* out) { *out << published.name; }
};

std::vector<Published> published() {
  std::ifstream file(WEFT_SOURCE_DIR "/tests/golden/networks/published.csv");
  std::vector<Published> all;
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Published each;
    std::string macs, within, parameters;
    std::getline(fields, each.name, ',');
    std::getline(fields, macs, ',');
    std::getline(fields, within, ',');
    std::getline(fields, parameters, ',');
    each.million_macs = std::stod(macs);
    each.within = std::stod(within);
    each.parameters = std::stoll(parameters);
    all.push_back(each);
  }
  return all;
}

class PublishedNetwork : public testing::TestWithParam<Published> {
 protected:
  const TrainedNetwork network = load_trained(GetParam().name, {WEFT_SOURCE_DIR "/configs/networks"});
};

// Convolutions, fully connected layers and products of two computed matrices.
TEST_P(PublishedNetwork, HasTheMultiplyAccumulatesOfItsSource) {
  double macs = 0;
  for (const Operator& op : network.forward.operators) {
    const bool products =
        std::holds_alternative<ConvolutionOp>(op.what) || std::holds_alternative<MatrixProductOp>(op.what);
    if (products) macs += static_cast<double>(op.flops) / 2;
    if (const auto* fc = std::get_if<FullyConnectedOp>(&op.what)) {
      macs += static_cast<double>(fc->rows * fc->in_features * fc->out_features);
    }
  }
  EXPECT_NEAR(macs / 1e6, GetParam().million_macs, GetParam().within);
}

TEST_P(PublishedNetwork, HasTheParametersOfItsSource) {
  std::int64_t words = 0;
  for (const Tensor& tensor : network.forward.tensors) {
    if (tensor.kind == TensorKind::Weight && !tensor.view_of) words += tensor.elements;
  }
  EXPECT_EQ(words, GetParam().parameters);
}

TEST_P(PublishedNetwork, HasAPriceForEveryOperatorOfAnIteration) {
  TrainingOptions options;
  if (network.forward.outputs.size() > 1) options.loss = network.forward.tensors[network.forward.outputs[0]].name;
  const Graph graph = training_graph(network.forward, options);
  EXPECT_NO_THROW(check(graph));
  EXPECT_NO_THROW(require_known(graph));
  ASSERT_TRUE(network.restoration.has_value());
  EXPECT_TRUE(network.network.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(Zoo, PublishedNetwork, testing::ValuesIn(published()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace weft::training

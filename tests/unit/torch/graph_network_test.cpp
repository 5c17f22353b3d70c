#include "torch/graph_network.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "model/core/error.h"
#include "platform/iteration/training/trained_network.h"
#include "tests/support/texts.h"
#include "tests/unit/workloads/onnx/onnx_text.h"
#include "torch/loop_accelerator.h"
#include "torch/trainer.h"
#include "workloads/graph/training_graph.h"
#include "workloads/onnx/import.h"

namespace weft::nn {
namespace {

using workloads::Graph;
using workloads::TensorKind;

Graph forward_of(const std::string& network, int batch) {
  workloads::ImportOptions options;
  options.batch = batch;
  return training::load_trained(network, {WEFT_CONFIG_DIR "/networks"}, options).forward;
}

std::int64_t parameters_of(const Graph& graph) {
  std::int64_t elements = 0;
  for (const workloads::Tensor& tensor : graph.tensors) {
    if (tensor.kind == TensorKind::Weight && !tensor.consumers.empty()) elements += tensor.elements;
  }
  return elements;
}

class EveryNetwork : public testing::TestWithParam<const char*> {};

// The result of every operator has the graph's shape, and exactly the graph's parameters get a gradient.
TEST_P(EveryNetwork, IsBuiltAndTrained) {
  Graph forward = forward_of(GetParam(), 1);
  const auto norm = [](const workloads::Operator& op) {
    return std::holds_alternative<workloads::BatchNormOp>(op.what);
  };
  const bool norms = std::any_of(forward.operators.begin(), forward.operators.end(), norm);
  if (norms) forward = forward_of(GetParam(), 2);  // one value has no variance
  torch::manual_seed(1);
  GraphNetwork network(forward, workloads::training_graph(forward), nullptr);
  const torch::Tensor images = torch::randn(network->input_shape());
  const torch::Tensor loss = network->loss(images, torch::randint(network->classes(), {norms ? 2 : 1}, torch::kLong));
  EXPECT_TRUE(std::isfinite(loss.item<float>()));
  loss.backward();
  std::int64_t elements = 0;
  for (const auto& parameter : network->named_parameters()) {
    elements += parameter.value().numel();
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
  EXPECT_EQ(elements, parameters_of(forward));
}
INSTANTIATE_TEST_SUITE_P(All, EveryNetwork,
                         testing::Values("alexnet", "alexnet_cifar10", "convnext_tiny", "dcgan_discriminator",
                                         "densenet121", "efficientnet_b0", "googlenet", "inception_v3",
                                         "mobilenet_v3_large", "regnet_y_400mf", "shufflenet_v2_x1_0", "googlenet_5x5",
                                         "mobilenet_v2", "resnet18", "resnet20", "resnet50", "squeezenet1_0",
                                         "squeezenet1_1", "vgg11", "vgg11_cifar10", "vgg16", "vgg19",
                                         "vgglike_cifar10"),
                         [](const auto& info) { return info.param; });

// Returns kernels for the layers of a network, each of the layer's size.
KernelSet roomy_kernels() {
  KernelSet set;
  set.channel_of_port = {0, 1, 2};
  set.channels = 3;
  set.channel_bytes = Bytes{1} << 34;
  fpgpt::Alpha alpha;
  alpha.z = 1 << 22;
  alpha.z_channel = alpha.k_range = alpha.kern_words = alpha.out_words = 1 << 22;
  set.kernels.push_back({"any", alpha, {}});
  return set;
}

void expect_gradients_of_libtorch(const Graph& forward) {
  const Graph training = workloads::training_graph(forward);
  torch::manual_seed(3);
  GraphNetwork native(forward, training, nullptr);
  torch::manual_seed(3);
  GraphNetwork ours(forward, training, std::make_shared<LoopAccelerator>(roomy_kernels()));
  const torch::Tensor images = torch::randn(native->input_shape()),
                      labels = torch::randint(native->classes(), {2}, torch::kLong);
  const torch::Tensor wanted = native->loss(images, labels), got = ours->loss(images, labels);
  EXPECT_NEAR(got.item<float>(), wanted.item<float>(), 1e-5);
  wanted.backward();
  got.backward();
  const auto a = ours->named_parameters(), b = native->named_parameters();
  ASSERT_EQ(a.size(), b.size());
  for (const auto& parameter : b) {
    const torch::Tensor there = parameter.value().grad(), here = a[parameter.key()].grad();
    EXPECT_LT(((here - there).abs().max() / there.abs().max()).item<double>(), 1e-4) << parameter.key();
  }
}

// A network has equal gradients with its convolutions on an accelerator and on LibTorch.
TEST(GraphNetwork, HasTheGradientsOfLibTorchOnAnAccelerator) {
  expect_gradients_of_libtorch(forward_of("resnet20", 2));
}

TEST(GraphNetwork, HasTheGradientsOfLibTorchInTransposedLayersAndLines) {
  const onnx::ModelProto model = workloads::model_of(R"(g (float[2,4,9] x, float[6,4,3] w1, float[6,2,4,3] w2,
      float[4] b2, float[8,4,3,3] w3, float[9] s, float[9] t, float[8,5] w4) => (float[] y) <int64[4] r = {2, 6, 3, 3}> {
    a = Conv<pads=[1,1]>(x, w1)
    n = LayerNormalization(a, s, t)
    m = Mish(n)
    c = Reshape(m, r)
    d = ConvTranspose<strides=[2,1], group=2, pads=[1,0,0,1], output_padding=[1,0]>(c, w2, b2)
    e = Swish(d)
    f = Conv(e, w3)
    p = GlobalAveragePool(f)
    v = Flatten(p)
    y = MatMul(v, w4)
  })",
                                                     24);
  expect_gradients_of_libtorch(workloads::import_graph(workloads::file_of(model.SerializeAsString()), {2}).graph);
}

template <class What>
workloads::Operator& first_of(Graph& graph) {
  return *std::find_if(graph.operators.begin(), graph.operators.end(),
                       [](const workloads::Operator& op) { return std::holds_alternative<What>(op.what); });
}

std::string refusal(Graph forward) {
  const Graph training = workloads::training_graph(forward);
  return test::message_of([&] { GraphNetwork(std::move(forward), training, nullptr); });
}

TEST(GraphNetwork, NamesTheOperatorThatItCannotBuild) {
  Graph forward = forward_of("resnet20", 2);
  workloads::Operator& relu = first_of<workloads::ActivationOp>(forward);
  relu.what = workloads::UnknownOp{"Mystery"};
  EXPECT_TRUE(
      test::has(refusal(forward), "operator '" + relu.name + "' cannot be trained: an operator Mystery is not known"));
}

// From 2 x 64 x 8 x 8 to 2 x 8 it is ambiguous which of two axes remains.
TEST(GraphNetwork, RefusesToGuessWhatIsReduced) {
  Graph forward = forward_of("resnet20", 2);
  const workloads::Operator& mean = first_of<workloads::ReduceOp>(forward);
  ASSERT_EQ(forward.tensors[mean.inputs[0]].shape, (std::vector<std::int64_t>{2, 64, 8, 8}));
  EXPECT_EQ(refusal(forward), "nothing");
  forward.tensors[mean.outputs[0]].shape = {2, 8};
  EXPECT_TRUE(test::has(refusal(forward), "its shapes do not determine the axes that it reduces"));
}

// Two runs of LibTorch alone: equal seeds give equal losses and gradients, including SqueezeNet's dropout.
TEST(Trainer, GivesBothSidesTheSameBeginningAndDropouts) {
  const Graph forward = forward_of("squeezenet1_1", 2);
  Trainer trainer(forward, workloads::training_graph(forward), nullptr, true, {});
  SyntheticImages images(trainer.image_shape(), trainer.classes(), 1);
  for (int step = 0; step < 2; ++step) {
    const StepResult result = trainer.step(images, false);
    EXPECT_EQ(result.loss, result.native_loss);
    EXPECT_EQ(trainer.difference().largest, 0);
  }
}

TEST(Trainer, LearnsSyntheticImages) {
  const Graph forward = forward_of("resnet20", 16);
  TrainingSettings settings;
  settings.rate = 0.05;
  Trainer trainer(forward, workloads::training_graph(forward), nullptr, false, settings);
  SyntheticImages images(trainer.image_shape(), trainer.classes(), 1);
  double first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    last = trainer.step(images, false).loss;
    if (step == 0) first = last;
  }
  EXPECT_GT(first, 2.0);  // 10 classes: ln 10 = 2.30
  EXPECT_LT(last, first / 2);
  EXPECT_THROW(trainer.difference(), Error);
}

}  // namespace
}  // namespace weft::nn

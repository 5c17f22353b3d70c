// Operations and bytes of every operator of AlexNet and ResNet-20 in training, counted by hand: the shapes are those of
// the publications, the rules are restated here, and only the names are taken from the code under test.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "platform/iteration/training/trained_network.h"
#include "workloads/graph/training_graph.h"

namespace weft::training {
namespace {

using workloads::Graph;
using workloads::Operator;

constexpr std::int64_t kBatch = 4;  // larger than 1, so that costs per batch and per image differ

struct Work {
  std::int64_t flops = 0, read = 0, written = 0;  // bytes
  friend bool operator==(const Work& a, const Work& b) {
    return a.flops == b.flops && a.read == b.read && a.written == b.written;
  }
  friend void PrintTo(const Work& w, std::ostream* out) {
    *out << fmt::format("flops {}, read {}, written {}", w.flops, w.read, w.written);
  }
};

// Expected work, in words of four bytes; each operator may be added only once.
class Expected {
 public:
  void add(const std::string& label, std::int64_t flops, std::int64_t read, std::int64_t written) {
    add_bytes(label, flops, 4 * read, 4 * written);
  }
  void add_bytes(const std::string& label, std::int64_t flops, std::int64_t read, std::int64_t written) {
    EXPECT_TRUE(work_.emplace(label, Work{flops, read, written}).second) << label;
  }
  // SGD with momentum and weight decay on `n` words: g += d * w, v = m * v + g, w -= r * v. Reads w, g, v; writes w, v.
  void update(const std::string& parameter, std::int64_t n) { add(parameter + " update", 6 * n, 3 * n, 2 * n); }

  void expect_are_those_of(const Graph& graph) const {
    std::map<std::string, Work> found;
    for (const Operator& op : graph.operators) {
      EXPECT_TRUE(found.emplace(label(op), Work{op.flops, op.bytes_read, op.bytes_written}).second) << label(op);
      EXPECT_EQ(op.problem, "");
    }
    for (const auto& [name, work] : work_) {
      ASSERT_EQ(found.count(name), 1U) << name;
      EXPECT_EQ(found[name], work) << name;
    }
    EXPECT_EQ(found.size(), work_.size());
    for (const auto& [name, work] : found) EXPECT_EQ(work_.count(name), 1U) << name;
  }

 private:
  std::map<std::string, Work> work_;
};

Graph trained(const std::string& name) {
  workloads::ImportOptions options;
  options.batch = kBatch;
  return training_graph(load_trained(name, {WEFT_SOURCE_DIR "/configs/networks"}, options).forward);
}

std::int64_t forward_flops(const Graph& graph) {
  std::int64_t flops = 0;
  for (const Operator& op : graph.operators) {
    if (op.is_convolution() && op.direction == workloads::Direction::Forward) flops += op.flops;
  }
  return flops;
}

// `in`, `w`, `out`: words of the IFM and OFM for one image and of the weights; `positions`: outputs of one filter. Each
// weight is used once per position: 2 * w * positions operations per image.
void convolution(Expected& e, const std::string& layer, std::int64_t in, std::int64_t w, std::int64_t out,
                 std::int64_t positions, bool first) {
  const std::int64_t b = kBatch, flops = 2 * b * w * positions;
  e.add(layer + " F", flops, b * in + w, b * out);
  if (!first) e.add(layer + " GI", flops, b * out + w, b * in);
  e.add(layer + " GW", flops, b * in + b * out, w);
}

// Forward: one comparison per word; backward reads the gradient and the result.
void relu(Expected& e, const std::string& node, std::int64_t words) {
  const std::int64_t n = kBatch * words;
  e.add(node, n, n, n);
  e.add(node + " backward", n, 2 * n, n);
}

// 3x3: 8 comparisons. Forward writes the results and the index of each (4 bytes); backward reads gradients and indices
// and writes the gradient of the whole input, one addition each.
void max_pool_3x3(Expected& e, const std::string& node, std::int64_t in, std::int64_t out) {
  const std::int64_t b = kBatch;
  e.add(node, 8 * b * out, b * in, 2 * b * out);
  e.add(node + " backward", b * out, 2 * b * out, b * in);
}

// Selects and scales; the mask has one byte per word.
void dropout(Expected& e, const std::string& before, std::int64_t words) {
  const std::int64_t n = kBatch * words;
  e.add_bytes(before + "/Dropout", 2 * n, 4 * n, 5 * n);
  e.add_bytes(before + "/Dropout backward", 2 * n, 5 * n, 4 * n);
}

// The bias is added with the product: one more operation per output. Its gradient is the sum over the batch.
void fully_connected(Expected& e, const std::string& layer, std::int64_t in, std::int64_t out) {
  const std::int64_t b = kBatch, w = in * out;
  e.add(layer + " F", 2 * b * w + b * out, b * in + w + out, b * out);
  e.add(layer + " GI", 2 * b * w, b * out + w, b * in);
  e.add(layer + " GW", 2 * b * w, b * in + b * out, w);
  e.add(layer + " bias gradient", b * out, b * out, out);
  e.update(layer + ".weight", w);
  e.update(layer + ".bias", out);
}

// Log-softmax: maximum, subtract, exp, add, subtract for each class, then one selection per row; labels of 8 bytes.
// Backward: exp and scale for each class, and one subtraction per row.
void loss(Expected& e, std::int64_t classes) {
  const std::int64_t b = kBatch;
  e.add_bytes("loss", b * (5 * classes + 1), 4 * b * classes + 8 * b, 4 * b * classes + 4);
  e.add_bytes("loss backward", b * (2 * classes + 1), 4 * b * classes + 8 * b, 4 * b * classes);
}

TEST(HandCount, OfAlexNet) {
  Expected e;
  struct Conv {
    int number, in_channels, in_size, channels, size, kernel;
  };
  // 224 -> 11x11 stride 4 padding 2 -> 55 -> pool 27 -> 27 -> pool 13 -> 13 -> 13 -> 13 -> pool 6
  for (const Conv& c : std::vector<Conv>{{0, 3, 224, 64, 55, 11},
                                         {3, 64, 27, 192, 27, 5},
                                         {6, 192, 13, 384, 13, 3},
                                         {8, 384, 13, 256, 13, 3},
                                         {10, 256, 13, 256, 13, 3}}) {
    const std::string layer = fmt::format("features.{}", c.number);
    const std::int64_t positions = c.size * c.size, out = c.channels * positions;
    const std::int64_t w = std::int64_t{c.channels} * c.in_channels * c.kernel * c.kernel;
    convolution(e, layer, std::int64_t{c.in_channels} * c.in_size * c.in_size, w, out, positions, c.number == 0);
    // Kernels add no bias: outputs are read and written again. Backward: a sum over images and positions per filter.
    e.add(layer + " bias", kBatch * out, kBatch * out + c.channels, kBatch * out);
    e.add(layer + " bias gradient", kBatch * out, kBatch * out, c.channels);
    e.update(layer + ".weight", w);
    e.update(layer + ".bias", c.channels);
    relu(e, fmt::format("/features/features.{}/Relu", c.number + 1), out);
  }
  max_pool_3x3(e, "/features/features.2/MaxPool", 64 * 55 * 55, 64 * 27 * 27);
  max_pool_3x3(e, "/features/features.5/MaxPool", 192 * 27 * 27, 192 * 13 * 13);
  max_pool_3x3(e, "/features/features.12/MaxPool", 256 * 13 * 13, 256 * 6 * 6);
  // An average over windows of 1x1: a division; backward a division and an addition.
  const std::int64_t n = 256 * 6 * 6, b = kBatch;
  e.add("/avgpool/AveragePool", b * n, b * n, b * n);
  e.add("/avgpool/AveragePool backward", 2 * b * n, b * n, b * n);
  e.add("/Flatten", 0, 0, 0);
  e.add("/Flatten backward", 0, 0, 0);
  dropout(e, "classifier.1", n);
  fully_connected(e, "classifier.1", 9216, 4096);
  relu(e, "/classifier/classifier.2/Relu", 4096);
  dropout(e, "classifier.4", 4096);
  fully_connected(e, "classifier.4", 4096, 4096);
  relu(e, "/classifier/classifier.5/Relu", 4096);
  fully_connected(e, "classifier.6", 4096, 1000);
  loss(e, 1000);

  const Graph graph = trained("alexnet");
  e.expect_are_those_of(graph);
  // 655,566,528 multiply-accumulates per image in the five convolutions.
  EXPECT_EQ(forward_flops(graph), 2 * kBatch * 655566528);
}

// A convolution without bias and its batch normalisation. Forward, per word: mean 1, variance 3, normalise 2, scale and
// shift 2; x is read twice, scale, shift and the running mean and variance once; written are y, the mean and deviation
// of the batch, and the running ones. Backward: 1 + 4 for the gradients of shift and scale, 6 for that of x; the
// gradient and x are read twice, scale, mean and deviation once.
void conv_norm(Expected& e, const std::string& layer, const std::string& weights, std::int64_t in_channels,
               std::int64_t in_size, std::int64_t channels, std::int64_t size, std::int64_t kernel,
               bool first = false) {
  const std::int64_t out = channels * size * size, n = kBatch * out, c = channels;
  const std::int64_t w = channels * in_channels * kernel * kernel;
  convolution(e, layer, in_channels * in_size * in_size, w, out, size * size, first);
  const std::string norm = layer + "/BatchNormalization";
  e.add(norm, 8 * n, 2 * n + 4 * c, n + 4 * c);
  e.add(norm + " backward", 11 * n, 4 * n + 3 * c, n + 2 * c);
  e.update(weights, w);
  e.update(norm + " scale", c);
  e.update(norm + " shift", c);
}

TEST(HandCount, OfResNet20) {
  Expected e;
  const std::int64_t b = kBatch;
  int parameter = 202;  // the export numbered the convolutions' weights by threes, in order
  const auto weights = [&] { return fmt::format("onnx::Conv_{}", std::exchange(parameter, parameter + 3)); };
  conv_norm(e, "conv1", weights(), 3, 32, 16, 32, 3, true);
  relu(e, "/Relu", 16 * 32 * 32);
  std::string block_input = "/Relu_output_0";
  for (int stage = 1; stage <= 3; ++stage) {
    const std::int64_t channels = 8 << stage, size = 64 >> stage, words = channels * size * size;
    for (int block = 0; block < 3; ++block) {
      const bool narrows = stage > 1 && block == 0;  // by a stride of 2, to twice the channels
      const std::int64_t in_channels = narrows ? channels / 2 : channels, in_size = narrows ? 2 * size : size;
      const std::string module = fmt::format("layer{}.{}", stage, block);
      const std::string path = fmt::format("/layer{}/layer{}.{}", stage, stage, block);
      if (narrows) conv_norm(e, module + ".downsample.0", weights(), in_channels, in_size, channels, size, 1);
      conv_norm(e, module + ".conv1", weights(), in_channels, in_size, channels, size, 3);
      relu(e, path + "/Relu", words);
      conv_norm(e, module + ".conv2", weights(), channels, size, channels, size, 3);
      // The gradient of an addition is that of both operands: no byte moves.
      e.add(path + "/Add", b * words, 2 * b * words, b * words);
      e.add(path + "/Add backward", 0, 0, 0);
      // The block's input has two readers: one addition per word.
      const std::int64_t in = b * in_channels * in_size * in_size;
      e.add(block_input + " gradient sum", in, 2 * in, in);
      relu(e, path + "/Relu_1", words);
      block_input = path + "/Relu_1_output_0";
    }
  }
  // The mean of 8x8: 63 additions and a division for each channel; backward a division for each word.
  e.add("/ReduceMean", b * 64 * 64, b * 64 * 64, b * 64);
  e.add("/ReduceMean backward", b * 64 * 64, b * 64, b * 64 * 64);
  fully_connected(e, "fc", 64, 10);
  loss(e, 10);

  const Graph graph = trained("resnet20");
  e.expect_are_those_of(graph);
  // 40,812,544 multiply-accumulates per image: 442,368 + 6 * 2,359,296 + 2 * (131,072 + 1,179,648 + 5 * 2,359,296).
  EXPECT_EQ(forward_flops(graph), 2 * kBatch * 40812544);
}

}  // namespace
}  // namespace weft::training

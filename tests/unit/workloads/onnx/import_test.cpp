#include "workloads/onnx/import.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "tests/support/captured.h"
#include "tests/support/texts.h"
#include "tests/unit/workloads/onnx/onnx_text.h"

namespace weft::workloads {
namespace {

using conv::Layer;
using conv::LayerAxis;

Network import_model(const onnx::ModelProto& model, const ImportOptions& options = {}) {
  return import_onnx(file_of(model.SerializeAsString()), options);
}

Network import_text(const std::string& graph, const ImportOptions& options = {}) {
  return import_model(model_of(graph), options);
}

// Returns one convolution with a fixed input and weights.
std::string conv_graph(const std::string& attributes, const std::string& input = "1,4,10,13",
                       const std::string& weights = "6,4,3,3") {
  return fmt::format("g (float[{}] x, float[{}] w) => (float[] y) {{ y = Conv{}(x, w) }}", input, weights,
                     attributes.empty() ? "" : "<" + attributes + ">");
}

// Returns a graph of one node with these inputs.
std::string one(const std::string& inputs, const std::string& node) {
  return fmt::format("g ({}) => (float[] y) {{ y = {} }}", inputs, node);
}

Layer only_layer(const Network& network) {
  EXPECT_EQ(network.layers.size(), 1U);
  return network.layers.empty() ? Layer{} : network.layers[0];
}

void expect_axis(const LayerAxis& axis, const LayerAxis& expected) {
  const auto all = [](const LayerAxis& a) {
    return std::tuple(a.size, a.kernel, a.stride, a.pad_begin, a.pad_end, a.dilation);
  };
  EXPECT_EQ(all(axis), all(expected));
}

TEST(OnnxConv, HasTheDefaultsOfTheStandard) {
  const Layer layer =
      only_layer(import_text("g (float[2,4,10,13] x, float[6,4,3,2] w) => (float[] y) { y = Conv(x, w) }"));
  EXPECT_EQ(std::tuple(layer.channels, layer.filters, layer.groups), std::tuple(4, 6, 1));
  expect_axis(layer.h, {10, 3, 1, 0, 0, 1});
  expect_axis(layer.w, {13, 2, 1, 0, 0, 1});
}

TEST(OnnxConv, KeepsEveryAttributePerAxisAndSide) {
  const Layer layer = only_layer(import_text(conv_graph(
      "strides=[2,3], dilations=[2,1], pads=[0,1,2,3], group=2, kernel_shape=[3,3]", "1,4,10,13", "6,2,3,3")));
  EXPECT_EQ(layer.groups, 2);
  expect_axis(layer.h, {10, 3, 2, 0, 2, 2});
  expect_axis(layer.w, {13, 3, 3, 1, 3, 1});
}

TEST(OnnxConv, IsDepthwiseWhenEveryChannelIsAGroup) {
  const Layer layer = only_layer(import_text(conv_graph("group=4", "1,4,9,9", "8,1,3,3")));
  EXPECT_EQ(std::tuple(layer.groups, layer.channels, layer.filters), std::tuple(4, 4, 8));
}

TEST(OnnxConv, PadsAutomaticallyAsTheStandardSays) {
  // H: 10 with stride 2 gives 5 outputs: 4 * 2 + 3 - 10 = 1 zero. W: 13 gives 7: 6 * 2 + 3 - 13 = 2 zeros.
  const Layer upper = only_layer(import_text(conv_graph("auto_pad=\"SAME_UPPER\", strides=[2,2]")));
  expect_axis(upper.h, {10, 3, 2, 0, 1, 1});
  expect_axis(upper.w, {13, 3, 2, 1, 1, 1});
  const Layer lower = only_layer(import_text(conv_graph("auto_pad=\"SAME_LOWER\", strides=[2,2]")));
  expect_axis(lower.h, {10, 3, 2, 1, 0, 1});
  expect_axis(lower.w, {13, 3, 2, 1, 1, 1});
  expect_axis(only_layer(import_text(conv_graph("auto_pad=\"VALID\", strides=[2,2]"))).h, {10, 3, 2, 0, 0, 1});
  expect_axis(only_layer(import_text(conv_graph("auto_pad=\"NOTSET\", pads=[1,1,1,1]"))).h, {10, 3, 1, 1, 1, 1});
  // Dilated: 5 positions over 10, one stride each: 4 zeros. A stride larger than the kernel: none.
  expect_axis(only_layer(import_text(conv_graph("auto_pad=\"SAME_UPPER\", dilations=[2,2]"))).h, {10, 3, 1, 2, 2, 2});
  expect_axis(only_layer(import_text(conv_graph("auto_pad=\"SAME_UPPER\", strides=[5,5]"))).h, {10, 3, 5, 0, 0, 1});
}

TEST(OnnxConv, FeedsTheNextOneItsOutputShape) {
  const Network network = import_text(R"(g (float[1,3,32,32] x, float[8,3,5,5] w0, float[4,8,3,3] w1) => (float[] y) {
    a = Conv<auto_pad="SAME_UPPER", strides=[2,2]>(x, w0)
    b = Relu(a)
    c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b)
    y = Conv<pads=[1,1,1,1]>(c, w1)
  })");
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[0].h.out(), 16);
  EXPECT_EQ(network.layers[1].h.size, 8);
  EXPECT_EQ(network.layers[1].channels, 8);
  ASSERT_EQ(network.host_layers.size(), 2U);
  EXPECT_EQ(std::tuple(network.host_layers[1].op, network.host_layers[1].name, network.host_layers[1].elements),
            std::tuple("MaxPool", "n2", 8 * 8 * 8));
}

TEST(OnnxConv, OfEveryOpsetIsTheSame) {
  for (const int opset : {1, 6, 9, 11, 13, 17, 18, 19, 20, 21, 22, 23, 24}) {
    const Layer layer = only_layer(import_model(model_of(conv_graph("strides=[2,2], pads=[1,1,1,1]"), opset)));
    EXPECT_EQ(layer.h.out(), 5) << opset;
  }
  onnx::ModelProto silent = model_of(conv_graph("strides=[2,2], pads=[1,1,1,1]"));
  silent.clear_opset_import();
  silent.clear_ir_version();
  EXPECT_EQ(only_layer(import_model(silent)).h.out(), 5);
}

// --- Convolutions of other ranks and kinds ---

TEST(OnnxConv, OfOneDimensionHasHeightOne) {
  const Layer layer = only_layer(import_text(conv_graph("strides=[2], pads=[1,2]", "1,4,10", "6,4,3")));
  expect_axis(layer.h, {1, 1, 1, 0, 0, 1});
  expect_axis(layer.w, {10, 3, 2, 1, 2, 1});
}

// 6 x 4 x (2 x 3 x 3) weights at each of 4 x 7 x 8 outputs.
TEST(OnnxConv, OfThreeDimensionsHasTheTapsOfDepthAsChannels) {
  const Layer layer =
      only_layer(import_text(conv_graph("strides=[2,1,1], pads=[1,0,0,0,0,0]", "1,4,8,9,10", "6,4,2,3,3"), {5}));
  EXPECT_EQ(std::tuple(layer.batch, layer.channels, layer.filters), std::tuple(5 * 4, 4 * 2, 6));
  expect_axis(layer.h, {9, 3, 1, 0, 0, 1});
  EXPECT_EQ(macs(layer), 5 * 6 * 4 * 2 * 9 * 4 * 7 * 8);
}

// Every attribute by the standard's formula: stride * (input - 1) + output_padding + extent - pads.
TEST(OnnxConvTranspose, IsTheConvolutionThatItTransposes) {
  const Layer layer = only_layer(import_text(
      one("float[1,4,9,5] x, float[4,3,3,2] w",
          "ConvTranspose<strides=[2,3], dilations=[2,1], pads=[1,0,2,1], output_padding=[1,2], group=2>(x, w)")));
  EXPECT_TRUE(layer.transposed);
  EXPECT_EQ(std::tuple(layer.channels, layer.filters, layer.groups), std::tuple(6, 4, 2));
  expect_axis(layer.h, {19, 3, 2, 1, 1, 2});  // 2 * 8 + 1 + 5 - 3
  expect_axis(layer.w, {15, 2, 3, 0, 0, 1});  // 3 * 4 + 2 + 2 - 1
  EXPECT_EQ(layer.h.out(), 9);
  EXPECT_EQ(layer.w.out(), 5);
  EXPECT_EQ(macs(layer), 4 * 3 * 3 * 2 * 9 * 5);
}

TEST(OnnxConvTranspose, HasTheSizesOfAutoPadAndOutputShape) {
  const auto axis = [](const std::string& attributes) {
    return only_layer(import_text(one("float[1,4,5,5] x, float[4,3,3,3] w", "ConvTranspose<" + attributes + ">(x, w)")))
        .h;
  };
  expect_axis(axis("auto_pad=\"SAME_UPPER\", strides=[2,2]"), {10, 3, 2, 0, 1, 1});  // 2 * 4 + 3 - 10 zeros
  expect_axis(axis("auto_pad=\"SAME_LOWER\", strides=[2,2]"), {10, 3, 2, 1, 0, 1});
  expect_axis(axis("auto_pad=\"VALID\", strides=[2,2]"), {11, 3, 2, 0, 0, 1});
  expect_axis(axis("output_shape=[9,9], strides=[2,2]"), {9, 3, 2, 1, 1, 1});
}

TEST(OnnxConvTranspose, OfOneDimensionHasHeightOne) {
  const Layer layer =
      only_layer(import_text(one("float[1,4,5] x, float[4,3,4] w", "ConvTranspose<strides=[2], pads=[1,1]>(x, w)")));
  expect_axis(layer.h, {1, 1, 1, 0, 0, 1});
  expect_axis(layer.w, {10, 4, 2, 1, 1, 1});
}

TEST(OnnxConv, OfIntegersIsALayer) {
  const Network network = import_text(R"(g (float[1,4,8,8] x, float s, uint8 z, int8[4,4,3,3] w, int32[4] b) =>
    (float[] y) {
    q = QuantizeLinear(x, s, z)
    a = QLinearConv<pads=[1,1,1,1]>(q, s, z, w, s, z, s, z, b)
    c = ConvInteger(a, w)
    d = Cast<to=1>(c)
    y = Relu(d)
  })");
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[1].h.out(), 6);
  EXPECT_TRUE(network.layers[0].from_graph_input);
}

TEST(OnnxConv, IsFollowedByTheActivationOfFusedConv) {
  onnx::ModelProto model = model_of(conv_graph(""));
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
  node.set_op_type("FusedConv");
  node.set_domain("com.microsoft");
  onnx::AttributeProto& activation = *node.add_attribute();
  activation.set_name("activation");
  activation.set_type(onnx::AttributeProto::STRING);
  activation.set_s("Relu");
  const Network network = import_model(model);
  EXPECT_EQ(only_layer(network).name, "n0");
  ASSERT_EQ(network.host_layers.size(), 1U);
  EXPECT_EQ(network.host_layers[0].shape, (std::vector<std::int64_t>{1, 6, 8, 11}));
}

TEST(OnnxConv, OfOnePixelMayBeAnEinsum) {
  for (const char* equation : {"nchw,oc->nohw", "nchw,co->nohw"}) {
    const bool first = std::string(equation)[5] == 'o';
    onnx::ModelProto model = model_of(one(fmt::format("float[1,4,8,7] x, float[{}] w", first ? "6,4" : "4,6"),
                                          fmt::format("Einsum<equation=\"{}\">(x, w)", equation)));
    const Layer layer = only_layer(import_model(model));
    EXPECT_EQ(std::tuple(layer.channels, layer.filters, layer.h.size, layer.w.out()), std::tuple(4, 6, 8, 7));
  }
  const Network product =
      import_text("g (float[1,5,4] x, float[6,4] w) => (float[] y) { y = Einsum<equation=\"nlc,oc->nlo\">(x, w) }");
  ASSERT_EQ(product.fully_connected.size(), 1U);
  EXPECT_EQ(product.fully_connected[0].out_features, 6);
}

TEST(OnnxProduct, OfComputedMatricesIsAGroupedConvolutionIfAskedFor) {
  const std::string text = R"(g (float[1,3,7,8] q, float[1,3,8,5] k) => (float[] y) {
    a = Relu(q)
    b = Relu(k)
    y = MatMul(a, b)
  })";
  ImportOptions options;
  options.batch = 2;
  EXPECT_TRUE(import_text(text, options).fc_layers.empty());
  options.lower_matmul = true;
  const Network network = import_text(text, options);
  ASSERT_EQ(network.fc_layers.size(), 1U);
  const Layer& layer = network.fc_layers[0];
  EXPECT_EQ(std::tuple(layer.groups, layer.channels, layer.filters, layer.w.size), std::tuple(6, 48, 30, 7));
  EXPECT_EQ(macs(layer), 6 * 7 * 8 * 5);
}

// --- Pools ---

struct PoolCase {
  int size = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  bool ceil_mode = false;
};

// Counts the windows one by one: each within the padded input and, with ceil_mode, the next one if samples of the
// padded input remain and it begins within the input or the padding before it.
int windows_of(const PoolCase& pool) {
  const int extent = pool.dilation * (pool.kernel - 1) + 1, limit = pool.size + pool.pad_end;
  int windows = 0;
  for (int begin = -pool.pad_begin;; begin += pool.stride, ++windows) {
    if (begin + extent <= limit) continue;
    const bool left = begin - pool.stride + extent < limit;
    return pool.ceil_mode && left && begin < pool.size ? windows + 1 : windows;
  }
}

std::string pool_graph(const std::string& op, const PoolCase& h, const PoolCase& w) {
  const std::string dilations = op == "MaxPool" ? fmt::format(", dilations=[{}, {}]", h.dilation, w.dilation) : "";
  return fmt::format(
      "g (float[1,3,{},{}] x, float[4,3,1,1] w) => (float[] y) {{\n"
      "  a = {}<kernel_shape=[{}, {}], strides=[{}, {}], pads=[{}, {}, {}, {}]{}{}>(x)\n"
      "  b = Relu(a)\n  y = Conv(b, w)\n}}",
      h.size, w.size, op, h.kernel, w.kernel, h.stride, w.stride, h.pad_begin, w.pad_begin, h.pad_end, w.pad_end,
      dilations, h.ceil_mode ? ", ceil_mode=1" : "");
}

TEST(OnnxPool, HasTheWindowsThatBeginInTheInputOrTheLeftPadding) {
  std::mt19937 random(5711);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int cut = 0, ceiled = 0;
  for (int i = 0; i < 480; ++i) {
    const std::string op = i % 2 == 0 ? "MaxPool" : "AveragePool";
    const bool ceil_mode = i % 3 != 0;
    const auto axis = [&] {
      PoolCase pool;
      pool.kernel = pick(1, 5);
      pool.stride = pick(1, 5);
      pool.dilation = op == "MaxPool" ? pick(1, 3) : 1;
      pool.pad_begin = pick(0, pool.kernel - 1);
      pool.pad_end = pick(0, pool.kernel - 1);
      pool.size = pick(std::max(1, pool.dilation * (pool.kernel - 1) + 1 - pool.pad_begin - pool.pad_end), 40);
      pool.ceil_mode = ceil_mode;
      return pool;
    };
    const PoolCase h = axis(), w = axis();
    const std::string graph = pool_graph(op, h, w);
    const Layer layer = only_layer(import_text(graph));
    ASSERT_EQ(layer.h.size, windows_of(h)) << graph;
    ASSERT_EQ(layer.w.size, windows_of(w)) << graph;
    if (!ceil_mode) continue;
    const int free = h.size + h.pad_begin + h.pad_end - h.dilation * (h.kernel - 1) - 1;
    cut += (free + h.stride - 1) / h.stride + 1 > layer.h.size ? 1 : 0;
    PoolCase floored = h;
    floored.ceil_mode = false;
    ceiled += windows_of(floored) < layer.h.size ? 1 : 0;
  }
  EXPECT_GT(cut, 10);
  EXPECT_GT(ceiled, 50);
}

TEST(OnnxPool, IsFollowedByLayersOfItsShapeWhateverTheFileDeclares) {
  // 56 wide, 3 x 3, stride 3, a zero on each side: a 20th window would begin in the padding at the end.
  onnx::ModelProto model = model_of(R"(g (float[1,8,56,56] x, float[4,8,3,3] w) => (float[1,4,18,18] y) {
    a = MaxPool<kernel_shape=[3,3], strides=[3,3], pads=[1,1,1,1], ceil_mode=1>(x)
    b = MaxPool<kernel_shape=[1,1]>(a)
    y = Conv(b, w)
  })");
  onnx::ValueInfoProto& declared = *model.mutable_graph()->add_value_info();
  declared = model.graph().output(0);
  declared.set_name("a");
  const Network network = import_model(model);
  EXPECT_EQ(network.host_layers[0].shape, (std::vector<std::int64_t>{1, 8, 19, 19}));
  EXPECT_EQ(only_layer(network).h.out(), 17);
}

TEST(OnnxPool, PadsAutomaticallyAsTheStandardSays) {
  const auto size_of = [](const std::string& attributes) {
    return only_layer(import_text("g (float[1,3,10,10] x, float[4,3,1,1] w) => (float[] y) { a = MaxPool<" +
                                  attributes + ">(x) y = Conv(a, w) }"))
        .h.size;
  };
  EXPECT_EQ(size_of("kernel_shape=[4,4], strides=[3,3], auto_pad=\"SAME_UPPER\""), 4);
  EXPECT_EQ(size_of("kernel_shape=[4,4], strides=[3,3], auto_pad=\"SAME_LOWER\", ceil_mode=1"), 4);
  EXPECT_EQ(size_of("kernel_shape=[4,4], strides=[4,4], auto_pad=\"VALID\""), 2);
  EXPECT_EQ(size_of("kernel_shape=[4,4], strides=[4,4], auto_pad=\"VALID\", ceil_mode=1"), 3);
}

// --- Where weights come from ---

onnx::TensorProto& add_initializer(onnx::GraphProto& graph, const std::string& name, int filters = 4) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int dim : {filters, 4, 3, 3}) tensor.add_dims(dim);
  return tensor;
}

onnx::ModelProto with_initializer(const std::function<void(onnx::TensorProto&)>& fill, bool also_input) {
  onnx::ModelProto model = model_of(conv_graph("kernel_shape=[3,3]"));
  auto& graph = *model.mutable_graph();
  if (!also_input) graph.mutable_input()->DeleteSubrange(1, 1);
  fill(add_initializer(graph, "w", 6));
  return model;
}

TEST(OnnxWeights, MayBeInline) {
  const auto raw = [](onnx::TensorProto& t) { t.set_raw_data(std::string(6 * 4 * 9 * 4, 'x')); };
  const auto floats = [](onnx::TensorProto& t) {
    for (int i = 0; i < 6 * 4 * 9; ++i) t.add_float_data(1.0F);
  };
  EXPECT_EQ(only_layer(import_model(with_initializer(raw, false))).filters, 6);
  EXPECT_EQ(only_layer(import_model(with_initializer(floats, false))).filters, 6);
  EXPECT_EQ(only_layer(import_model(with_initializer(raw, true))).filters, 6);  // the form before IR version 4
}

TEST(OnnxWeights, MayBeInAFileThatIsNotThere) {
  const auto external = [](onnx::TensorProto& t) {
    t.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *t.add_external_data();
    entry.set_key("location");
    entry.set_value("no_such_file.bin");
  };
  EXPECT_EQ(only_layer(import_model(with_initializer(external, false))).filters, 6);
}

TEST(OnnxWeights, MayBeAbsentWhenAValueInfoGivesTheirShape) {
  onnx::ModelProto model = model_of(conv_graph("kernel_shape=[3,3]"));
  auto& graph = *model.mutable_graph();
  *graph.add_value_info() = graph.input(1);
  graph.mutable_input()->DeleteSubrange(1, 1);
  const Layer layer = only_layer(import_model(model));
  EXPECT_EQ(layer.filters, 6);
  EXPECT_TRUE(layer.from_graph_input);
}

TEST(OnnxWeights, MayPassThroughOperatorsThatAreNoLayers) {
  const Network network = import_text(R"(g (float[1,4,8,8] x, float[4,6,3,3] w, float[6] b) => (float[] y) {
    wt = Transpose<perm=[1,0,2,3]>(w)
    bi = Identity(b)
    y = Conv(x, wt, bi)
  })");
  EXPECT_EQ(only_layer(network).filters, 6);
  EXPECT_TRUE(network.host_layers.empty());
}

TEST(OnnxWeights, OfNoInitializerInputOrNodeAreRefusedByName) {
  onnx::ModelProto model = model_of(conv_graph(""));
  model.mutable_graph()->mutable_input()->DeleteSubrange(1, 1);
  EXPECT_TRUE(test::has(test::message_of<InputError>([&] { import_model(model); }),
                        "Conv node n0: needs w, which is neither an initializer, nor a graph input"));
}

// --- Batch ---

TEST(OnnxBatch, IsTheCallersWhateverTheFileSays) {
  for (const std::string batch : {"1", "8", "N", "?"}) {
    const std::string graph = conv_graph("", batch + ",4,10,13");
    EXPECT_EQ(only_layer(import_text(graph)).batch, 1) << batch;
    EXPECT_EQ(only_layer(import_text(graph, {32, false})).batch, 32) << batch;
  }
  onnx::ModelProto minus_one = model_of(conv_graph(""));
  minus_one.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  EXPECT_EQ(only_layer(import_model(minus_one, {3, false})).batch, 3);
}

TEST(OnnxBatch, DoesNotChangeTheShapeOfOneImage) {
  const std::string graph = R"(g (float[8,3,4,4] x) => (float[] y) {
    f = Flatten(x)
    y = Relu(f)
  })";
  const Network network = import_text(graph, {32, false});
  EXPECT_EQ(network.host_layers[1].shape, (std::vector<std::int64_t>{1, 48}));
  EXPECT_EQ(network.host_layers[1].elements, 48);
}

TEST(OnnxBatch, IsMultipliedForALayerThatSeesSeveralPartsOfAnImage) {
  const std::string graph = R"(g (float[2,4,8,8] x, float[6,4,3,3] w) => (float[] y)
    <int64[4] shape = {8, 4, 4, 4}> {
    parts = Reshape(x, shape)
    y = Conv(parts, w)
  })";
  EXPECT_EQ(only_layer(import_text(graph, {16, false})).batch, 64);
}

TEST(OnnxSizes, ThatTheFileLeavesOpenAreThoseOfTheCaller) {
  const onnx::ModelProto model = model_of(
      "g (float[N,4,H,W] x, float[N,5,W] z, float[6,4,3,3] w) => (float[] y, float[] v) { y = Conv(x, w) v = Relu(z) "
      "}");
  ImportOptions options;
  options.input_sizes = {10, 13};
  const Network network = import_model(model, options);
  const Layer layer = only_layer(network);
  EXPECT_EQ(std::tuple(layer.h.size, layer.w.size), std::tuple(10, 13));
  EXPECT_EQ(network.host_layers[0].shape, (std::vector<std::int64_t>{1, 5, 13}));
  options.input_sizes = {10, 13, 13};
  const std::string path = file_of(model.SerializeAsString());
  EXPECT_EQ(test::message_of<InputError>([&] { import_onnx(path, options); }),
            path + ": leaves 2 of its sizes open: H, W, but input_sizes gives 3; give as many");
  const onnx::ModelProto closed = model_of(conv_graph(""));
  EXPECT_TRUE(test::has(test::message_of<InputError>([&] { import_model(closed, options); }),
                        "leaves 0 of its sizes open, but input_sizes gives 3; give as many"));
}

TEST(OnnxBatch, BelowOneIsRefused) {
  EXPECT_THROW(import_text(conv_graph(""), {0, false}), InputError);
}

TEST(OnnxBatch, MayReachAReshapeThroughShapeArithmetic) {  // exporters write x.view(x.size(0), -1) this way
  const Network network = import_text(R"(g (float[N,3,4,4] x, float[48,10] w) => (float[] y)
    <int64 zero = {0}, int64[1] rest = {-1}, int64[1] axes = {0}> {
    s = Shape(x)
    n = Gather<axis=0>(s, zero)
    n1 = Unsqueeze(n, axes)
    shape = Concat<axis=0>(n1, rest)
    f = Reshape(x, shape)
    y = Gemm(f, w)
  })");
  ASSERT_EQ(network.fully_connected.size(), 1U);
  EXPECT_EQ(network.fully_connected[0].in_features, 48);
  EXPECT_EQ(network.host_layers.back().shape, (std::vector<std::int64_t>{1, 10}));
}

// --- Shapes that are computed ---

// Exporters write x.chunk(2, dim=1) this way: the sizes of the parts follow from the shape of x.
TEST(OnnxComputedShape, OfAChannelSplitIsFolded) {
  const Network network =
      import_text(R"(g (float[N,7,8,8] x, float[5,4,3,3] w, float[5,3,1,1] v) => (float[] y, float[] z)
    <int64 channel = {1}, int64 one = {1}, int64 two = {2}, int64[1] zero = {0}, int64[1] axis = {1}, int64[1] first = {1}> {
    s = Shape(x)
    c = Gather<axis=0>(s, channel)
    c1 = Add(c, one)
    half = Div(c1, two)
    end = Mul(half, first)
    a = Slice(x, zero, end, axis)
    rest = Mul(half, first)
    all = Unsqueeze(c, zero)
    b = Slice(x, rest, all, axis)
    y = Conv(a, w)
    z = Conv(b, v)
  })");
  ASSERT_EQ(network.layers.size(), 2U);  // 7 channels: (7 + 1) / 2 = 4 and the other 3
  EXPECT_EQ(network.layers[0].channels, 4);
  EXPECT_EQ(network.layers[1].channels, 3);
}

TEST(OnnxComputedShape, IsNotFoldedWhereItCannotBeKnown) {
  const auto split = [](const std::string& divisor, const std::string& channels) {
    return fmt::format(R"(g (float[1,{},8,8] x, float[5,4,3,3] w) => (float[] y)
    <int64 channel = {{1}}, int64 by = {{{}}}, int64[1] zero = {{0}}, int64[1] axis = {{1}}, int64[1] first = {{1}}> {{
    s = Shape(x)
    c = Gather<axis=0>(s, channel)
    part = Div(c, by)
    end = Mul(part, first)
    a = Slice(x, zero, end, axis)
    y = Conv(a, w)
  }})",
                       channels, divisor);
  };
  EXPECT_EQ(only_layer(import_text(split("2", "8"))).channels, 4);
  EXPECT_THROW(import_text(split("0", "8")), InputError);  // division by zero
  EXPECT_THROW(import_text(split("2", "C")), InputError);  // not static
}

TEST(OnnxComputedShape, MayBeAConstantOfAListOfNumbers) {
  onnx::ModelProto model = model_of(R"(g (float[1,8,17,13] x, float[4,8,3,3] w) => (float[] y) {
    s = Constant()
    r = Reshape(x, s)
    y = Conv(r, w)
  })");
  onnx::AttributeProto& values = *model.mutable_graph()->mutable_node(0)->add_attribute();
  values.set_name("value_ints");
  values.set_type(onnx::AttributeProto::INTS);
  for (const int dim : {1, 8, 13, 17}) values.add_ints(dim);
  EXPECT_EQ(only_layer(import_model(model)).h.size, 13);
}

// --- Names ---

TEST(OnnxNames, ThatATerminalWouldObeyOrThatAreNoTextAreRefused) {
  for (const std::string name : {"a\x1b[31m", "caf\xe9", "two\nlines",
                                 "a\xe2\x80\xae"
                                 "b"}) {
    onnx::ModelProto model = model_of(conv_graph(""));
    model.mutable_graph()->mutable_node(0)->set_name(name);
    EXPECT_THROW(import_model(model), InputError) << name;
  }
  onnx::ModelProto model = model_of(conv_graph(""));
  model.mutable_graph()->mutable_node(0)->set_name("\xe6\x97\xa5");
  EXPECT_EQ(only_layer(import_model(model)).name, "\xe6\x97\xa5");
}

// --- Fully connected layers ---

TEST(OnnxFullyConnected, IsAGemmWithEitherOrientationOfItsWeights) {
  const Network network = import_text(R"(g (float[1,48] x, float[48,20] v, float[10,20] w, float[10] b) => (float[] y) {
    h = Gemm(x, v)
    y = Gemm<transB=1>(h, w, b)
  })",
                                      {5, true});
  ASSERT_EQ(network.fully_connected.size(), 2U);
  EXPECT_EQ(network.fully_connected[0].in_features, 48);
  EXPECT_EQ(network.fully_connected[0].out_features, 20);
  EXPECT_EQ(network.fully_connected[1].in_features, 20);
  EXPECT_EQ(network.fully_connected[1].out_features, 10);
  EXPECT_TRUE(network.fc_layers[0].from_graph_input);
  EXPECT_FALSE(network.fc_layers[1].from_graph_input);
  EXPECT_EQ(network.fc_layers[1].batch, 5);
  EXPECT_TRUE(network.host_layers.empty());
}

TEST(OnnxFullyConnected, IsAMatMulWithAConstantMatrixAndCountsTheVectorsOfASequence) {
  const Network network =
      import_text(R"(g (float[2,7,16] x, float[16,32] w) => (float[] y) { y = MatMul(x, w) })", {3, true});
  ASSERT_EQ(network.fully_connected.size(), 1U);
  EXPECT_EQ(network.fully_connected[0].rows, 7);
  EXPECT_EQ(network.fc_layers[0].batch, 21);
}

TEST(OnnxFullyConnected, IsNoProductOfTwoComputedTensors) {
  const Network network = import_text(R"(g (float[1,7,16] x) => (float[] y) {
    t = Transpose<perm=[0,2,1]>(x)
    y = MatMul(x, t)
  })");
  EXPECT_TRUE(network.fully_connected.empty());
  EXPECT_EQ(network.host_layers.size(), 2U);
}

// --- Names and inputs ---

std::string name_for(const std::string& node_name, const std::string& weights = "w") {
  onnx::ModelProto model = model_of(conv_graph(""));
  auto& graph = *model.mutable_graph();
  graph.mutable_node(0)->set_name(node_name);
  graph.mutable_node(0)->set_input(1, weights);
  graph.mutable_input(1)->set_name(weights);
  return only_layer(import_model(model)).name;
}

TEST(OnnxNames, AreThoseOfPyTorchsModules) {
  EXPECT_EQ(name_for("/conv1/Conv"), "conv1");
  EXPECT_EQ(name_for("/features/features.3/squeeze/Conv"), "features.3.squeeze");
  EXPECT_EQ(name_for("/features/features.1/conv/conv.0/conv.0.0/Conv"), "features.1.conv.0.0");
  EXPECT_EQ(name_for("/layer2/layer2.0/downsample/downsample.0/Conv"), "layer2.0.downsample.0");
  EXPECT_EQ(name_for("/layer1/layer1.0/conv1/Conv_2"), "layer1.0.conv1");
  EXPECT_EQ(std::tuple(name_for("Conv_7", "backbone.0.weight"), name_for("block/Conv", "w"), name_for("/Conv", "w")),
            std::tuple("backbone.0", "block/Conv", "/Conv"));
  EXPECT_EQ(name_for("", "w"), "y");  // the name of its output
}

TEST(OnnxNames, AreUniqueWhenAModuleIsUsedTwice) {
  onnx::ModelProto model = model_of(R"(g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) {
    a = Conv(x, w)
    y = Conv(a, w)
  })");
  model.mutable_graph()->mutable_node(0)->set_name("/conv/Conv");
  model.mutable_graph()->mutable_node(1)->set_name("/conv/Conv_1");
  const Network network = import_model(model);
  EXPECT_EQ(network.layers[0].name, "conv");
  EXPECT_EQ(network.layers[1].name, "conv_1");
}

TEST(OnnxGraphInput, IsReadByALayerOnlyLiterally) {
  const Network network = import_text(R"(g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) {
    i = Identity(x)
    a = Conv<pads=[1,1,1,1]>(x, w)
    b = Conv<pads=[1,1,1,1]>(i, w)
    c = Conv<pads=[1,1,1,1]>(x, w)
    y = Sum(a, b, c)
  })");
  ASSERT_EQ(network.layers.size(), 3U);
  EXPECT_TRUE(network.layers[0].from_graph_input);
  EXPECT_FALSE(network.layers[1].from_graph_input);
  EXPECT_TRUE(network.layers[2].from_graph_input);
}

TEST(OnnxHostLayers, MayBeOfUnknownOperatorsAndShapes) {
  onnx::ModelProto model = model_of(R"(g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) {
    a = Conv(x, w)
    y = Relu(a)
  })");
  model.mutable_graph()->mutable_node(1)->set_op_type("Swish");
  model.mutable_graph()->mutable_node(1)->set_domain("com.example");
  const Network network = import_model(model);
  ASSERT_EQ(network.host_layers.size(), 1U);
  EXPECT_EQ(network.host_layers[0].op, "Swish");
  EXPECT_TRUE(network.host_layers[0].shape.empty());
  EXPECT_EQ(network.host_layers[0].elements, 0);
  ASSERT_EQ(network.warnings.size(), 1U);
  EXPECT_TRUE(test::has(network.warnings[0],
                        "operator Swish of domain com.example (node n1) is not known; the host computes "
                        "it, and it has no price"));
}

TEST(OnnxShapes, DeclaredForComputedTensorsGiveWayToTheInferredOnes) {
  const Network network = import_text(R"(g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[1,4,99,99] y) {
    a = Conv(x, w)
    y = Conv(a, w)
  })");
  EXPECT_EQ(network.layers[1].h.size, 6);
  EXPECT_EQ(network.layers[1].h.out(), 4);
  ASSERT_EQ(network.warnings.size(), 1U);
  EXPECT_TRUE(test::has(network.warnings[0],
                        ".onnx: value_info: y is 1x4x4x4, but declared as 1x4x99x99; the inferred shape is used"));
}

// --- What is refused ---

struct Refusal {
  const char* name;
  std::string graph;
  const char* message;
  friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }
};

class OnnxRefuses : public testing::TestWithParam<Refusal> {};

// Returns the whole message, "file: key: text"; the standard error stream must stay empty.
std::string refusal_of(const std::string& path) {
  test::Captured err(STDERR_FILENO);
  std::string message = test::message_of<InputError>([&] { import_onnx(path); });
  EXPECT_EQ(err.text(), "");
  return message;
}

TEST_P(OnnxRefuses, NamingTheFileTheNodeAndWhatIsAllowed) {
  const std::string path = file_of(model_of(GetParam().graph).SerializeAsString());
  std::string message = refusal_of(path), expected = GetParam().message;
  if (const auto rest = expected.find("...");
      rest != std::string::npos) {  // libonnx's text, which differs between its versions
    expected.resize(rest);
    message.resize(std::min(message.size(), path.size() + 2 + rest));
  }
  EXPECT_EQ(message, fmt::format("{}: {}", path, expected));
}

const std::vector<Refusal> kRefusals{
    {"FourDimensions", conv_graph("", "1,4,9,9,9,9", "6,4,3,3,3,3"),
     "Conv node n0: its weights are 6x4x3x3x3x3; convolutions of 1 to 3 dimensions, with weights of rank 3 to 5, are "
     "supported"},
    {"TransposedOfThreeDimensions", one("float[1,4,9,9,9] x, float[4,6,3,3,3] w", "ConvTranspose(x, w)"),
     "ConvTranspose node n0: is a transposed convolution of 3 dimensions, whose taps overlap in depth and would be "
     "summed by the host; 1 and 2 dimensions are supported: a Resize and a Conv of 3 dimensions can take its place"},
    {"OutputPaddingBeyondTheStride",
     one("float[1,4,9,9] x, float[4,6,3,3] w", "ConvTranspose<output_padding=[2,0], dilations=[3,1]>(x, w)"),
     "ConvTranspose node n0: its result has 17 samples along an axis, but 9 inputs with stride 1 and a kernel of 7 "
     "give "
     "at most 15"},
    {"OutputPaddingOfAnotherRank", one("float[1,4,9,9] x, float[4,6,3,3] w", "ConvTranspose<output_padding=[1]>(x, w)"),
     "ConvTranspose node n0: output_padding has 1 values, but a 2-D convolution takes 2"},
    {"TransposedWithoutOutput", one("float[1,4,1,9] x, float[4,6,3,3] w", "ConvTranspose<pads=[2,0,1,0]>(x, w)"),
     "ConvTranspose node n0: its result has 0 samples along an axis; 1 to 2147483647 are allowed"},
    {"InputOfAnotherRank", conv_graph("", "1,4,10"),
     "Conv node n0: its input is 1x4x10, but its weights are 6x4x3x3; equal ranks are needed"},
    {"DynamicHeight", conv_graph("", "1,4,H,10"),
     "Conv node n0: its input is 1x4x?x10, but channels and sizes must be static and 1 to 2147483647: dimension 2 (H) "
     "of graph input x is open; give its size in input_sizes of the run, or export the network with it"},
    {"DilatedKernelBeyondTheInput", conv_graph("dilations=[2,2], strides=[2,2]", "1,4,4,4"),
     "Conv node n0: layer n0: its kernel is 5 high, which exceeds the 4 of its padded input: its dilation counts"},
    {"DynamicWeights", conv_graph("", "1,4,9,9", "D,4,3,3"),
     "Conv node n0: its weights are ?x4x3x3, but every dimension must be static and 1 to 2147483647"},
    {"UnknownRank", "g (float[1,4,9,9] x, float[6,4,3,3] w) => (float[] y) { a = NoSuchOp(x) y = Conv(a, w) }",
     "Conv node n1: not even the rank of its input a is known (operator NoSuchOp of opset 13 (node n0) is not known); "
     "an input of rank 4 with static channels and sizes is needed"},
    {"UnknownRankOfWeights", one("float[1,4,9,9] x, float[] w", "Conv(x, w)"),
     "Conv node n0: the shape of its weights w is not known; an initializer, a graph input or a value_info must give "
     "it"},
    {"NoWeights", one("float[1,4,9,9] x", "Conv(x)"), "Conv node n0: has no weights; two operands are needed"},
    {"ZeroHeight", conv_graph("", "1,4,0,10"),
     "graph input x: dimension 2 is 0, but 1 to 16777216 or a dynamic one are allowed"},
    {"ZeroBatch", conv_graph("", "0,4,9,9"),
     "graph input x: dimension 0 is 0, but 1 to 16777216 or a dynamic one are allowed"},
    {"HugeHeight", conv_graph("", "1,4,4611686018427387904,10"),
     "graph input x: dimension 2 is 4611686018427387904, but 1 to 16777216 or a dynamic one are allowed"},
    {"ProductsBeyondCounting", conv_graph("", "16777216,16777216,16777216,16777216", "6,16777216,1,1"),
     "Conv node n0: layer n0: its input has more than 2^40 words, the most that are allowed: give smaller sizes or a "
     "smaller batch"},
    {"WeightsBeyondCounting", conv_graph("", "1,16777216,1,1", "16777216,16777216,1,1"),
     "Conv node n0: layer n0: its weights have more than 2^40 words, the most that are allowed: give smaller sizes or "
     "a smaller batch"},
    {"ZeroStride", conv_graph("strides=[0,1]"), "Conv node n0: strides holds 0, but 1 to 16777216 are allowed"},
    {"NegativePadding", conv_graph("pads=[0,0,-1,0]"), "Conv node n0: pads holds -1, but 0 to 16777216 are allowed"},
    {"ZeroDilation", conv_graph("dilations=[1,0]"), "Conv node n0: dilations holds 0, but 1 to 16777216 are allowed"},
    {"HugeDilation", conv_graph("dilations=[1,9000000000]"),
     "Conv node n0: dilations holds 9000000000, but 1 to 16777216 are allowed"},
    {"ZeroStrideOfPooling", one("float[1,4,9,9] x", "MaxPool<kernel_shape=[2,2], strides=[0,0]>(x)"),
     "MaxPool node n0: strides holds 0, but 1 to 16777216 are allowed"},
    {"StridesOfAnotherRank", conv_graph("strides=[1]"),
     "Conv node n0: strides has 1 values, but a 2-D convolution takes 2"},
    {"PadsOfAnotherRank", conv_graph("pads=[1,1]"), "Conv node n0: pads has 2 values, but a 2-D convolution takes 4"},
    {"GroupsThatDoNotDivide", conv_graph("group=3"),
     "Conv node n0: group is 3, but it must be at least 1 and divide its 4 channels and 6 filters"},
    {"GroupsBelowOne", conv_graph("group=0"),
     "Conv node n0: group is 0, but it must be at least 1 and divide its 4 channels and 6 filters"},
    {"WeightsOfOtherChannels", conv_graph("", "1,5,9,9"),
     "Conv node n0: its input has 5 channels in 1 groups, but its weights 6x4x3x3 take 4 each"},
    {"KernelShapeUnlikeTheWeights", conv_graph("kernel_shape=[5,5]"),
     "Conv node n0: kernel_shape is 5x5, but its weights are 6x4x3x3"},
    {"KernelBeyondThePaddedInput", conv_graph("pads=[0,1,0,0]", "1,4,9,1"),
     "Conv node n0: layer n0: its kernel is 3 wide, which exceeds the 2 of its padded input"},
    {"UnknownAutoPad", conv_graph("auto_pad=\"SAME\""),
     "Conv node n0: auto_pad is SAME; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed"},
    {"PadsAndAutoPad", conv_graph("auto_pad=\"VALID\", pads=[1,1,1,1]"),
     "Conv node n0: has pads and auto_pad VALID; only one of them is allowed"},
    {"FeaturesThatDoNotMatch", one("float[1,48] x, float[50,10] w", "Gemm(x, w)"),
     "Gemm node n0: its input is 1x48, but its weights 50x10 take 50 features"},
    {"BiasOfOtherFilters", one("float[1,4,9,9] x, float[6,4,3,3] w, float[5] b", "Conv(x, w, b)"),
     "Conv node n0: its bias b is 5, but 6 filters need a vector of 6"},
    {"BiasThatIsNoVector", one("float[1,4,9,9] x, float[6,4,3,3] w, float[1,6] b", "Conv(x, w, b)"),
     "Conv node n0: its bias b is 1x6, but 6 filters need a vector of 6"},
    {"FourOperandsOfAConvolution", one("float[1,4,9,9] x, float[6,4,3,3] w, float[6] b", "Conv(x, w, b, b)"),
     "Conv node n0: has 4 operands; 2 or 3 are allowed"},
    {"ScaleOfOtherChannels", one("float[1,4,9,9] x, float[4] a, float[3] b", "BatchNormalization(x, a, a, b, a)"),
     "BatchNormalization node n0: its mean b is 3, but 4 channels need a vector of 4"},
    {"ShiftOfOtherChannels", one("float[1,4,9,9] x, float[4] a, float[3] b", "InstanceNormalization(x, a, b)"),
     "InstanceNormalization node n0: its shift b is 3, but 4 channels need a vector of 4"},
    {"SlopeOfOtherChannels", one("float[1,4,9,9] x, float[3,1,1] a", "PRelu(x, a)"),
     "PRelu node n0: its slope a is 3x1x1, which cannot be broadcast to 1x4x9x9"},
    {"BiasOfOtherFeatures", one("float[1,48] x, float[48,10] w, float[9] b", "Gemm(x, w, b)"),
     "Gemm node n0: its bias b is 9, which cannot be broadcast to 1x10"},
    {"MatricesThatDoNotMatch",
     "g (float[1,48] x) => (float[] y) { a = Relu(x) y = Gemm<transA=1>(x, a) z = Gemm(x, a) }",
     "Gemm node n2: its input is 1x48, but its weights 1x48 take 1 features"},
    {"ProductsThatDoNotMatch", "g (float[2,3,4] x) => (float[] y) { a = Relu(x) y = MatMul(x, a) }",
     "MatMul node n1: the shapes of its operands and its attributes contradict each other (x 2x3x4, a 2x3x4): "
     "Incompatible dimensions for matrix multiplication"},
    {"SumsThatDoNotMatch", one("float[1,4,9,9] x, float[5,1,1] b", "Add(x, b)"),
     "Add node n0: the shapes of its operands and its attributes contradict each other (x 1x4x9x9, b 5x1x1): "
     "Incompatible dimensions"},
    {"ConcatenationThatDoesNotMatch",
     "g (float[1,4,9,9] x) => (float[] y) { a = MaxPool<kernel_shape=[2,2]>(x) y = Concat<axis=1>(x, a) }",
     "Concat node n1: the shapes of its operands and its attributes contradict each other (x 1x4x9x9, a 1x4x8x8): "
     "Can't merge shape info. ..."},
    {"AxisBeyondTheInput", one("float[1,4,9,9] x", "Concat<axis=4>(x, x)"),
     "Concat node n0: axis holds 4, but its input is 1x4x9x9"},
    {"WeightsOfATransposedConvolution", one("float[1,4,9,9] x, float[5,4,3,3] w", "ConvTranspose(x, w)"),
     "ConvTranspose node n0: its input has 4 channels in 1 groups, but its weights 5x4x3x3 take 5"},
    {"BiasOfATransposedConvolution",
     one("float[1,4,9,9] x, float[4,3,3,3] w, float[3] b", "ConvTranspose<group=2>(x, w, b)"),
     "ConvTranspose node n0: its bias b is 3, but 6 filters need a vector of 6"},
    {"WeightsOfAQuantisedConvolution",
     "g (uint8[1,4,9,9] x, uint8[5,3,3,3] w) => (int32[] y) { y = ConvInteger(x, w) }",
     "ConvInteger node n0: its input has 4 channels in 1 groups, but its weights 5x3x3x3 take 3 each"},
    {"ReshapeOfOtherElements", "g (float[1,4,9,9] x) => (float[] y) <int64[2] s = {1, 323}> { y = Reshape(x, s) }",
     "Reshape node n0: makes 1x323 of 323 elements from 1x4x9x9 of 324; it must keep their number"},
    {"TwoOperandsOfAnActivation", one("float[1,4,9,9] x", "Relu(x, x)"), "Relu node n0: has 2 operands; 1 are allowed"},
    {"WindowBeyondThePaddedInput",
     one("float[1,4,9,4] x", "MaxPool<kernel_shape=[3,3], dilations=[1,3], pads=[0,1,0,1]>(x)"),
     "MaxPool node n0: its window covers 7 samples, but with its padding the input has only 6"},
    {"WindowOfAnotherRank", one("float[1,4,9,9] x", "MaxPool<kernel_shape=[3]>(x)"),
     "MaxPool node n0: kernel_shape has 1 values, but its input is 1x4x9x9"},
    {"PoolOfUnknownAutoPad", one("float[1,4,9,9] x", "MaxPool<kernel_shape=[3,3], auto_pad=\"SAME\">(x)"),
     "MaxPool node n0: auto_pad is SAME; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed"},
    {"NodesOutOfOrder", "g (float[1,4,9,9] x) => (float[] y) { y = Relu(a) a = Relu(x) }",
     "Relu node n0: needs a, which a later node computes; nodes must be in topological order"},
    {"TwoProducersOfATensor", "g (float[1,4,9,9] x) => (float[] y) { y = Relu(x) y = Relu(x) }",
     "Relu node n1: computes y, which another node computes too"},
};

INSTANTIATE_TEST_SUITE_P(AModelWith, OnnxRefuses, testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(OnnxFile, ThatIsNoModelIsRefusedInOneLine) {
  const std::string whole = model_of(conv_graph("")).SerializeAsString();
  for (const std::string& bytes : {whole.substr(0, whole.size() - 5),
                                   std::string("\x7f"
                                               "ELF, not a model\n"),
                                   std::string("network: alexnet\n"), std::string()}) {
    const std::string path = file_of(bytes);
    const std::string message = refusal_of(path);
    EXPECT_EQ(message.rfind(path + ": is not an ONNX model", 0), 0U) << message;
    EXPECT_FALSE(test::has(message, "\n"));
  }
}

onnx::NodeProto& with_branch(onnx::ModelProto& model, const char* branch, const std::string& graph) {
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(model.graph().node_size() - 1);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(branch);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = model_of(graph).graph();
  attribute.mutable_g()->clear_input();
  return node;
}

const char* const kBranch = "g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] t) { t = Conv(x, w) }";
const char* const kOther = "g (float[1,4,8,8] x) => (float[] t) { t = Relu(x) }";

TEST(OnnxBranch, OfAConditionOnDataIsRefusedIfItHasAConvolution) {
  onnx::ModelProto model =
      model_of("g (float[1,4,8,8] x, float[6,4,3,3] w, bool c) => (float[] y) { a = Relu(x) y = If(c) }");
  with_branch(model, "then_branch", kBranch);
  with_branch(model, "else_branch", kOther);
  EXPECT_TRUE(test::has(refusal_of(file_of(model.SerializeAsString())),
                        "If node n1: its then_branch contains a convolution, but how often it runs depends on data; "
                        "only the branches of an If whose condition follows from constants and shapes are read"));
}

// Layers of a network with an If whose condition c is computed from the shape of a, 1x6x6x6: 2 with the then branch.
std::size_t branch_taken(const std::string& condition, const std::string& batch = "1") {
  onnx::ModelProto model =
      model_of(fmt::format(R"(g (float[{},4,8,8] x, float[6,4,3,3] v, float[6,4,3,3] w) => (float[] y)
      <int64 channel = {{1}}, int64 height = {{2}}, int64 six = {{6}}, int64 seven = {{7}}> {{
    a = Conv(x, v)
    s = Shape(a)
    h = Gather(s, height)
    d = Gather(s, channel)
    {}
    y = If(c)
  }})",
                           batch, condition));
  with_branch(model, "then_branch", kBranch);
  with_branch(model, "else_branch", kOther);
  const Network network = import_model(model);
  EXPECT_EQ(network.warnings.size(), batch == "1" ? 0U : 1U);
  if (batch != "1") {
    EXPECT_TRUE(test::has(network.warnings.at(0), "the file gives no batch; the "));
  }
  return network.layers.size();
}

TEST(OnnxBranch, OfAConditionOnShapesIsPartOfTheGraph) {
  for (const char* condition :
       {"c = Equal(h, six)", "c = Less(h, seven)", "e = Greater(h, six) c = Not(e)", "c = LessOrEqual(h, six)",
        "c = GreaterOrEqual(seven, h)", "e = Equal(h, six) f = Less(seven, d) c = Or(e, f)",
        "e = Equal(h, six) f = Equal(d, seven) c = Xor(e, f)", "e = Add(h, six) f = Equal(e, six) c = Not(f)"}) {
    EXPECT_EQ(branch_taken(condition), 2U) << condition;
  }
  for (const char* condition : {"c = Equal(h, seven)", "c = Greater(h, seven)", "e = Equal(d, six) c = Not(e)",
                                "e = Equal(h, six) f = Equal(d, seven) c = And(e, f)"}) {
    EXPECT_EQ(branch_taken(condition), 1U) << condition;
  }
  EXPECT_EQ(branch_taken("c = Equal(h, six)", "N"), 2U);
}

TEST(OnnxBranch, MayHoldAnother) {
  onnx::ModelProto outer =
      model_of(R"(g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] y) <int64 i = {2}, int64 eight = {8}> {
    s = Shape(x)
    h = Gather(s, i)
    c = Equal(h, eight)
    y = If(c)
  })");
  onnx::ModelProto inner = model_of(R"(g (float[1,4,8,8] x) => (float[] t) {
    r = Relu(x)
    u = Shape(r)
    k = Gather(u, i)
    e = Less(k, eight)
    t = If(e)
  })");
  with_branch(inner, "then_branch", kOther);
  with_branch(inner, "else_branch", kBranch);
  inner.mutable_graph()->clear_input();
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *outer.mutable_graph()->mutable_node(3)->add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = inner.graph();
  }
  EXPECT_EQ(import_model(outer).layers.size(), 1U);
}

TEST(OnnxAttention, IsTwoProductsForTheArrayIfAskedFor) {
  ImportOptions options;
  options.lower_matmul = true;
  options.batch = 2;
  const Network network = import_model(
      model_of(R"(g (float[1,4,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v) => (float[] y) { y = Attention(q, k, v) })",
               23),
      options);
  ASSERT_EQ(network.fc_layers.size(), 2U);
  EXPECT_EQ(macs(network.fc_layers[0]), 2 * 4 * 6 * 9 * 8);
  EXPECT_EQ(macs(network.fc_layers[1]), 2 * 4 * 6 * 9 * 5);
  EXPECT_EQ(network.fc_layers[0].groups, 8);
}

TEST(OnnxAttention, WithHeadsThatDoNotFitIsRefused) {
  const auto refused = [](const char* inputs, const char* node) {
    return refusal_of(file_of(model_of(one(inputs, node), 23).SerializeAsString()));
  };
  EXPECT_TRUE(test::has(refused("float[1,3,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v", "Attention(q, k, v)"),
                        "Attention node n0: has 3 heads of queries and 2 of keys; a multiple is needed"));
  EXPECT_TRUE(test::has(refused("float[1,6,8] x, float[1,6,4] c, float[1,6,4] s", "RotaryEmbedding(x, c, s)"),
                        "RotaryEmbedding node n0: has 0 heads, but its input is 1x6x8; num_heads must divide its last "
                        "dimension"));
  EXPECT_TRUE(test::has(
      refused("float[1,3,6,8] x, float[1,6,4] c, float[1,6,4] s", "RotaryEmbedding<rotary_embedding_dim=5>(x, c, s)"),
      "RotaryEmbedding node n0: turns 5 words of each head of 8; an even number up to 8 is allowed"));
}

TEST(OnnxBranch, OfAConstantConditionIsPartOfTheGraph) {
  for (const bool condition : {true, false}) {
    onnx::ModelProto model = model_of(fmt::format(
        "g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] y) <bool c = {{{}}}> {{ d = Not(c) y = If(d) }}",
        condition ? 0 : 1));
    with_branch(model, "then_branch", kBranch);
    with_branch(model, "else_branch", kOther);
    const Network network = import_model(model);
    EXPECT_EQ(network.layers.size(), condition ? 1U : 0U);
    EXPECT_EQ(network.host_layers[0].op, condition ? "Identity" : "Relu");
  }
}

// block(x, w) = Relu(Conv(x, w)), its strides from an attribute.
onnx::ModelProto with_function() {
  onnx::ModelProto model = model_of(R"(g (float[1,4,8,8] x, float[4,4,3,3] w, float[4,4,3,3] v) => (float[] y) {
    a = Relu(x)
    y = Relu(a)
  })");
  const char* const weights[] = {"w", "v"};
  for (int i = 0; i < 2; ++i) {
    onnx::NodeProto& call = *model.mutable_graph()->mutable_node(i);
    call.set_op_type("block");
    call.set_domain("example.com");
    call.add_input(weights[i]);
  }
  onnx::AttributeProto& strides = *model.mutable_graph()->mutable_node(0)->add_attribute();
  strides.set_name("s");
  strides.set_type(onnx::AttributeProto::INTS);
  strides.add_ints(2);
  strides.add_ints(2);
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("block");
  function.set_domain("example.com");
  function.add_attribute("s");
  for (const char* name : {"x", "w"}) function.add_input(name);
  function.add_output("y");
  const onnx::ModelProto body = model_of("g (float[1] x, float[1] w) => (float[] y) { a = Conv(x, w) y = Relu(a) }");
  *function.mutable_node() = body.graph().node();
  onnx::AttributeProto& bound = *function.mutable_node(0)->add_attribute();
  bound.set_name("strides");
  bound.set_type(onnx::AttributeProto::INTS);
  bound.set_ref_attr_name("s");
  return model;
}

TEST(OnnxFunction, IsReplacedByItsNodes) {
  const Network network = import_model(with_function());
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[0].h.out(), 3);
  EXPECT_EQ(network.layers[0].name, "n0/n0");
  EXPECT_EQ(network.layers[1].h.out(), 1);  // without the attribute, the operator's default
  EXPECT_EQ(network.host_layers.size(), 2U);
}

TEST(OnnxFunction, ThatCallsItselfIsRefused) {
  onnx::ModelProto model = with_function();
  onnx::NodeProto& node = *model.mutable_functions(0)->mutable_node(1);
  node.set_op_type("block");
  node.set_domain("example.com");
  node.add_input("w");
  EXPECT_TRUE(test::has(refusal_of(file_of(model.SerializeAsString())), "a function must not call itself"));
}

TEST(OnnxFunction, OfAnotherOpsetIsRefused) {
  onnx::ModelProto model = with_function();
  onnx::OperatorSetIdProto& import = *model.mutable_functions(0)->add_opset_import();
  import.set_version(18);
  EXPECT_TRUE(test::has(refusal_of(file_of(model.SerializeAsString())),
                        "function block: uses opset 18 of the ONNX domain, but the file opset 13"));
}

TEST(OnnxConv, OfAnotherDomainIsRefused) {
  onnx::ModelProto model = model_of(conv_graph(""));
  model.mutable_graph()->mutable_node(0)->set_domain("com.microsoft");
  EXPECT_TRUE(
      test::has(refusal_of(file_of(model.SerializeAsString())),
                "Conv node n0: is a convolution of domain com.microsoft, which is not known: write it as Conv"));
}

// Checks the error message for a model with one change.
void expect_refusal(const std::string& graph, const std::string& message,
                    const std::function<void(onnx::GraphProto&)>& change) {
  onnx::ModelProto model = model_of(graph);
  change(*model.mutable_graph());
  const std::string path = file_of(model.SerializeAsString());
  EXPECT_EQ(refusal_of(path), path + ": " + message);
}

const char* const kTwo = "g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) { a = Conv(x, w) y = Relu(a) }";

TEST(OnnxFile, WithTwoThingsOfOneNameIsRefused) {
  using Graph = onnx::GraphProto;
  const auto twice = [](Graph& graph) {
    add_initializer(graph, "w");
    add_initializer(graph, "w");
  };
  expect_refusal(kTwo, "initializer w: has the name of another initializer; every name may be given once", twice);
  const auto sparse = [](Graph& graph) {
    add_initializer(graph, "w");
    graph.add_sparse_initializer()->mutable_values()->set_name("w");
  };
  expect_refusal(kTwo, "initializer w: has the name of another initializer; every name may be given once", sparse);
  expect_refusal(kTwo, "graph input x: has the name of another graph input; every name may be given once",
                 [](Graph& graph) { *graph.add_input() = graph.input(0); });
  expect_refusal(kTwo, "Relu node n0: has the name of another node; every name may be given once",
                 [](Graph& graph) { graph.mutable_node(1)->set_name("n0"); });
  expect_refusal(
      kTwo,
      "Relu node n1: computes y, which is the name of another value, the initializer; every name may be given once",
      [](Graph& graph) { add_initializer(graph, "y"); });
  expect_refusal(
      kTwo,
      "Relu node n1: computes x, which is the name of another value, the graph input; every name may be given once",
      [](Graph& graph) { graph.mutable_node(1)->set_output(0, "x"); });
}

TEST(OnnxFile, WithAnOutputThatNothingComputesIsRefused) {
  expect_refusal(kTwo, "graph output z: is neither computed by a node, nor a graph input, nor an initializer",
                 [](onnx::GraphProto& graph) { graph.mutable_output(0)->set_name("z"); });
  onnx::ModelProto passed = model_of(kTwo);
  passed.mutable_graph()->add_output()->set_name("x");
  EXPECT_EQ(import_model(passed).layers.size(), 1U);
}

TEST(OnnxFile, OfAnOpsetThatIsNotKnownIsRefused) {
  for (const std::int64_t version : {std::int64_t{25}, std::int64_t{1} << 40}) {
    onnx::ModelProto model = model_of(kTwo);
    model.mutable_opset_import(0)->set_version(version);
    const std::string path = file_of(model.SerializeAsString());
    EXPECT_EQ(refusal_of(path),
              fmt::format("{}: opset_import: opset {} of the ONNX domain is newer than 24: export the "
                          "network with opset 24 or an older one",
                          path, version));
  }
  onnx::ModelProto twice = model_of(kTwo);
  onnx::OperatorSetIdProto& other = *twice.add_opset_import();
  other.set_domain("ai.onnx");
  other.set_version(9);
  EXPECT_TRUE(test::has(refusal_of(file_of(twice.SerializeAsString())),
                        "gives versions 13 and 9 of domain 'ai.onnx'; give one"));
  onnx::ModelProto elsewhere = model_of(kTwo);
  onnx::OperatorSetIdProto& vendor = *elsewhere.add_opset_import();
  vendor.set_domain("com.example");
  vendor.set_version(std::int64_t{1} << 40);
  EXPECT_EQ(import_model(elsewhere).layers.size(), 1U);
}

// --- Attributes ---

// Every attribute of every operator that libonnx knows, holding numbers of another type, while it claims that type, no
// type (as in old files), or the right one.
TEST(OnnxAttributes, OfAnotherTypeAreRefusedWhicheverOperatorHasThem) {
  int refused = 0;
  const int latest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;  // 17 in onnx 1.12
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    if (!schema.domain().empty()) continue;
    for (const auto& [name, declared] : schema.attributes()) {
      const bool floats = declared.type != onnx::AttributeProto::FLOATS;
      const onnx::AttributeProto::AttributeType held =
          floats ? onnx::AttributeProto::FLOATS : onnx::AttributeProto::INTS;
      for (const auto claimed :
           {held, onnx::AttributeProto::UNDEFINED, static_cast<onnx::AttributeProto::AttributeType>(declared.type)}) {
        onnx::ModelProto model = model_of("g (float[1,4,8,8] x) => (float[] y) { y = Relu(x) }", latest);
        onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
        node.set_op_type(schema.Name());
        onnx::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(name);
        if (claimed != onnx::AttributeProto::UNDEFINED) attribute.set_type(claimed);
        for (int i = 0; i < 2; ++i) floats ? attribute.add_floats(2) : attribute.add_ints(2);
        const std::string message = refusal_of(file_of(model.SerializeAsString()));
        ASSERT_TRUE(
            test::has(message, fmt::format("{} node n0: its attribute {} is of type {}; {} is needed", schema.Name(),
                                           name, floats ? "FLOATS" : "INTS",
                                           onnx::AttributeProto::AttributeType_Name(
                                               static_cast<onnx::AttributeProto::AttributeType>(declared.type)))));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 700);
}

TEST(OnnxAttributes, GivenTwiceUnknownMissingOrOfAFunctionAreRefused) {
  const std::string pooled = "g (float[1,4,8,8] x) => (float[] y) { y = MaxPool<kernel_shape=[2,2]>(x) }";
  const auto of_first = [](onnx::GraphProto& graph) -> onnx::NodeProto& { return *graph.mutable_node(0); };
  expect_refusal(pooled, "MaxPool node n0: has attribute kernel_shape twice; give it once",
                 [&](auto& graph) { *of_first(graph).add_attribute() = graph.node(0).attribute(0); });
  expect_refusal(pooled,
                 "MaxPool node n0: has attribute kernel, which MaxPool of opset 12 does not have; it has auto_pad, "
                 "ceil_mode, dilations, kernel_shape, pads, storage_order, strides",
                 [&](auto& graph) { of_first(graph).mutable_attribute(0)->set_name("kernel"); });
  expect_refusal(pooled, "MaxPool node n0: has no attribute kernel_shape; give it",
                 [&](auto& graph) { of_first(graph).clear_attribute(); });
  expect_refusal(
      pooled,
      "MaxPool node n0: its attribute kernel_shape refers to attribute k of a function, but the node is in no "
      "function; give its value",
      [&](auto& graph) { of_first(graph).mutable_attribute(0)->set_ref_attr_name("k"); });
}

TEST(OnnxFile, WithControlCharactersInItsNamesIsReportedInOneLine) {
  onnx::ModelProto model = model_of(conv_graph("strides=[0,0]"));
  model.mutable_graph()->mutable_node(0)->set_name("a\nb\x1b[31m");
  EXPECT_TRUE(test::has(refusal_of(file_of(model.SerializeAsString())), "Conv node a\\x0ab\\x1b[31m: the name"));
}

// Any damaged network is imported or causes an InputError: never a crash, another exception or other output.
TEST(OnnxFile, DamagedAnywhereIsEitherANetworkOrRefused) {
  int networks = 0, refusals = 0;
  test::Captured err(STDERR_FILENO);
  for_damaged(4711, [&](const std::string& damaged, std::mt19937&) {
    try {
      import_onnx(file_of(damaged), {1, true});
      ++networks;
    } catch (const InputError&) {
      ++refusals;
    }
  });
  EXPECT_EQ(err.text(), "");
  EXPECT_GT(networks, 20);
  EXPECT_GT(refusals, 20);
}

}  // namespace
}  // namespace weft::workloads

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

// Returns the whole message, "file: key: text"; the standard error stream must stay empty.
std::string refusal_of(const std::string& path) {
  test::Captured err(STDERR_FILENO);
  std::string message = test::message_of<InputError>([&] { import_onnx(path); });
  EXPECT_EQ(err.text(), "");
  return message;
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

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "tests/unit/workloads/graph/graph_case.h"
#include "tests/unit/workloads/onnx/onnx_text.h"
#include "workloads/graph/dependencies.h"
#include "workloads/graph/training_graph.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {
namespace {

Graph graph_of(const onnx::ModelProto& model, int batch = 1) {
  ImportOptions options;
  options.batch = batch;
  Graph graph = import_graph(file_of(model.SerializeAsString()), options).graph;
  EXPECT_NO_THROW(check(graph));
  return graph;
}

// Returns a graph from ONNX's textual syntax; its nodes are n0, n1, ...
Graph graph_of(const std::string& text, int batch = 1, int opset = 13) {
  return graph_of(model_of(text, opset), batch);
}

template <class What>
What only(const Graph& graph, const std::string& wanted = "n0") {
  const Operator& op = find(graph, wanted);
  EXPECT_EQ(op.problem, "");
  return std::get<What>(op.what);
}

const Tensor& input(const Graph& graph, const Operator& op, std::size_t slot) {
  return graph.tensors[op.inputs.at(slot)];
}

std::vector<std::int64_t> shape_of(const Graph& graph, const std::string& op, std::size_t output = 0) {
  return graph.tensors[find(graph, op).outputs.at(output)].shape;
}

using Dims = std::vector<std::int64_t>;

TEST(GraphConvolution, HasItsLayerItsWeightsAndABiasOfItsOwn) {
  const Graph graph = graph_of(
      "g (float[1,4,10,13] x, float[6,2,3,3] w, float[6] b) => (float[] y) { y = Conv<group=2, strides=[2,1]>(x, w, b) "
      "}",
      5);
  const Operator& conv = find(graph, "n0 F");
  const auto& what = std::get<ConvolutionOp>(conv.what);
  EXPECT_EQ(what.layer.groups, 2);
  EXPECT_EQ(what.layer.batch, 5);
  EXPECT_EQ(input(graph, conv, 0).shape, (Dims{5, 4, 10, 13}));
  EXPECT_EQ(input(graph, conv, 0).kind, TensorKind::Input);
  EXPECT_EQ(input(graph, conv, 1).shape, (Dims{6, 2, 3, 3}));
  EXPECT_EQ(input(graph, conv, 1).kind, TensorKind::Weight);
  // 4 x 11 outputs of 6 filters, 2 * 9 products each.
  EXPECT_EQ(shape_of(graph, "n0 F"), (Dims{5, 6, 4, 11}));
  EXPECT_EQ(conv.flops, 2 * 5 * 6 * 4 * 11 * 18);
  const Operator& bias = find(graph, "n0 bias");
  EXPECT_EQ(bias.overwrites, conv.outputs);
  EXPECT_EQ(graph.outputs, bias.outputs);
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
  EXPECT_EQ(maybe_folded(graph), std::vector<std::string>{"n0"});
}

TEST(GraphConvolution, SharesWeightsOfOneNameAndNotThoseThatExportMerged) {
  const Graph graph = graph_of(R"(g (float[1,4,8,8] x, float[4,4,1,1] w) => (float[] y) {
    i = Identity(w)
    a = Conv(x, w)
    b = Conv(a, w)
    y = Conv(b, i)
  })");
  const TensorId a = find(graph, "n1 F").inputs[1], b = find(graph, "n2 F").inputs[1],
                 y = find(graph, "n3 F").inputs[1];
  EXPECT_EQ(a, b);
  EXPECT_NE(a, y);
  const Graph training = training_graph(graph);
  EXPECT_EQ(find(training, "w gradient sum").inputs.size(), 2U);
  EXPECT_NO_THROW(find(training, "i update"));
}

TEST(GraphConvolution, TrainsTheWeightThatIsTransposedOnItsWay) {
  const Graph graph = graph_of(R"(g (float[1,4,8,8] x, float[4,6,3,3] w) => (float[] y) {
    wt = Transpose<perm=[1,0,2,3]>(w)
    y = Conv(x, wt)
  })");
  EXPECT_EQ(input(graph, find(graph, "n1 F"), 1).name, "w");
  EXPECT_EQ(graph.operators.size(), 1U);
}

// INP of GW is the gradient, KERN the input.
TEST(GraphConvolution, ThatIsTransposedReadsItsOperandsTheOtherWay) {
  const Graph graph = training_graph(graph_of(
      "g (float[1,4,9,9] x, float[4,3,3,3] w, float[3] b) => (float[] y) { a = Relu(x) y = ConvTranspose<strides=[2,2]>"
      "(a, w, b) }",
      2));
  EXPECT_EQ(shape_of(graph, "n1 F"), (Dims{2, 3, 19, 19}));
  const Operator &f = find(graph, "n1 F"), &gw = find(graph, "n1 GW"), &gi = find(graph, "n1 GI");
  EXPECT_EQ(input(graph, f, 0).shape, (Dims{2, 4, 9, 9}));
  EXPECT_EQ(input(graph, gi, 0).shape, (Dims{2, 3, 19, 19}));
  EXPECT_EQ(shape_of(graph, "n1 GI"), (Dims{2, 4, 9, 9}));
  EXPECT_EQ(input(graph, gw, 0).shape, (Dims{2, 3, 19, 19}));
  EXPECT_EQ(input(graph, gw, 1).shape, (Dims{2, 4, 9, 9}));
  EXPECT_EQ(std::get<BiasOp>(find(graph, "n1 bias").what).spatial, 19 * 19);
}

// The taps of depth are written before the layer, and the depths of its result are put in order.
TEST(GraphConvolution, OfThreeDimensionsIsBetweenCopies) {
  const Graph graph =
      graph_of("g (float[1,4,8,9,9] x, float[6,4,3,3,3] w) => (float[] y) { y = Conv<strides=[2,1,1]>(x, w) }", 2);
  EXPECT_EQ(shape_of(graph, "n0 taps"), (Dims{6, 12, 9, 9}));
  EXPECT_EQ(shape_of(graph, "n0 F"), (Dims{6, 6, 7, 7}));
  EXPECT_EQ(shape_of(graph, "n0 order"), (Dims{2, 6, 3, 7, 7}));
  EXPECT_EQ(input(graph, find(graph, "n0 F"), 1).elements, 6 * 4 * 27);
}

TEST(GraphConvolution, LooksThroughQuantisation) {
  const Graph graph = graph_of(
      "g (float[1,4,9,9] x, float s, int8 z) => (float[] y) <int8[6,4,1,1] w> { q = QuantizeLinear(x, s, z) "
      "d = DequantizeLinear(q, s, z) v = DequantizeLinear(w, s, z) y = Conv(d, v) }");
  const Operator& conv = find(graph, "n3 F");
  EXPECT_TRUE(std::get<ConvolutionOp>(conv.what).layer.from_graph_input);
  EXPECT_EQ(input(graph, conv, 1).name, "w");
  EXPECT_TRUE(input(graph, conv, 0).view_of.has_value());
}

TEST(GraphFullyConnected, AddsItsBiasWithTheProduct) {
  const Graph graph =
      graph_of("g (float[1,48] x, float[10,48] w, float[10] b) => (float[] y) { y = Gemm<transB=1>(x, w, b) }", 3);
  const auto what = only<FullyConnectedOp>(graph, "n0 F");
  EXPECT_EQ(std::tuple(what.rows, what.in_features, what.out_features), std::tuple(3, 48, 10));
  EXPECT_TRUE(what.bias);
  EXPECT_EQ(find(graph, "n0 F").flops, 2 * 3 * 48 * 10 + 3 * 10);
  EXPECT_EQ(find(graph, "n0 F").inputs.size(), 3U);
}

TEST(GraphArithmetic, TrainsAnInitializerAndNoConstant) {
  const Graph graph = graph_of(R"(g (float[1,7,16] x, float[16,32] w) => (float[] y)
    <float[32] b = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
                    1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}> {
    a = MatMul(x, w)
    s = Add(a, b)
    two = Constant<value = float {2.0}>()
    y = Mul(s, two)
  })",
                               2);
  EXPECT_EQ(input(graph, find(graph, "n1"), 1).kind, TensorKind::Weight);
  EXPECT_EQ(input(graph, find(graph, "n3"), 1).kind, TensorKind::Constant);
  const Graph training = training_graph(graph);
  // The gradient of the bias is summed over 2 * 7 rows; the gradient of the product is that of the sum.
  const auto sum = std::find_if(training.operators.begin(), training.operators.end(), [](const Operator& op) {
    return std::holds_alternative<ReduceOp>(op.what) && op.direction == Direction::Backward;
  });
  ASSERT_NE(sum, training.operators.end());
  EXPECT_EQ(std::get<ReduceOp>(sum->what).outputs, 32);
  EXPECT_EQ(std::get<ReduceOp>(sum->what).reduced, 14);
  EXPECT_NO_THROW(find(training, "b update"));
}

TEST(GraphActivation, KeepsItsParameters) {
  const auto of = [](const std::string& call) {
    return only<ActivationOp>(graph_of("g (float[1,4,5,5] x) => (float[] y) { y = " + call + "(x) }"));
  };
  EXPECT_EQ(of("Relu").function, Activation::Relu);
  EXPECT_EQ(of("LeakyRelu").alpha, 0.01);
  EXPECT_EQ(of("LeakyRelu<alpha=0.25>").alpha, 0.25);
  EXPECT_EQ(of("HardSigmoid<alpha=0.125>").alpha, 0.125);
  EXPECT_EQ(of("HardSigmoid").beta, 0.5);
  EXPECT_EQ(of("Elu<alpha=2.0>").alpha, 2);
  for (const auto& [name, function] :
       std::vector<std::pair<std::string, Activation>>{{"Sigmoid", Activation::Sigmoid},
                                                       {"Tanh", Activation::Tanh},
                                                       {"Softplus", Activation::Softplus},
                                                       {"Exp", Activation::Exp},
                                                       {"Neg", Activation::Negate},
                                                       {"Sqrt", Activation::Sqrt}}) {
    EXPECT_EQ(of(name).function, function) << name;
  }
  const Graph clip = graph_of(R"(g (float[1,4,5,5] x) => (float[] y) {
    low = Constant<value = float {0.0}>()
    high = Constant<value = float {6.0}>()
    y = Clip(x, low, high)
  })");
  EXPECT_EQ(only<ActivationOp>(clip, "n2").alpha, 0);
  EXPECT_EQ(only<ActivationOp>(clip, "n2").beta, 6);
  EXPECT_EQ(
      only<ActivationOp>(graph_of("g (float[1,4] x) => (float[] y) { y = Clip<min=-1.0, max=1.0>(x) }", 1, 6)).alpha,
      -1);
}

TEST(GraphPool, KeepsItsWholeGeometry) {
  const Graph graph = graph_of(R"(g (float[1,4,10,13] x) => (float[] y) {
    y = MaxPool<kernel_shape=[3,2], strides=[2,3], pads=[1,0,0,1], ceil_mode=1>(x)
  })",
                               2);
  const auto max = only<PoolOp>(graph);
  ASSERT_EQ(max.axes.size(), 2U);
  EXPECT_EQ(max.kind, PoolKind::Max);
  EXPECT_TRUE(max.ceil_mode);
  EXPECT_EQ(max.images, 2);
  EXPECT_EQ(max.channels, 4);
  const PoolAxis h = max.axes[0], w = max.axes[1];
  EXPECT_EQ((Dims{h.size, h.kernel, h.stride, h.pad_begin, h.pad_end, h.out}), (Dims{10, 3, 2, 1, 0, 5}));
  EXPECT_EQ((Dims{w.size, w.kernel, w.stride, w.pad_begin, w.pad_end, w.out}), (Dims{13, 2, 3, 0, 1, 5}));
  EXPECT_EQ(find(graph, "n0").flops, 5 * 2 * 4 * 5 * 5);
  EXPECT_EQ(graph.tensors[find(graph, "n0").outputs[1]].bytes(), 2 * 4 * 5 * 5 * 4);  // the indices

  const auto same = only<PoolOp>(
      graph_of("g (float[1,4,10,10] x) => (float[] y) { y = AveragePool<kernel_shape=[3,3], strides=[2,2], "
               "auto_pad=\"SAME_UPPER\", count_include_pad=1>(x) }"));
  EXPECT_TRUE(same.count_include_pad);
  EXPECT_EQ(same.axes[0].pad_begin, 0);  // 4 * 2 + 3 - 10 = 1 zero, at the end
  EXPECT_EQ(same.axes[0].pad_end, 1);

  const Graph global = graph_of("g (float[1,4,7,5] x) => (float[] y) { y = GlobalAveragePool(x) }");
  EXPECT_TRUE(only<PoolOp>(global).global);
  EXPECT_EQ(only<PoolOp>(global).axes[1].kernel, 5);
  EXPECT_EQ(find(global, "n0").flops, 4 * 35);  // 34 additions and a division per channel
  EXPECT_EQ(find(global, "n0").bytes_read, 4 * 4 * 35);
}

TEST(GraphNormalisation, OfTheFileWorksAsItIs) {
  const Graph graph = graph_of(R"(g (float[1,4,5,6] x, float[4,4,1,1] k, float[4] b, float[4] s, float[4] h, float[4] m,
                                     float[4] v) => (float[] y) {
    a = Conv(x, k, b)
    y = BatchNormalization<epsilon=0.5, momentum=0.75>(a, s, h, m, v)
  })",
                               3);
  const auto norm = only<BatchNormOp>(graph, "n1");
  EXPECT_EQ(std::tuple(norm.images, norm.channels, norm.spatial, norm.epsilon), std::tuple(3, 4, 30, 0.5));
  EXPECT_EQ(norm.momentum, 0.25);
  EXPECT_TRUE(maybe_folded(graph).empty());
  const Graph training = training_graph(graph);
  EXPECT_NO_THROW(find(training, "s update"));
  EXPECT_NO_THROW(find(training, "h update"));
  EXPECT_THROW(find(training, "m update"), Error);
  EXPECT_EQ(find(training, "n1 backward").outputs.size(), 3U);

  const Graph lrn =
      graph_of("g (float[1,8,5,5] x) => (float[] y) { y = LRN<size=5, alpha=0.5, beta=0.25, bias=2.0>(x) }");
  EXPECT_EQ(only<LrnOp>(lrn).size, 5);
  EXPECT_EQ(only<LrnOp>(lrn).k, 2);
  EXPECT_EQ(find(lrn, "n0").flops, 200 * 9);
  EXPECT_EQ(find(lrn, "n0").bytes_written, 2 * 800);  // and the scale
}

TEST(GraphSoftmax, IsAlongOneAxisOrAllFromOneOn) {
  const std::string graph = "g (float[1,4,5,6] x) => (float[] y) { y = Softmax<axis=1>(x) }";
  const auto now = only<SoftmaxOp>(graph_of(graph, 2, 13));
  EXPECT_EQ((Dims{now.outer, now.classes, now.inner}), (Dims{2, 4, 30}));
  const auto before = only<SoftmaxOp>(graph_of(graph, 2, 11));
  EXPECT_EQ((Dims{before.outer, before.classes, before.inner}), (Dims{2, 120, 1}));
}

// Sum of the operations of a graph's operators, all of which have a price.
std::int64_t operations(const Graph& graph) {
  EXPECT_NO_THROW(require_known(graph));
  std::int64_t sum = 0;
  for (const Operator& op : graph.operators) sum += op.flops;
  return sum;
}

TEST(GraphAttention, IsPricedAsTheOperatorsThatDefineIt) {
  // 3 images, 4 heads: queries of 6 x 8, keys of 9 x 8 and values of 9 x 5. Scaling queries and keys, their product, 5
  // operations of softmax, the product with the values.
  const std::int64_t plain = 3 * 4 * (6 * 8 + 9 * 8 + 2 * 6 * 9 * 8 + 5 * 6 * 9 + 2 * 6 * 9 * 5),
                     scores = 3 * 4 * 6 * 9;
  const auto counted = [](const std::string& call, const std::string& keys = "1,4,9") {
    return operations(
        graph_of(fmt::format("g (float[1,4,6,8] q, float[{0},8] k, float[{0},5] v, float[6,9] m, bool[6,9] "
                             "b, float[1,4,2,8] pk, float[1,4,2,5] pv) => (float[] y) {{ y = {1} }}",
                             keys, call),
                 3, 23));
  };
  EXPECT_EQ(counted("Attention(q, k, v)"), plain);
  EXPECT_EQ(counted("Attention(q, k, v)", "1,2,9"), plain);  // two heads of queries share one of keys
  EXPECT_EQ(counted("Attention(q, k, v, m)"), plain + scores);
  EXPECT_EQ(counted("Attention(q, k, v, b)"), plain + scores);
  EXPECT_EQ(counted("Attention<is_causal=1>(q, k, v)"), plain + scores);
  EXPECT_EQ(counted("Attention<softcap=20.0>(q, k, v)"), plain + 7 * scores);  // a tanh is 5 operations
  EXPECT_EQ(counted("Attention(q, k, v, , pk, pv)", "1,4,7"), plain);
}

TEST(GraphAttention, IsTrainedWithTheHeadsInTheLastDimension) {
  const Graph graph = graph_of(R"(g (float[1,6,32] x, float[32,32] a, float[32,16] b, float[32,10] c) => (float[] y) {
    q = MatMul(x, a)
    k = MatMul(x, b)
    v = MatMul(x, c)
    y = Attention<q_num_heads=4, kv_num_heads=2>(q, k, v)
  })",
                               3, 23);
  // As above, with 6 keys; the layers have 2 * 18 * 32 operations for each of their 32 + 16 + 10 outputs.
  const std::int64_t layers = 2 * 18 * 32 * (32 + 16 + 10);
  EXPECT_EQ(operations(graph), layers + 3 * 4 * (2 * 6 * 8 + 2 * 6 * 6 * 8 + 5 * 6 * 6 + 2 * 6 * 6 * 5));
  EXPECT_EQ(tensor_of(graph, "y").shape, (Dims{3, 6, 20}));
  const Graph training = training_graph(graph);
  EXPECT_NO_THROW(require_known(training));
  for (const char* weight : {"a", "b", "c"}) EXPECT_NO_THROW(find(training, std::string(weight) + " update")) << weight;
}

TEST(GraphRotation, IsPricedAsTheOperatorsThatDefineIt) {
  // Half of the words turned, times six operations; the tables of angles are not trained.
  const auto counted = [](const std::string& inputs, const std::string& call) {
    const Graph graph =
        graph_of(fmt::format("g ({}) => (float[] y) <float[1,2,2] c = {{1, 1, 1, 1}}, float[1,2,2] s = "
                             "{{0, 0, 0, 0}}, float[7,2] t = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}> "
                             "{{ y = RotaryEmbedding{} }}",
                             inputs, call),
                 3, 23);
    for (const Tensor& tensor : graph.tensors) EXPECT_NE(tensor.kind, TensorKind::Weight) << tensor.name;
    EXPECT_EQ(tensor_of(graph, "y").elements, tensor_of(graph, "x").elements);
    return operations(graph);
  };
  EXPECT_EQ(counted("float[1,5,2,4] x", "(x, c, s)"), 6 * 3 * 5 * 2 * 2);
  EXPECT_EQ(counted("float[1,2,20] x", "<num_heads=5>(x, c, s)"), 6 * 3 * 5 * 2 * 2);
  EXPECT_EQ(counted("float[1,5,2,4] x", "<interleaved=1>(x, c, s)"), 6 * 3 * 5 * 2 * 2);
  EXPECT_EQ(counted("float[1,5,2,6] x", "<rotary_embedding_dim=4>(x, c, s)"), 6 * 3 * 5 * 2 * 2);
  EXPECT_EQ(counted("float[1,5,2,4] x, int64[1,2] p", "(x, t, t, p)"), 6 * 3 * 5 * 2 * 2);
}

TEST(GraphCopies, MoveBytesAndViewsMoveNone) {
  const Graph graph = graph_of(R"(g (float[1,4,6,6] x, float[8,8,1,1] w) => (float[] y) {
    c = Concat<axis=1>(x, x)
    t = Transpose<perm=[0,2,3,1]>(c)
    f = Flatten(t)
    i = Identity(f)
    a, b = Split<axis=1>(i)
    y = Add(a, b)
  })",
                               2);
  EXPECT_EQ(only<ConcatOp>(graph).axis, 1U);
  EXPECT_EQ(find(graph, "n0").bytes_read, 2 * 144 * 4);  // one tensor is read twice
  EXPECT_EQ(find(graph, "n0").bytes_written, 2 * 288 * 4);
  EXPECT_EQ(only<CopyOp>(graph, "n1").permutation, (Dims{0, 2, 3, 1}));
  EXPECT_EQ(find(graph, "n1").bytes_written, 2 * 288 * 4);
  for (const std::string view : {"n2", "n3"}) {
    EXPECT_EQ(class_of(find(graph, view)), OperatorClass::View);
    EXPECT_EQ(find(graph, view).bytes_read + find(graph, view).bytes_written, 0);
  }
  EXPECT_EQ(shape_of(graph, "n2"), (Dims{2, 288}));
  EXPECT_EQ(storage(graph, find(graph, "n3").outputs[0]), find(graph, "n1").outputs[0]);
  EXPECT_EQ(shape_of(graph, "n4", 1), (Dims{2, 144}));
}

TEST(GraphShapes, OfADynamicBatchAreThoseOfTheCaller) {
  const Graph graph = graph_of(R"(g (float[N,4,6,6] x, float[144,10] w) => (float[] y)
    <int64[1] minus = {-1}, int64 zero = {0}, int64[1] axes = {0}> {
    s = Shape(x)
    n = Gather<axis=0>(s, zero)
    u = Unsqueeze(n, axes)
    d = Concat<axis=0>(u, minus)
    f = Reshape(x, d)
    y = MatMul(f, w)
  })",
                               8);
  EXPECT_EQ(shape_of(graph, "n4"), (Dims{8, 144}));
  EXPECT_EQ(only<FullyConnectedOp>(graph, "n5 F").rows, 8);
  for (const std::string arithmetic : {"n0", "n1", "n2", "n3"}) {  // arithmetic of shapes takes no time
    EXPECT_EQ(class_of(find(graph, arithmetic)), OperatorClass::View);
    EXPECT_EQ(find(graph, arithmetic).bytes_read, 0);
    EXPECT_EQ(find(graph, arithmetic).problem, "");
  }
  EXPECT_NO_THROW(require_known(training_graph(graph)));
}

TEST(GraphDropout, OfTheFileIsTrained) {
  const Graph graph = graph_of(R"(g (float[1,100] x, float[100,10] w) => (float[] y) {
    r = Constant<value = float {0.25}>()
    d, m = Dropout(x, r)
    y = MatMul(d, w)
  })");
  EXPECT_EQ(only<DropoutOp>(graph, "n1").ratio, 0.25);
  EXPECT_EQ(find(graph, "n1").bytes_written, 400 + 100);
}

TEST(GraphUnknown, OperatorsAreKeptWithTheirBytesAndNamedWhenPriced) {
  onnx::ModelProto model = model_of(R"(g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) {
    a = Conv<pads=[1,1,1,1]>(x, w)
    s = Relu(a)
    f = Flatten(s)
    y = Relu(f)
  })");
  auto& swish = *model.mutable_graph()->mutable_node(1);
  swish.set_op_type("Swish");
  swish.set_domain("com.example");
  auto& hint = *model.mutable_graph()->add_value_info();
  hint.set_name("s");
  hint.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int dim : {1, 4, 8, 8}) {
    hint.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  const Graph graph = training_graph(graph_of(model, 2));
  EXPECT_EQ(find(graph, "n1").problem, "the operator is not known");
  EXPECT_EQ(find(graph, "n1").bytes_read, 2 * 1024);
  EXPECT_EQ(find(graph, "n1 backward").bytes_read, 2 * 2048);  // the gradient and the input
  EXPECT_EQ(find(graph, "n1 backward").bytes_written, 2 * 1024);
  // Reported once, with its type: the backward operator is implied.
  const std::string message = test::message_of([&] { require_known(graph); });
  const std::string end = "no price is known for n1 (Swish: the operator is not known)";
  EXPECT_EQ(message.find(end), message.size() - end.size()) << message;
}

TEST(GraphUnknown, ShapesAreNamed) {
  const Graph graph = graph_of("g (float[1,4,H,8] x) => (float[] y) { y = Relu(x) }");
  EXPECT_EQ(find(graph, "n0").problem, "the shape of x is not known");
}

// --- What is refused ---

std::string refusal_of(const onnx::ModelProto& model, int batch = 1) {
  const std::string path = file_of(model.SerializeAsString());
  ImportOptions options;
  options.batch = batch;
  const std::string message = test::message_of<InputError>([&] { import_graph(path, options); });
  if (message == "nothing") return message;
  EXPECT_EQ(message.rfind(path + ": ", 0), 0U) << message;
  return message.substr(std::min(message.size(), path.size() + 2));
}

TEST(GraphRefuses, CyclesByTheirNodes) {
  EXPECT_EQ(refusal_of(model_of(R"(g (float[1,4,8,8] x) => (float[] y) {
    r = Relu(x)
    a = Add(r, c)
    b = Relu(a)
    c = Sigmoid(b)
    y = Relu(c)
  })")),
            "Add node n1: is on a cycle: n1 -> n2 -> n3 -> n1; a network must have none");
  EXPECT_EQ(refusal_of(model_of("g (float[1,4] x) => (float[] y) { y = Add(x, y) }")),
            "Add node n0: is on a cycle: n0 -> n0; a network must have none");
  // A reader of the cycle that precedes it is not part of it.
  EXPECT_EQ(refusal_of(model_of("g (float[1,4] x) => (float[] y) { y = Relu(a) a = Add(x, b) b = Relu(a) }")),
            "Add node n1: is on a cycle: n1 -> n2 -> n1; a network must have none");
}

TEST(GraphRefuses, TensorsThatSixtyFourBitsDoNotCount) {
  const onnx::ModelProto model =
      model_of("g (float[1,16777216,16777216,16] x) => (float[] y) { y = Relu(x) }");  // 2^52 words
  EXPECT_EQ(refusal_of(model, 32), "nothing");  // 2^59 bytes, and 2^59 bytes of y
  EXPECT_EQ(refusal_of(model, 64), "Relu node n0: with tensor y, the graph takes more than 2^60 bytes at batch 64");
  EXPECT_EQ(refusal_of(model, 65), "Relu node n0: tensor x takes more than 2^60 bytes at batch 65");
}

// Any damaged file results in a graph with a training iteration or in a refusal.
TEST(GraphImport, OfADamagedFileIsAGraphOrRefused) {
  int graphs = 0, refusals = 0;
  for_damaged(815, [&](const std::string& damaged, std::mt19937& random) {
    try {
      const Graph forward = import_graph(file_of(damaged), {2, random() % 2 == 0, 4}).graph;
      ASSERT_NO_THROW(check(forward));
      ++graphs;
      const Graph training = training_graph(forward);
      ASSERT_NO_THROW(check(training));
      ASSERT_TRUE(Dependencies(training).allows(given_order(training)));
    } catch (const InputError&) {
      ++refusals;
    }
  });
  EXPECT_GT(graphs, 40);
  EXPECT_GT(refusals, 40);
}

}  // namespace
}  // namespace weft::workloads

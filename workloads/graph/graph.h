#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "workloads/network.h"

// A network as a graph of operators and tensors: forward as it is imported, or the whole training iteration
// (training_graph.h). Plain data; every size is for the whole batch.
namespace weft::workloads {

// Where a value stands, for messages.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string key;
};

using TensorId = std::size_t;    // index into Graph::tensors
using OperatorId = std::size_t;  // index into Graph::operators

enum class TensorKind : std::uint8_t {
  Input,           // of the network
  Label,           // of the loss
  Activation,      // what a forward operator computes
  Gradient,        // of an activation
  Weight,          // a parameter
  WeightGradient,  // of a parameter
  OptimiserState,
  Statistic,  // of a normalisation: of the batch, saved for backward, or running
  Mask,       // of dropout, and the indices of max pooling
  Constant,   // neither trained nor computed from the input
  Loss
};
const char* to_string(TensorKind kind);

struct Tensor {
  std::string name;
  TensorKind kind = TensorKind::Activation;
  std::vector<std::int64_t> shape;  // of the whole batch; empty for a scalar, and where it is not known
  std::int64_t elements = 0;        // 0 only where the shape is not known
  int element_bytes = 4;
  std::optional<TensorId> view_of;     // lies in the memory of this tensor (which may itself be a view)
  std::optional<OperatorId> producer;  // nothing: it is there before the iteration
  std::vector<OperatorId> consumers;   // in operator order, each once

  Bytes bytes() const { return elements * element_bytes; }
};

enum class Direction : std::uint8_t { Forward, Loss, Backward, Update };
const char* to_string(Direction direction);

// What a roofline prices alike.
enum class OperatorClass : std::uint8_t {
  Convolution,
  FullyConnected,  // a matrix product with a weight
  MatrixProduct,   // of two computed tensors
  Elementwise,     // activations, arithmetic, bias, dropout
  Pool,
  Normalisation,  // batch normalisation and LRN
  Softmax,        // and the loss
  Reduction,      // sums over axes: ReduceMean, bias gradients
  Copy,           // concat and its backward, transposes, padding, slices
  View,           // takes no time and moves no byte: reshapes, Identity, backward of an Add
  Accumulate,     // sum of the gradients of a tensor with several consumers
  Optimiser,
  Unknown
};
const char* to_string(OperatorClass kind);

// --- What an operator is, with its whole geometry. Backward operators have that of their forward operator. ---

// F, GI or GW of a layer. Inputs are (INP, KERN) as in the thesis, Table 5.3: F (IFM, weights), GI (gradient of the
// OFM, weights), GW (IFM, gradient of the OFM). A bias is a BiasOp of its own: the kernels add none.
struct ConvolutionOp {
  std::size_t index = 0;  // into Network::layers, or Network::fc_layers
  conv::Layer layer;      // its name and `kind` are those of a row of a run
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;  // a lowered fully connected layer: index is into fc_layers
};

// `rows` vectors (of the whole batch) times a matrix. F adds the bias where there is one; GI and GW as for
// convolutions, with the same order of inputs.
struct FullyConnectedOp {
  std::size_t index = 0;  // into Network::fully_connected
  std::int64_t rows = 1, in_features = 1, out_features = 1;
  conv::Kind kind = conv::Kind::F;
  bool bias = false;  // of F: its third input
};

// `batch` products of (m x k) and (k x n). Backward: GI is the gradient of the first operand, GW of the second.
struct MatrixProductOp {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  conv::Kind kind = conv::Kind::F;
};

// Adds a bias to each channel, in place; backward sums the gradient over everything but the channels.
struct BiasOp {
  std::int64_t images = 1, channels = 1, spatial = 1;
};

enum class Activation : std::uint8_t {
  Relu,
  Clip,  // ReLU6
  LeakyRelu,
  PRelu,
  Elu,
  Sigmoid,
  Tanh,
  HardSigmoid,
  HardSwish,
  Gelu,
  Softplus,
  Erf,
  Exp,
  Log,
  Sqrt,
  Abs,
  Negate,
  Reciprocal
};
const char* to_string(Activation function);
bool saves_input(Activation function);

// Backward reads the gradient and the output; where saves_input(function), the input instead.
struct ActivationOp {
  Activation function = Activation::Relu;
  double alpha = 0;  // lower bound of Clip, slope of LeakyRelu and HardSigmoid, alpha of Elu
  double beta = 0;   // upper bound of Clip, offset of HardSigmoid
};

struct PoolAxis {
  std::int64_t size = 1, kernel = 1, stride = 1, pad_begin = 0, pad_end = 0, dilation = 1, out = 1;
};

enum class PoolKind : std::uint8_t { Max, Average };

// The output size follows from `ceil_mode`, the windows at the end may hang over. Max pooling has a second output, the
// index of each maximum, that its backward reads; average pooling's backward reads the gradient alone.
struct PoolOp {
  PoolKind kind = PoolKind::Max;
  bool global = false;
  std::int64_t images = 1, channels = 1;
  std::vector<PoolAxis> axes;  // H, W; one or three of them for other ranks
  bool ceil_mode = false;
  bool count_include_pad = false;
};

// In training mode. Forward: inputs x, scale, shift, running statistics; outputs y, the statistics of the batch (2 x
// channels: mean and reciprocal deviation), the running ones. Backward: inputs gradient of y, x, scale, statistics;
// outputs gradient of x, of scale, of shift.
struct BatchNormOp {
  std::int64_t images = 1, channels = 1, spatial = 1;
  double epsilon = 1e-5;
  double momentum = 0.1;  // of the new value, as PyTorch says it
};

// Across channels. Forward writes y and the scale (k + alpha / size * sum of squares); backward reads the gradient, x
// and the scale.
struct LrnOp {
  std::int64_t images = 1, channels = 1, spatial = 1, size = 1;
  double alpha = 1e-4, beta = 0.75, k = 1;
};

struct SoftmaxOp {
  std::int64_t outer = 1, classes = 1, inner = 1;  // along `classes`
  bool log = false;
};

enum class Arithmetic : std::uint8_t { Add, Subtract, Multiply, Divide, Max, Min, Power };
const char* to_string(Arithmetic function);

// Of two or more inputs of the output's shape, or of smaller ones that are repeated.
struct ArithmeticOp {
  Arithmetic function = Arithmetic::Add;
};

struct ConcatOp {
  std::size_t axis = 1;
};
struct SplitOp {
  std::size_t axis = 1;
};

enum class CopyKind : std::uint8_t { Transpose, Pad, Slice, Resize, Expand, Cast };
struct CopyOp {
  CopyKind kind = CopyKind::Transpose;
  std::vector<std::int64_t> permutation;  // of Transpose
};

struct ViewOp {};

enum class ReduceKind : std::uint8_t { Mean, Sum, Max, Min };
struct ReduceOp {
  ReduceKind kind = ReduceKind::Mean;
  std::int64_t outputs = 1, reduced = 1;  // each output is of `reduced` elements
};

struct DropoutOp {
  double ratio = 0.5;
};

// Sum of all inputs into a tensor of its own.
struct AccumulateOp {};

enum class LossInput : std::uint8_t { Logits, Probabilities, LogProbabilities };

// Softmax cross-entropy, mean over `rows`. Forward writes the loss and, of logits, their log-softmax for backward.
struct LossOp {
  std::int64_t rows = 1, classes = 1;
  LossInput reads = LossInput::Logits;
};

// v = momentum * v + (g + weight_decay * w); w = w - rate * v.
struct SgdOp {
  double momentum = 0.9, weight_decay = 1e-4;
};

// An operator that is not known here, or of which a size is not known. It is taken to read its inputs and to write its
// outputs; backward to read the gradients of the outputs and the inputs, and to write the gradients of the inputs.
struct UnknownOp {
  std::string op;
};

using Attributes = std::variant<ConvolutionOp, FullyConnectedOp, MatrixProductOp, BiasOp, ActivationOp, PoolOp,
                                BatchNormOp, LrnOp, SoftmaxOp, ArithmeticOp, ConcatOp, SplitOp, CopyOp, ViewOp,
                                ReduceOp, DropoutOp, AccumulateOp, LossOp, SgdOp, UnknownOp>;

struct Operator {
  // Of a convolution or fully connected layer, and of all that follows from it, the layer's in Network; of the others
  // the one in Network::host_layers. Of an update that of the parameter; of an accumulation that of the activation.
  std::string name;
  Direction direction = Direction::Forward;
  Attributes what;
  std::vector<TensorId> inputs, outputs;
  std::vector<TensorId> overwrites;  // of these the memory is changed in place: by outputs that are views of them
  std::int64_t flops = 0;            // docs/training-graph.md says what is counted
  Bytes bytes_read = 0, bytes_written = 0;
  std::string problem;  // why there is no price, or only one by its bytes; empty if there is one

  bool is_convolution() const { return std::holds_alternative<ConvolutionOp>(what); }
};

OperatorClass class_of(const Operator& op);

// "conv1 F", "/Relu", "/Relu backward", "conv1.weight update": for people, not always unique.
std::string label(const Operator& op);

struct Graph {
  std::string name;
  std::string file;  // "" for a graph that was not imported
  int batch = 1;
  int word_bytes = 4;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in an order that the dependencies allow
  std::vector<TensorId> inputs;     // of the network
  std::vector<TensorId> outputs;    // of the network
};

// Throws Error unless ids are in range, producers and consumers are those that the operators say, and there is no
// cycle: then the message names an operator of it.
void check(const Graph& graph);

// The tensor whose memory `tensor` lies in: itself, or what it is a view of in the end.
TensorId storage(const Graph& graph, TensorId tensor);

// Whether a tensor that it reads or writes has no known size.
bool has_unsized(const Graph& graph, const Operator& op);

// The operators that have a `problem`, each with its type and why, for messages; those of the forward pass if it has
// any, for the others follow from them. "": there are none. `unsized`: only those with a tensor of unknown size.
std::string without_price(const Graph& graph, bool unsized = false);

// Throws Error that lists the operators that have a `problem`.
void require_known(const Graph& graph);

// The forward convolutions with a bias and no batch normalisation behind them: one may have been folded into them,
// which a file does not say.
std::vector<std::string> maybe_folded(const Graph& graph);

inline float maximum(float a, float b) {
  return std::max(a, b);
}
inline float minimum(float a, float b) {
  return std::min(a, b);
}

// A function of two operands of a type that has the operators, maximum, minimum and pow: a word, or a tensor of
// LibTorch.
template <class Value>
Value apply(Arithmetic function, const Value& a, const Value& b) {
  using std::pow;
  switch (function) {
    case Arithmetic::Add:
      return a + b;
    case Arithmetic::Subtract:
      return a - b;
    case Arithmetic::Multiply:
      return a * b;
    case Arithmetic::Divide:
      return a / b;
    case Arithmetic::Max:
      return maximum(a, b);
    case Arithmetic::Min:
      return minimum(a, b);
    case Arithmetic::Power:
      return pow(a, b);
  }
  return a;
}

}  // namespace weft::workloads

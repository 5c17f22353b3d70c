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

// Network as a graph of operators and tensors: the imported forward graph, or the whole training iteration
// (training_graph.h). Plain data; all sizes are for the whole batch.
namespace weft::workloads {

// Place of a value in a file, for messages.
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
  Activation,      // output of a forward operator
  Gradient,        // of an activation
  Weight,          // a parameter
  WeightGradient,  // of a parameter
  OptimiserState,
  Statistic,  // of a normalisation: batch statistics saved for backward, or running statistics
  Mask,       // dropout masks, and max-pooling indices
  Constant,   // neither trained nor computed from the input
  Loss
};
const char* to_string(TensorKind kind);

struct Tensor {
  std::string name;
  TensorKind kind = TensorKind::Activation;
  std::vector<std::int64_t> shape;  // of the whole batch; empty for a scalar or an unknown shape
  std::int64_t elements = 0;        // 0 only for an unknown shape
  int element_bytes = 4;
  std::optional<TensorId> view_of;     // shares the memory of this tensor (which may itself be a view)
  std::optional<OperatorId> producer;  // nothing: exists before the iteration
  std::vector<OperatorId> consumers;   // in operator order, without duplicates

  Bytes bytes() const { return elements * element_bytes; }
};

enum class Direction : std::uint8_t { Forward, Loss, Backward, Update };
const char* to_string(Direction direction);

// Classes of operators for the roofline model.
enum class OperatorClass : std::uint8_t {
  Convolution,
  FullyConnected,  // a matrix product with a weight
  MatrixProduct,   // of two computed tensors
  Elementwise,     // activations, arithmetic, bias, dropout
  Pool,
  Normalisation,  // batch, layer, group and instance normalisation, LRN
  Softmax,        // includes the loss
  Reduction,      // sums over axes: ReduceMean, bias gradients
  Copy,           // concat and its backward, transposes, padding, slices
  View,           // costs no time or traffic: reshapes, Identity, backward of an Add
  Accumulate,     // sum of the gradients of a tensor with several consumers
  Optimiser,
  Unknown
};
const char* to_string(OperatorClass kind);

// --- Operators with their complete geometry. A backward operator has that of its forward operator. ---

// F, GI or GW of a layer. Inputs are (INP, KERN) as in the thesis, Table 5.3: F (IFM, weights), GI (gradient of the
// OFM, weights), GW (IFM, gradient of the OFM; of a transposed layer: gradient, input). A bias is a separate BiasOp,
// since the kernels add none.
struct ConvolutionOp {
  std::size_t index = 0;  // into Network::layers or Network::fc_layers
  conv::Layer layer;      // its name and `kind` equal those of a run's row
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;  // lowered fully connected layer: `index` is into fc_layers
};

// `rows` vectors (of the whole batch) times a matrix. F adds the bias, if any; GI and GW as for convolutions, with the
// same order of inputs.
struct FullyConnectedOp {
  std::size_t index = 0;  // into Network::fully_connected
  std::int64_t rows = 1, in_features = 1, out_features = 1;
  conv::Kind kind = conv::Kind::F;
  bool bias = false;  // F only: third input
};

// `batch` products of (m x k) and (k x n). Backward: GI is the gradient of the first operand, GW that of the second.
struct MatrixProductOp {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  conv::Kind kind = conv::Kind::F;
};

// Adds a bias to each channel, in place; backward sums the gradient over all other dimensions.
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
  Mish,
  Swish,
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

// Backward reads the gradient and the output, or if saves_input(function) the input instead of the output.
struct ActivationOp {
  Activation function = Activation::Relu;
  double alpha = 0;  // lower bound of Clip, slope of LeakyRelu and HardSigmoid, alpha of Elu and Swish
  double beta = 0;   // upper bound of Clip, offset of HardSigmoid
};

struct PoolAxis {
  std::int64_t size = 1, kernel = 1, stride = 1, pad_begin = 0, pad_end = 0, dilation = 1, out = 1;
};

enum class PoolKind : std::uint8_t { Max, Average };

// The output size includes the effect of `ceil_mode`; windows at the end may exceed the input. Max pooling has a second
// output, the indices of the maxima, which its backward reads; average pooling's backward reads only the gradient.
struct PoolOp {
  PoolKind kind = PoolKind::Max;
  bool global = false;
  std::int64_t images = 1, channels = 1;
  std::vector<PoolAxis> axes;  // H, W; one or three axes for other ranks
  bool ceil_mode = false;
  bool count_include_pad = false;
};

// Batch normalisation in training mode. Forward: inputs x, scale, shift, running statistics; outputs y, batch
// statistics (2 x channels: mean and reciprocal deviation), running statistics. Backward: inputs gradient of y, x,
// scale, statistics; outputs gradients of x, scale and shift.
struct BatchNormOp {
  std::int64_t images = 1, channels = 1, spatial = 1;
  double epsilon = 1e-5;
  double momentum = 0.1;  // weight of the new value, as in PyTorch
};

// LRN across channels. Forward writes y and the scale (k + alpha / size * sum of squares); backward reads the gradient,
// x and the scale.
struct LrnOp {
  std::int64_t images = 1, channels = 1, spatial = 1, size = 1;
  double alpha = 1e-4, beta = 0.75, k = 1;
};

// Normalisation of each row of `size` elements by its own mean and deviation: layer, group and instance normalisation;
// by its root mean square if not `centred`. Element i of the whole tensor is scaled by parameter (i / inner) mod
// `channels`. Forward: inputs x, scale and, if centred, shift; outputs y, statistics (2 x rows; not centred: rows).
// Backward: inputs gradient of y, x, scale, statistics; outputs gradients of x and the parameters.
struct RowNormOp {
  std::int64_t rows = 1, size = 1, channels = 1, inner = 1;
  double epsilon = 1e-5;
  bool centred = true;
};

struct SoftmaxOp {
  std::int64_t outer = 1, classes = 1, inner = 1;  // softmax along `classes`
  bool log = false;
};

enum class Arithmetic : std::uint8_t { Add, Subtract, Multiply, Divide, Max, Min, Power };
const char* to_string(Arithmetic function);

// Two or more inputs of the output's shape, or smaller ones that are broadcast.
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
  std::vector<std::int64_t> permutation = {};  // for Transpose
  std::int64_t taps = 1;                       // for Resize: inputs that are weighted for each output
};

struct ViewOp {};

enum class ReduceKind : std::uint8_t { Mean, Sum, Max, Min };
struct ReduceOp {
  ReduceKind kind = ReduceKind::Mean;
  std::int64_t outputs = 1, reduced = 1;  // each output reduces `reduced` elements
};

struct DropoutOp {
  double ratio = 0.5;
};

// Sum of all inputs into a new tensor.
struct AccumulateOp {};

enum class LossInput : std::uint8_t { Logits, Probabilities, LogProbabilities };

// Softmax cross-entropy, mean over `rows`. Forward writes the loss and, for logits, their log-softmax for backward.
struct LossOp {
  std::int64_t rows = 1, classes = 1;
  LossInput reads = LossInput::Logits;
};

// v = momentum * v + (g + weight_decay * w); w = w - rate * v.
struct SgdOp {
  double momentum = 0.9, weight_decay = 1e-4;
};

// Unknown operator, or an operator with an unknown size. Assumed: it reads its inputs and writes its outputs; backward
// reads the gradients of the outputs and the inputs, and writes the gradients of the inputs.
struct UnknownOp {
  std::string op;
};

using Attributes = std::variant<ConvolutionOp, FullyConnectedOp, MatrixProductOp, BiasOp, ActivationOp, PoolOp,
                                BatchNormOp, LrnOp, RowNormOp, SoftmaxOp, ArithmeticOp, ConcatOp, SplitOp, CopyOp,
                                ViewOp, ReduceOp, DropoutOp, AccumulateOp, LossOp, SgdOp, UnknownOp>;

struct Operator {
  // Name of the layer in Network for a convolution or fully connected layer and the operators derived from it; else the
  // name in Network::host_layers. An update has the name of its parameter, an accumulation that of its activation.
  std::string name;
  Direction direction = Direction::Forward;
  Attributes what;
  std::vector<TensorId> inputs, outputs;
  std::vector<TensorId> overwrites;  // tensors whose memory is changed in place, through outputs that are views of them
  std::int64_t flops = 0;            // counted as described in docs/explanation/training-graph.md
  Bytes bytes_read = 0, bytes_written = 0;
  std::string problem;  // reason why the price is missing or based on bytes only; empty if there is none

  bool is_convolution() const { return std::holds_alternative<ConvolutionOp>(what); }
};

OperatorClass class_of(const Operator& op);

// Label for the user, not always unique: "conv1 F", "/Relu", "/Relu backward", "conv1.weight update".
std::string label(const Operator& op);

struct Graph {
  std::string name;
  std::string file;  // "" for a graph that was not imported
  int batch = 1;
  int word_bytes = 4;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in an order allowed by the dependencies
  std::vector<TensorId> inputs;     // of the network
  std::vector<TensorId> outputs;    // of the network
};

// Throws Error unless ids are in range, producers and consumers match the operators, and there is no cycle; the message
// names an operator on the cycle.
void check(const Graph& graph);

// Tensor that owns the memory of `tensor`: itself, or the end of its chain of views.
TensorId storage(const Graph& graph, TensorId tensor);

// True if the operator reads or writes a tensor of unknown size.
bool has_unsized(const Graph& graph, const Operator& op);

// Message about the operators with a `problem`: type and reason of each; only those of the forward pass if there are
// any, since they cause the others. "" if there are none. `unsized`: only operators with a tensor of unknown size.
std::string without_price(const Graph& graph, bool unsized = false);

// Throws Error that lists the operators with a `problem`.
void require_known(const Graph& graph);

// Forward convolutions with a bias that no batch normalisation follows: one may have been folded into them, which the
// file does not record.
std::vector<std::string> maybe_folded(const Graph& graph);

inline float maximum(float a, float b) {
  return std::max(a, b);
}
inline float minimum(float a, float b) {
  return std::min(a, b);
}

// Applies a function to two operands of a type with the operators, maximum, minimum and pow: a word, or a LibTorch
// tensor.
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

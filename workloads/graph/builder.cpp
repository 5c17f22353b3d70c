#include "workloads/graph/builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "model/core/error.h"

namespace weft::workloads {

namespace {

// Limit of tensors and operations. It leaves room for sums over the graph, and for operators that read a tensor twice
// (the passes of batch normalisation).
constexpr std::int64_t kMost = std::int64_t{1} << 60;

}  // namespace

GraphBuilder::GraphBuilder(Graph start) : graph_(std::move(start)) {
  for (const Tensor& tensor : graph_.tensors) {
    if (!tensor.view_of) bytes_ += tensor.bytes();
  }
  for (const Operator& op : graph_.operators) flops_ += op.flops;
}

TensorId GraphBuilder::tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape) {
  return tensor(std::move(name), kind, std::move(shape), graph_.word_bytes);
}

TensorId GraphBuilder::tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape, int element_bytes) {
  Tensor tensor;
  tensor.elements = 1;
  Bytes bytes = element_bytes;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMost) {
      throw Error(fmt::format("tensor {} takes more than 2^60 bytes at batch {}", name, graph_.batch));
    }
    tensor.elements *= dim;
  }
  bytes_ += bytes;
  if (bytes_ > kMost) {
    throw Error(fmt::format("with tensor {}, the graph takes more than 2^60 bytes at batch {}", name, graph_.batch));
  }
  tensor.name = std::move(name);
  tensor.kind = kind;
  tensor.shape = std::move(shape);
  tensor.element_bytes = element_bytes;
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

TensorId GraphBuilder::like(TensorId id, std::string name, TensorKind kind) {
  const Tensor other = graph_.tensors[id];
  if (other.elements == 0) return unsized(std::move(name), kind);
  return tensor(std::move(name), kind, other.shape, other.element_bytes);
}

TensorId GraphBuilder::view(TensorId id, std::string name) {
  Tensor tensor = graph_.tensors[id];
  tensor.name = std::move(name);
  tensor.view_of = id;
  tensor.producer.reset();
  tensor.consumers.clear();
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

TensorId GraphBuilder::view(TensorId id, std::string name, std::vector<std::int64_t> shape) {
  const TensorId view_id = view(id, std::move(name));
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(elements, dim, &elements)) return view_id;
  }
  if (elements == graph_.tensors[view_id].elements) graph_.tensors[view_id].shape = std::move(shape);
  return view_id;
}

TensorId GraphBuilder::unsized(std::string name, TensorKind kind) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.kind = kind;
  tensor.element_bytes = graph_.word_bytes;
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.size() - 1;
}

void GraphBuilder::batch_norm(const std::string& name, const BatchNormOp& what, TensorId x, TensorId scale,
                              TensorId shift, TensorId y) {
  const std::vector<std::int64_t> statistics{2, what.channels};  // mean; reciprocal deviation or variance
  const TensorId batch = tensor(name + " statistics", TensorKind::Statistic, statistics);
  const TensorId running = tensor(name + " running statistics", TensorKind::Statistic, statistics);
  const TensorId updated = view(running, name + " running statistics, updated");
  Operator op = operator_of(name, what, {x, scale, shift, running}, {y, batch, updated});
  op.overwrites = {running};
  add(std::move(op));
}

TensorId GraphBuilder::dropout(const std::string& name, const DropoutOp& what, TensorId x, TensorId y) {
  const TensorId mask = tensor(name + " mask", TensorKind::Mask, graph_.tensors[x].shape, kMaskBytes);
  add(operator_of(name, what, {x}, {y, mask}));
  return mask;
}

OperatorId GraphBuilder::add(Operator op) {
  const OperatorId id = graph_.operators.size();
  for (const TensorId t : op.inputs) {
    std::vector<OperatorId>& consumers = graph_.tensors[t].consumers;
    if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
  }
  for (const TensorId t : op.outputs) graph_.tensors[t].producer = id;
  if (op.problem.empty() && !std::holds_alternative<ViewOp>(op.what) && has_unsized(graph_, op)) {
    op.problem = "the size of a tensor is not known";
  }
  set_work(graph_, op);
  if (__builtin_add_overflow(flops_, op.flops, &flops_) || flops_ > kMost) {
    throw Error(fmt::format("with {}, the graph takes more than 2^60 operations at batch {}", label(op), graph_.batch));
  }
  graph_.operators.push_back(std::move(op));
  return id;
}

Operator operator_of(const std::string& name, const Attributes& what, std::vector<TensorId> inputs,
                     std::vector<TensorId> outputs) {
  Operator op;
  op.name = name;
  op.what = what;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

using conv::Kind;

namespace {

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) throw Error("its operations exceed 64 bits");
  }
  return result;
}

// Operations per element of the output. An exponential, logarithm, root, power or quotient counts as one.
std::int64_t forward_flops(Activation function) {
  switch (function) {
    case Activation::Relu:
    case Activation::Erf:
    case Activation::Exp:
    case Activation::Log:
    case Activation::Sqrt:
    case Activation::Abs:
    case Activation::Negate:
    case Activation::Reciprocal:
      return 1;
    case Activation::Clip:
    case Activation::LeakyRelu:
    case Activation::PRelu:
      return 2;
    case Activation::Softplus:  // log(1 + exp(x))
      return 3;
    case Activation::Elu:          // x or alpha * (exp(x) - 1)
    case Activation::Sigmoid:      // 1 / (1 + exp(-x))
    case Activation::HardSigmoid:  // max(0, min(1, alpha * x + beta))
      return 4;
    case Activation::Tanh:       // (e - 1) / (e + 1), e = exp(2x)
    case Activation::HardSwish:  // x * HardSigmoid(x)
    case Activation::Gelu:       // x * (1 + erf(x / root 2)) / 2
      return 5;
    case Activation::Swish:  // x * Sigmoid(alpha * x)
      return 6;
    case Activation::Mish:  // x * Tanh(Softplus(x))
      return 9;
  }
  return 1;
}

std::int64_t backward_flops(Activation function) {
  switch (function) {
    case Activation::Relu:
    case Activation::Exp:     // g * y
    case Activation::Log:     // g / x
    case Activation::Abs:     // g with the sign of x
    case Activation::Negate:  // -g
      return 1;
    case Activation::Clip:  // two bounds
    case Activation::LeakyRelu:
    case Activation::HardSigmoid:
    case Activation::Sqrt:  // g / (2 y)
      return 2;
    case Activation::Elu:         // g or g * (y + alpha)
    case Activation::Sigmoid:     // g * y * (1 - y)
    case Activation::Tanh:        // g * (1 - y * y)
    case Activation::Reciprocal:  // -g * y * y
      return 3;
    case Activation::PRelu:     // includes the gradient of the slope: x * g, summed
    case Activation::Softplus:  // g / (1 + exp(-x))
    case Activation::Erf:       // g * c * exp(-x * x)
      return 4;
    case Activation::HardSwish:  // g * (HardSigmoid(x) + x * slope)
      return 5;
    case Activation::Gelu:   // g * (cdf(x) + x * pdf(x))
    case Activation::Swish:  // g * (s + alpha * x * s * (1 - s)), s = Sigmoid(alpha * x) of 4
      return 8;
    case Activation::Mish:  // g * (t + x * (1 - t * t) * Sigmoid(x)), t = Tanh(Softplus(x)) of 8
      return 18;
  }
  return 1;
}

struct Flops {
  const Graph& graph;
  const Operator& op;

  bool forward() const { return op.direction == Direction::Forward; }
  std::int64_t elements(TensorId tensor) const { return graph.tensors[tensor].elements; }
  std::int64_t out() const { return op.outputs.empty() ? 0 : elements(op.outputs[0]); }
  std::int64_t in() const { return op.inputs.empty() ? 0 : elements(op.inputs[0]); }

  std::int64_t operator()(const ConvolutionOp& c) const { return product({2, macs(c.layer)}); }
  std::int64_t operator()(const FullyConnectedOp& fc) const {
    return product({fc.rows, fc.out_features, 2 * fc.in_features + (fc.kind == Kind::F && fc.bias ? 1 : 0)});
  }
  std::int64_t operator()(const MatrixProductOp& p) const { return product({2, p.batch, p.m, p.n, p.k}); }
  std::int64_t operator()(const BiasOp& b) const { return product({b.images, b.channels, b.spatial}); }
  std::int64_t operator()(const ActivationOp& a) const {
    return product({out(), forward() ? forward_flops(a.function) : backward_flops(a.function)});
  }
  // Windows of k elements, including padding.
  std::int64_t operator()(const PoolOp& p) const {
    std::int64_t window = 1;
    for (const PoolAxis& axis : p.axes) window = product({window, axis.kernel});
    const std::int64_t windows = forward() ? out() : in();
    if (p.kind == PoolKind::Max) return product({windows, forward() ? window - 1 : 1});  // comparisons; one addition
    return product({windows, forward() ? window : window + 1});  // additions and a division; a division and additions
  }
  // Forward: mean 1, variance 3, normalise 2, scale and shift 2. Backward: sum of g 1, of g * xhat 4, gradient 6.
  std::int64_t operator()(const BatchNormOp& b) const {
    return product({b.images, b.channels, b.spatial, forward() ? 8 : 11});
  }
  // Forward: square, size - 1 additions, multiply, add, power, quotient. Backward: power, g * p, * x, / scale, size - 1
  // additions, * x, * constant, subtract.
  std::int64_t operator()(const LrnOp& l) const {
    return product({l.images, l.channels, l.spatial, l.size + (forward() ? 4 : 6)});
  }
  // Centred: as batch normalisation. Else forward: square, add, normalise, scale; backward: gradient of scale 2, sum of
  // g * x 2, gradient 3.
  std::int64_t operator()(const RowNormOp& r) const {
    return product({r.rows, r.size, forward() ? (r.centred ? 8 : 4) : (r.centred ? 11 : 7)});
  }
  // Forward: maximum, subtract, exp, add, divide (subtract, if a logarithm). Backward: g * y, add, subtract, multiply
  // (exp, add, multiply, subtract).
  std::int64_t operator()(const SoftmaxOp& s) const {
    return product({s.outer, s.classes, s.inner, forward() ? 5 : 4});
  }
  std::int64_t operator()(const ArithmeticOp& a) const {
    if (forward())
      return product({out(), static_cast<std::int64_t>(op.inputs.size()) - (op.inputs.size() > 1 ? 1 : 0)});
    // Per gradient: its operations, and one more to sum the gradients of repeated elements.
    std::int64_t each = 1;  // Sub: negate; Mul: g * other; Max, Min: select
    if (a.function == Arithmetic::Divide) each = 2;
    if (a.function == Arithmetic::Power) each = 3;
    std::int64_t operations = 0;
    for (const TensorId gradient : op.outputs) operations += each + (elements(gradient) != in() ? 1 : 0);
    return product({in(), operations});
  }
  std::int64_t operator()(const ConcatOp&) const { return 0; }
  std::int64_t operator()(const SplitOp&) const { return 0; }
  // The backward pass of operators that repeat elements sums their gradients. Several taps: a product each, and their
  // sum.
  std::int64_t operator()(const CopyOp& c) const {
    if (c.taps > 1) return product({forward() ? out() : in(), forward() ? 2 * c.taps - 1 : 2 * c.taps});
    return !forward() && (c.kind == CopyKind::Resize || c.kind == CopyKind::Expand) ? in() : 0;
  }
  std::int64_t operator()(const ViewOp&) const { return 0; }
  std::int64_t operator()(const ReduceOp& r) const {
    if (forward()) return product({r.outputs, r.reduced});  // additions or comparisons; the last counts for a division
    return r.kind == ReduceKind::Sum ? 0 : product({r.outputs, r.reduced});
  }
  std::int64_t operator()(const DropoutOp&) const { return product({2, out()}); }  // select and scale
  std::int64_t operator()(const AccumulateOp&) const {
    return product({out(), static_cast<std::int64_t>(op.inputs.size()) - 1});
  }
  // Forward: log-softmax of the logits, and a subtraction per row. Backward: exp and scale.
  std::int64_t operator()(const LossOp& l) const {
    if (l.reads != LossInput::Logits) return product({2, l.rows});
    return product({l.rows, product({op.direction == Direction::Loss ? 5 : 2, l.classes}) + 1});
  }
  std::int64_t operator()(const SgdOp& s) const {
    return product({out(), 2 + (s.weight_decay != 0 ? 2 : 0) + (s.momentum != 0 ? 2 : 0)});
  }
  std::int64_t operator()(const UnknownOp&) const { return 0; }
};

Bytes bytes_of(const Graph& graph, std::vector<TensorId> tensors) {
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  Bytes bytes = 0;
  for (const TensorId tensor : tensors) bytes += graph.tensors[tensor].bytes();
  return bytes;
}

}  // namespace

void set_work(const Graph& graph, Operator& op) {
  try {
    op.flops = std::visit(Flops{graph, op}, op.what);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", label(op), error.what()));
  }
  op.bytes_read = op.bytes_written = 0;
  if (std::holds_alternative<ViewOp>(op.what)) return;
  op.bytes_read = bytes_of(graph, op.inputs);
  op.bytes_written = bytes_of(graph, op.outputs);
  if (std::holds_alternative<BatchNormOp>(op.what)) {
    // Two passes: the sums over the batch are needed before the first result. Forward reads x twice, backward the
    // gradient and x.
    op.bytes_read += graph.tensors[op.inputs[0]].bytes();
    if (op.direction == Direction::Backward) op.bytes_read += graph.tensors[op.inputs[1]].bytes();
  }
  // Unknown sizes are reported in Operator::problem. Tensors updated in place are both inputs and outputs.
}

}  // namespace weft::workloads

#include "workloads/graph/graph.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "model/core/error.h"
#include "workloads/graph/dependencies.h"

namespace weft::workloads {

namespace {

// Maps the alternatives of Attributes to classes.
struct ClassOf {
  OperatorClass operator()(const ConvolutionOp&) const { return OperatorClass::Convolution; }
  OperatorClass operator()(const FullyConnectedOp&) const { return OperatorClass::FullyConnected; }
  OperatorClass operator()(const MatrixProductOp&) const { return OperatorClass::MatrixProduct; }
  OperatorClass operator()(const BiasOp&) const {
    return direction == Direction::Forward ? OperatorClass::Elementwise : OperatorClass::Reduction;
  }
  OperatorClass operator()(const ActivationOp&) const { return OperatorClass::Elementwise; }
  OperatorClass operator()(const PoolOp&) const { return OperatorClass::Pool; }
  OperatorClass operator()(const BatchNormOp&) const { return OperatorClass::Normalisation; }
  OperatorClass operator()(const LrnOp&) const { return OperatorClass::Normalisation; }
  OperatorClass operator()(const RowNormOp&) const { return OperatorClass::Normalisation; }
  OperatorClass operator()(const SoftmaxOp&) const { return OperatorClass::Softmax; }
  OperatorClass operator()(const ArithmeticOp&) const { return OperatorClass::Elementwise; }
  OperatorClass operator()(const ConcatOp&) const { return OperatorClass::Copy; }
  OperatorClass operator()(const SplitOp&) const { return OperatorClass::Copy; }
  OperatorClass operator()(const CopyOp&) const { return OperatorClass::Copy; }
  OperatorClass operator()(const ViewOp&) const { return OperatorClass::View; }
  OperatorClass operator()(const ReduceOp&) const { return OperatorClass::Reduction; }
  OperatorClass operator()(const DropoutOp&) const { return OperatorClass::Elementwise; }
  OperatorClass operator()(const AccumulateOp&) const { return OperatorClass::Accumulate; }
  OperatorClass operator()(const LossOp&) const { return OperatorClass::Softmax; }
  OperatorClass operator()(const SgdOp&) const { return OperatorClass::Optimiser; }
  OperatorClass operator()(const UnknownOp&) const { return OperatorClass::Unknown; }

  Direction direction;
};

}  // namespace

const char* to_string(TensorKind kind) {
  switch (kind) {
    case TensorKind::Input:
      return "input";
    case TensorKind::Label:
      return "label";
    case TensorKind::Activation:
      return "activation";
    case TensorKind::Gradient:
      return "gradient";
    case TensorKind::Weight:
      return "weight";
    case TensorKind::WeightGradient:
      return "weight gradient";
    case TensorKind::OptimiserState:
      return "optimiser state";
    case TensorKind::Statistic:
      return "statistic";
    case TensorKind::Mask:
      return "mask";
    case TensorKind::Constant:
      return "constant";
    case TensorKind::Loss:
      return "loss";
  }
  return "";
}

const char* to_string(Direction direction) {
  switch (direction) {
    case Direction::Forward:
      return "forward";
    case Direction::Loss:
      return "loss";
    case Direction::Backward:
      return "backward";
    case Direction::Update:
      return "update";
  }
  return "";
}

const char* to_string(OperatorClass kind) {
  switch (kind) {
    case OperatorClass::Convolution:
      return "convolution";
    case OperatorClass::FullyConnected:
      return "fully connected";
    case OperatorClass::MatrixProduct:
      return "matrix product";
    case OperatorClass::Elementwise:
      return "elementwise";
    case OperatorClass::Pool:
      return "pool";
    case OperatorClass::Normalisation:
      return "normalisation";
    case OperatorClass::Softmax:
      return "softmax";
    case OperatorClass::Reduction:
      return "reduction";
    case OperatorClass::Copy:
      return "copy";
    case OperatorClass::View:
      return "view";
    case OperatorClass::Accumulate:
      return "accumulate";
    case OperatorClass::Optimiser:
      return "optimiser";
    case OperatorClass::Unknown:
      return "unknown";
  }
  return "";
}

const char* to_string(Activation function) {
  switch (function) {
    case Activation::Relu:
      return "Relu";
    case Activation::Clip:
      return "Clip";
    case Activation::LeakyRelu:
      return "LeakyRelu";
    case Activation::PRelu:
      return "PRelu";
    case Activation::Elu:
      return "Elu";
    case Activation::Sigmoid:
      return "Sigmoid";
    case Activation::Tanh:
      return "Tanh";
    case Activation::HardSigmoid:
      return "HardSigmoid";
    case Activation::HardSwish:
      return "HardSwish";
    case Activation::Gelu:
      return "Gelu";
    case Activation::Mish:
      return "Mish";
    case Activation::Swish:
      return "Swish";
    case Activation::Softplus:
      return "Softplus";
    case Activation::Erf:
      return "Erf";
    case Activation::Exp:
      return "Exp";
    case Activation::Log:
      return "Log";
    case Activation::Sqrt:
      return "Sqrt";
    case Activation::Abs:
      return "Abs";
    case Activation::Negate:
      return "Neg";
    case Activation::Reciprocal:
      return "Reciprocal";
  }
  return "";
}

const char* to_string(Arithmetic function) {
  switch (function) {
    case Arithmetic::Add:
      return "Add";
    case Arithmetic::Subtract:
      return "Sub";
    case Arithmetic::Multiply:
      return "Mul";
    case Arithmetic::Divide:
      return "Div";
    case Arithmetic::Max:
      return "Max";
    case Arithmetic::Min:
      return "Min";
    case Arithmetic::Power:
      return "Pow";
  }
  return "";
}

bool saves_input(Activation function) {
  switch (function) {
    case Activation::PRelu:
    case Activation::HardSwish:
    case Activation::Gelu:
    case Activation::Mish:
    case Activation::Swish:
    case Activation::Softplus:
    case Activation::Erf:
    case Activation::Log:
    case Activation::Abs:
      return true;
    default:
      return false;
  }
}

OperatorClass class_of(const Operator& op) {
  return std::visit(ClassOf{op.direction}, op.what);
}

std::string label(const Operator& op) {
  if (const auto* conv = std::get_if<ConvolutionOp>(&op.what)) {
    return fmt::format("{} {}", op.name, conv::to_string(conv->kind));
  }
  if (const auto* fc = std::get_if<FullyConnectedOp>(&op.what)) {
    return fmt::format("{} {}", op.name, conv::to_string(fc->kind));
  }
  if (const auto* product = std::get_if<MatrixProductOp>(&op.what)) {
    return fmt::format("{} {}", op.name, conv::to_string(product->kind));
  }
  if (std::holds_alternative<BiasOp>(op.what)) {
    return op.name + (op.direction == Direction::Forward ? " bias" : " bias gradient");
  }
  if (std::holds_alternative<AccumulateOp>(op.what)) return op.name + " gradient sum";
  if (op.direction == Direction::Backward) return op.name + " backward";
  if (op.direction == Direction::Update) return op.name + " update";
  return op.name;
}

void check(const Graph& graph) {
  const auto fail = [&](const std::string& message) { throw Error(fmt::format("graph {}: {}", graph.name, message)); };
  const auto known = [&](TensorId id) { return id < graph.tensors.size(); };
  std::vector<std::optional<OperatorId>> producers(graph.tensors.size());
  std::vector<std::vector<OperatorId>> consumers(graph.tensors.size());
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const Operator& op = graph.operators[id];
    for (const std::vector<TensorId>* list : {&op.inputs, &op.outputs, &op.overwrites}) {
      if (!std::all_of(list->begin(), list->end(), known)) fail(label(op) + " has a tensor that is not there");
    }
    for (const TensorId t : op.outputs) {
      if (producers[t])
        fail(fmt::format("{} and {} both write {}", label(graph.operators[*producers[t]]), label(op),
                         graph.tensors[t].name));
      producers[t] = id;
    }
    for (const TensorId t : op.inputs) {
      if (consumers[t].empty() || consumers[t].back() != id) consumers[t].push_back(id);
    }
  }
  for (TensorId t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.producer != producers[t] || tensor.consumers != consumers[t]) {
      fail(fmt::format("{} has other producers or consumers than its operators say", tensor.name));
    }
    if (tensor.view_of && !known(*tensor.view_of)) fail(tensor.name + " is a view of a tensor that is not there");
    std::size_t steps = 0;
    for (TensorId at = t; graph.tensors[at].view_of; at = *graph.tensors[at].view_of) {
      if (!known(*graph.tensors[at].view_of) || ++steps > graph.tensors.size())
        fail(tensor.name + " is a view of itself");
    }
  }
  for (const std::vector<TensorId>* list : {&graph.inputs, &graph.outputs}) {
    if (!std::all_of(list->begin(), list->end(), known)) fail("an input or output is not there");
  }
  const Dependencies acyclic(graph);
}

TensorId storage(const Graph& graph, TensorId tensor) {
  while (graph.tensors[tensor].view_of) tensor = *graph.tensors[tensor].view_of;
  return tensor;
}

bool has_unsized(const Graph& graph, const Operator& op) {
  const auto unsized = [&](TensorId tensor) { return graph.tensors[tensor].elements == 0; };
  return std::any_of(op.inputs.begin(), op.inputs.end(), unsized) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), unsized);
}

std::string without_price(const Graph& graph, bool unsized) {
  std::vector<std::string> forward, others;
  for (const Operator& op : graph.operators) {
    if (op.problem.empty() || (unsized && !has_unsized(graph, op))) continue;
    const auto* unknown = std::get_if<UnknownOp>(&op.what);
    (op.direction == Direction::Forward ? forward : others)
        .push_back(unknown != nullptr ? fmt::format("{} ({}: {})", label(op), unknown->op, op.problem)
                                      : fmt::format("{} ({})", label(op), op.problem));
  }
  std::vector<std::string>& list = forward.empty() ? others : forward;
  constexpr std::size_t kMost = 8;
  const std::size_t more = list.size() > kMost ? list.size() - kMost : 0;
  list.resize(list.size() - more);
  return fmt::format("{}{}", fmt::join(list, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

void require_known(const Graph& graph) {
  const std::string list = without_price(graph);
  if (list.empty()) return;
  throw Error(fmt::format("{}: no price is known for {}", graph.file.empty() ? graph.name : graph.file, list));
}

std::vector<std::string> maybe_folded(const Graph& graph) {
  std::vector<std::string> layers;
  for (const Operator& op : graph.operators) {
    if (!std::holds_alternative<BiasOp>(op.what) || op.direction != Direction::Forward) continue;
    const auto producer = graph.tensors[op.inputs[0]].producer;
    if (!producer) continue;
    const auto* conv = std::get_if<ConvolutionOp>(&graph.operators[*producer].what);
    if (conv == nullptr || conv->fully_connected) continue;
    const std::vector<OperatorId>& readers = graph.tensors[op.outputs[0]].consumers;
    const bool normalised = std::any_of(readers.begin(), readers.end(), [&](OperatorId reader) {
      return std::holds_alternative<BatchNormOp>(graph.operators[reader].what);
    });
    if (!normalised) layers.push_back(op.name);
  }
  return layers;
}

}  // namespace weft::workloads

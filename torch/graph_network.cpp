#include "torch/graph_network.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/functional/padding.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/pooling.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "model/core/error.h"
#include "torch/conv2d.h"
#include "workloads/graph/graph.h"

namespace weft::nn {

using namespace workloads;
using torch::Tensor;
using Tensors = std::vector<Tensor>;
namespace functional = torch::nn::functional;

namespace {

// Initial parameters (the exported file folds none in): convolutions as in He et al. (2015) for ReLU, as in
// torchvision.
template <class Module>
Module initialised(Module module) {
  torch::nn::init::kaiming_normal_(module->weight, 0, torch::kFanOut, torch::kReLU);
  if (module->bias.defined()) torch::nn::init::zeros_(module->bias);
  return module;
}

Tensor activated(const ActivationOp& what, const Tensor& x) {
  switch (what.function) {
    case Activation::LeakyRelu:
      return torch::leaky_relu(x, what.alpha);
    case Activation::Elu:
      return torch::elu(x, what.alpha);
    case Activation::Sigmoid:
      return torch::sigmoid(x);
    case Activation::Tanh:
      return torch::tanh(x);
    case Activation::HardSigmoid:
      return torch::clamp(what.alpha * x + what.beta, 0, 1);
    case Activation::HardSwish:
      return torch::hardswish(x);
    case Activation::Gelu:
      return torch::gelu(x);
    case Activation::Mish:
      return torch::mish(x);
    case Activation::Swish:
      return x * torch::sigmoid(what.alpha * x);
    case Activation::Softplus:
      return torch::softplus(x);
    case Activation::Erf:
      return torch::erf(x);
    case Activation::Exp:
      return torch::exp(x);
    case Activation::Log:
      return torch::log(x);
    case Activation::Sqrt:
      return torch::sqrt(x);
    case Activation::Abs:
      return torch::abs(x);
    case Activation::Negate:
      return -x;
    case Activation::Reciprocal:
      return torch::reciprocal(x);
    case Activation::Relu:
    case Activation::Clip:   // piecewise linear
    case Activation::PRelu:  // has a parameter
      break;
  }
  return x;
}

using Shape = std::vector<std::int64_t>;

// Axes of `in` whose reduction gives `out`. The graph does not store them: all possible choices.
std::vector<Shape> reduced_axes(const Shape& in, const Shape& out) {
  std::vector<Shape> choices;
  if (in.size() == out.size()) {
    Shape axes;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] == out[i]) continue;
      if (out[i] != 1) return {};
      axes.push_back(static_cast<std::int64_t>(i));
    }
    return {axes};
  }
  constexpr std::size_t kMostAxes = 8;
  if (in.size() > kMostAxes) return {};
  for (unsigned kept = 0; kept < 1U << in.size(); ++kept) {
    Shape left, axes;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if ((kept >> i & 1U) != 0) {
        left.push_back(in[i]);
      } else {
        axes.push_back(static_cast<std::int64_t>(i));
      }
    }
    if (left == out) choices.push_back(axes);
  }
  return choices;
}

}  // namespace

GraphNetworkImpl::GraphNetworkImpl(Graph forward, const Graph& training, std::shared_ptr<Accelerator> card)
    : torch::nn::Module("GraphNetwork"), graph_(std::move(forward)), card_(std::move(card)) {
  if (graph_.inputs.size() != 1) {
    throw Error(fmt::format("{}: has {} inputs; allowed: one, of images", graph_.name, graph_.inputs.size()));
  }
  // The training graph begins with the forward graph: same tensors and operators.
  const auto end = std::find_if(training.operators.begin(), training.operators.end(),
                                [](const Operator& op) { return op.direction == Direction::Loss; });
  if (end == training.operators.end()) throw Error(fmt::format("{}: has no loss", graph_.name));
  loss_ = std::get<LossOp>(end->what);
  logits_ = end->inputs.front();
  if (loss_.reads != LossInput::Logits) logits_ = graph_.operators[*graph_.tensors[logits_].producer].inputs[0];

  // Only the operators that the logits depend on are built.
  std::vector<bool> needed(graph_.tensors.size());
  needed[logits_] = true;
  steps_.resize(graph_.operators.size());
  parameters_.resize(graph_.tensors.size());
  last_.resize(graph_.tensors.size());
  for (OperatorId id = graph_.operators.size(); id-- > 0;) {
    const Operator& op = graph_.operators[id];
    if (std::none_of(op.outputs.begin(), op.outputs.end(), [&](TensorId t) { return needed[t]; })) continue;
    for (const TensorId t : op.inputs) {
      if (!needed[t]) last_[t] = id;
      needed[t] = true;
    }
  }
  for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
    const Operator& op = graph_.operators[id];
    if (std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId t) { return needed[t]; })) {
      steps_[id] = step_of(op);
    }
  }
}

const std::vector<std::int64_t>& GraphNetworkImpl::input_shape() const {
  return shape(graph_.inputs.front());
}

void GraphNetworkImpl::refuse(const Operator& op, const std::string& why) const {
  throw Error(fmt::format("{}: operator '{}' cannot be trained: {}", graph_.file.empty() ? graph_.name : graph_.file,
                          label(op), why));
}

GraphNetworkImpl::Step GraphNetworkImpl::step_of(const Operator& op) {
  if (!op.problem.empty()) refuse(op, op.problem);
  for (const TensorId t : op.inputs) {
    const TensorKind kind = graph_.tensors[t].kind;
    if (kind == TensorKind::Constant) {
      refuse(op, fmt::format("its operand {} is a constant without a value in the graph", graph_.tensors[t].name));
    }
    // Running statistics are not parameters; the module holds them.
    if (kind == TensorKind::Weight && !parameters_[t].defined() && !taken_.insert(t).second) {
      refuse(op, fmt::format("its parameter {} is shared with another operator", graph_.tensors[t].name));
    }
  }
  return std::visit([&](const auto& what) { return build(op, what); }, op.what);
}

// LibTorch's names must not contain dots.
std::string GraphNetworkImpl::module_name(const Operator& op) {
  std::string name;
  for (const char c : op.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::string unique = name;
  for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  return unique;
}

void GraphNetworkImpl::own_parameters(const Operator& op, double value) {
  for (const TensorId t : op.inputs) {
    if (graph_.tensors[t].kind != TensorKind::Weight || parameters_[t].defined()) continue;
    parameters_[t] = register_parameter(module_name(op), torch::full(shape(t), value));
  }
}

OperatorId GraphNetworkImpl::id_of(const Operator& op) const {
  return static_cast<OperatorId>(&op - graph_.operators.data());
}

// Relu and Clip: x between two bounds. As in LibTorch's relu and clamp, no gradient passes at the bound of Relu.
Tensor GraphNetworkImpl::bent(OperatorId id, double low, double high, const Tensor& x) {
  const bool relu = std::isinf(high);
  if (!noted_ && !followed_) return relu ? torch::relu(x) : torch::clamp(x, low, high);
  const Tensor passes = (relu ? x > low : (x >= low).logical_and(x <= high)).detach();
  if (noted_) {
    Tensor y = relu ? torch::relu(x) : torch::clamp(x, low, high);
    noted_->taken[id] = passes;
    noted_->rest[id] = torch::where(passes, torch::zeros_like(y), y).detach();
    return y;
  }
  turns_.all += x.numel();
  turns_.other += (passes != followed_->taken[id]).sum().item<std::int64_t>();
  return x * followed_->taken[id] + followed_->rest[id];
}

// True if the convolution's bias follows it, which is a separate operator in the graph.
bool GraphNetworkImpl::biased(const Operator& op) const {
  const std::vector<OperatorId>& readers = graph_.tensors[op.outputs[0]].consumers;
  return std::any_of(readers.begin(), readers.end(),
                     [&](OperatorId id) { return std::holds_alternative<BiasOp>(graph_.operators[id].what); });
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const ConvolutionOp& what) {
  const conv::Layer& layer = what.layer;
  if (graph_.tensors[op.inputs[1]].kind != TensorKind::Weight) refuse(op, "it multiplies two computed matrices");
  if (layer.transposed) {
    auto module = register_module(module_name(op), initialised(ConvTranspose2d(layer, biased(op), card_)));
    const Shape maps{layer.batch, layer.filters, layer.h.out(), layer.w.out()};
    return [module, maps, out = shape(op.outputs[0])](const Tensors& x) mutable -> Tensors {
      return {module->forward(x[0].reshape(maps)).reshape(out)};
    };
  }
  torch::nn::Conv2dOptions options(layer.channels, layer.filters, {layer.h.kernel, layer.w.kernel});
  options.stride({layer.h.stride, layer.w.stride}).dilation({layer.h.dilation, layer.w.dilation});
  options.groups(layer.groups).bias(biased(op));
  Shape around;  // zeros that Conv2d has no option for, last axis first
  if (layer.h.pad_begin == layer.h.pad_end && layer.w.pad_begin == layer.w.pad_end) {
    options.padding(torch::ExpandingArray<2>({layer.h.pad_begin, layer.w.pad_begin}));
  } else {
    around = {layer.w.pad_begin, layer.w.pad_end, layer.h.pad_begin, layer.h.pad_end};
  }
  const Shape in{layer.batch, layer.channels, layer.h.size, layer.w.size}, out = shape(op.outputs[0]);
  const auto step = [in, out, around](auto module) {
    return [module, in, out, around](const Tensors& x) mutable -> Tensors {
      Tensor ifm = x[0].reshape(in);
      if (!around.empty()) ifm = functional::pad(ifm, functional::PadFuncOptions(around));
      return {module->forward(ifm).reshape(out)};
    };
  };
  if (card_) return step(register_module(module_name(op), initialised(Conv2d(options, card_, layer.name))));
  return step(register_module(module_name(op), initialised(torch::nn::Conv2d(options))));
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const FullyConnectedOp& what) {
  auto module =
      register_module(module_name(op),
                      torch::nn::Linear(torch::nn::LinearOptions(what.in_features, what.out_features).bias(what.bias)));
  return [module, what, out = shape(op.outputs[0])](const Tensors& x) mutable -> Tensors {
    return {module->forward(x[0].reshape({what.rows, what.in_features})).reshape(out)};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator&, const MatrixProductOp&) {
  return [](const Tensors& x) -> Tensors { return {torch::matmul(x[0], x[1])}; };
}

// A bias is part of the convolution's module; a bias on any other operator is refused.
GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const BiasOp&) {
  const auto producer = graph_.tensors[op.inputs[0]].producer;
  if (!producer || !graph_.operators[*producer].is_convolution()) refuse(op, "it is not a bias of a convolution");
  return [](const Tensors& x) -> Tensors { return {x[0]}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const ActivationOp& what) {
  if (what.function == Activation::PRelu) {
    constexpr double kSlope = 0.25;  // He et al. (2015)
    own_parameters(op, kSlope);
    return [](const Tensors& x) -> Tensors { return {torch::where(x[0] > 0, x[0], x[0] * x[1])}; };
  }
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const OperatorId id = id_of(op);
  if (what.function == Activation::Relu)
    return [this, id](const Tensors& x) -> Tensors { return {bent(id, 0, kNone, x[0])}; };
  if (what.function == Activation::Clip) {
    return [this, id, what](const Tensors& x) -> Tensors { return {bent(id, what.alpha, what.beta, x[0])}; };
  }
  return [what](const Tensors& x) -> Tensors { return {activated(what, x[0])}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const PoolOp& what) {
  if (what.axes.size() != 2) refuse(op, fmt::format("it pools over {} axes, not 2", what.axes.size()));
  const PoolAxis &h = what.axes[0], &w = what.axes[1];
  const bool max = what.kind == PoolKind::Max;
  if (what.global) {
    return [max](const Tensors& x) -> Tensors {
      return {max ? torch::amax(x[0], {2, 3}, true) : torch::mean(x[0], {2, 3}, true)};
    };
  }
  const auto plain = [](const PoolAxis& axis) {  // padding that LibTorch's pools support
    return axis.pad_begin == axis.pad_end && axis.pad_begin <= axis.kernel / 2;
  };
  const bool same = plain(h) && plain(w);
  if (max) {
    torch::nn::MaxPool2dOptions options({h.kernel, w.kernel});
    options.stride({h.stride, w.stride}).dilation({h.dilation, w.dilation}).ceil_mode(what.ceil_mode);
    if (same) options.padding({h.pad_begin, w.pad_begin});
    const Shape around{w.pad_begin, w.pad_end, h.pad_begin, h.pad_end};
    auto module = register_module(module_name(op), torch::nn::MaxPool2d(options));
    return [this, id = id_of(op), module, same, around](const Tensors& x) mutable -> Tensors {
      constexpr double kLeast = -std::numeric_limits<float>::infinity();
      const Tensor in = same ? x[0] : functional::pad(x[0], functional::PadFuncOptions(around).value(kLeast));
      const auto [y, from] = module->forward_with_indices(in);
      if (noted_) noted_->taken[id] = from;
      if (!followed_) return {y};
      const Tensor& taken = followed_->taken[id];
      turns_.all += y.numel();
      turns_.other += (from != taken).sum().item<std::int64_t>();
      return {in.flatten(2).gather(2, taken.flatten(2)).reshape(y.sizes())};
    };
  }
  if (!same) refuse(op, "it pads both ends differently, or by more than half its window");
  if (h.dilation != 1 || w.dilation != 1) refuse(op, "it averages over a dilated window");
  torch::nn::AvgPool2dOptions options({h.kernel, w.kernel});
  options.stride({h.stride, w.stride}).padding({h.pad_begin, w.pad_begin}).ceil_mode(what.ceil_mode);
  options.count_include_pad(what.count_include_pad);
  auto module = register_module(module_name(op), torch::nn::AvgPool2d(options));
  return [module](const Tensors& x) mutable -> Tensors { return {module->forward(x[0])}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const BatchNormOp& what) {
  torch::nn::BatchNormOptions options(what.channels);
  options.eps(what.epsilon).momentum(what.momentum);
  const Shape out = shape(op.outputs[0]), maps{what.images, what.channels, what.spatial, 1};
  auto module = register_module(module_name(op), torch::nn::BatchNorm2d(options));
  return [module, out, maps](const Tensors& x) mutable -> Tensors {
    return {module->forward(x[0].reshape(maps)).reshape(out)};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const LrnOp& what) {
  torch::nn::LocalResponseNormOptions options(what.size);
  options.alpha(what.alpha).beta(what.beta).k(what.k);
  auto module = register_module(module_name(op), torch::nn::LocalResponseNorm(options));
  return [module](const Tensors& x) mutable -> Tensors { return {module->forward(x[0])}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const RowNormOp& what) {
  own_parameters(op, 1);
  if (op.inputs.size() > 2 && parameters_[op.inputs[2]].defined()) {
    const torch::NoGradGuard initialising;
    parameters_[op.inputs[2]].zero_();
  }
  return [what, out = shape(op.outputs[0])](const Tensors& x) -> Tensors {
    Tensor rows = x[0].reshape({what.rows, what.size});
    if (what.centred) rows = rows - rows.mean(1, true);
    rows = rows * torch::rsqrt(rows.square().mean(1, true) + what.epsilon);
    Tensor y = rows.reshape({-1, what.channels, what.inner}) * x[1].reshape({1, what.channels, 1});
    if (x.size() > 2) y = y + x[2].reshape({1, what.channels, 1});
    return {y.reshape(out)};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const SoftmaxOp& what) {
  return [what, out = shape(op.outputs[0])](const Tensors& x) -> Tensors {
    const Tensor rows = x[0].reshape({what.outer, what.classes, what.inner});
    return {(what.log ? torch::log_softmax(rows, 1) : torch::softmax(rows, 1)).reshape(out)};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const ArithmeticOp& what) {
  const bool factor = what.function == Arithmetic::Multiply || what.function == Arithmetic::Divide ||
                      what.function == Arithmetic::Power;
  own_parameters(op, factor ? 1 : 0);
  return [what](const Tensors& x) -> Tensors {
    Tensor result = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) result = workloads::apply(what.function, result, x[i]);
    return {result};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator&, const ConcatOp& what) {
  return [axis = static_cast<std::int64_t>(what.axis)](const Tensors& x) -> Tensors { return {torch::cat(x, axis)}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const SplitOp& what) {
  Shape sizes;
  for (const TensorId t : op.outputs) sizes.push_back(shape(t).at(what.axis));
  return [sizes, axis = static_cast<std::int64_t>(what.axis)](const Tensors& x) -> Tensors {
    return torch::split_with_sizes(x[0], sizes, axis);
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const CopyOp& what) {
  switch (what.kind) {
    case CopyKind::Transpose:
      if (what.permutation.size() != shape(op.inputs[0]).size()) break;
      return [order = what.permutation](const Tensors& x) -> Tensors { return {x[0].permute(order)}; };
    case CopyKind::Expand:
      return [out = shape(op.outputs[0])](const Tensors& x) -> Tensors { return {x[0].expand(out)}; };
    case CopyKind::Cast:
    case CopyKind::Pad:
    case CopyKind::Slice:
    case CopyKind::Resize:
      break;
  }
  refuse(op, "the graph does not give the elements that it copies");
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const ViewOp&) {
  return [out = shape(op.outputs[0])](const Tensors& x) -> Tensors { return {x[0].reshape(out)}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const ReduceOp& what) {
  const Shape out = shape(op.outputs[0]);
  const std::vector<Shape> choices = reduced_axes(shape(op.inputs[0]), out);
  if (choices.size() != 1) refuse(op, "its shapes do not determine the axes that it reduces; try another batch");
  return [kind = what.kind, axes = choices.front(), out](const Tensors& x) -> Tensors {
    switch (kind) {
      case ReduceKind::Mean:
        return {torch::mean(x[0], axes).reshape(out)};
      case ReduceKind::Sum:
        return {torch::sum(x[0], axes).reshape(out)};
      case ReduceKind::Max:
        return {torch::amax(x[0], axes).reshape(out)};
      case ReduceKind::Min:
        return {torch::amin(x[0], axes).reshape(out)};
    }
    return {};
  };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const DropoutOp& what) {
  auto module = register_module(module_name(op), torch::nn::Dropout(what.ratio));
  return [module](const Tensors& x) mutable -> Tensors { return {module->forward(x[0])}; };
}

GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const AccumulateOp&) {
  refuse(op, "it is not part of a forward graph");
}
GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const LossOp&) {
  refuse(op, "it is not part of a forward graph");
}
GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const SgdOp&) {
  refuse(op, "it is not part of a forward graph");
}
GraphNetworkImpl::Step GraphNetworkImpl::build(const Operator& op, const UnknownOp& what) {
  refuse(op, fmt::format("an operator {} is not known", what.op));
}

Tensor GraphNetworkImpl::loss(const Tensor& images, const Tensor& labels) {
  if (noted_) *noted_ = {Tensors(steps_.size()), Tensors(steps_.size())};
  turns_ = {};
  Tensors values = parameters_;
  values[graph_.inputs.front()] = images;
  for (OperatorId id = 0; id < steps_.size(); ++id) {
    if (!steps_[id]) continue;
    const Operator& op = graph_.operators[id];
    Tensors inputs;
    for (const TensorId t : op.inputs) {
      inputs.push_back(values[t]);
      if (last_[t] == id && t != logits_) values[t] = Tensor();  // autograd keeps the tensors it needs
    }
    const Tensors results = steps_[id](inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Shape& wanted = shape(op.outputs[i]);
      if (results[i].sizes() != at::IntArrayRef(wanted)) {
        refuse(op, fmt::format("its result is {} in LibTorch, but {} in the graph", fmt::join(results[i].sizes(), "x"),
                               fmt::join(wanted, "x")));
      }
      values[op.outputs[i]] = results[i];
    }
  }
  const Tensor& logits = values[logits_];
  return functional::cross_entropy(logits.movedim(1, -1).reshape({loss_.rows, loss_.classes}), labels);
}

}  // namespace weft::nn

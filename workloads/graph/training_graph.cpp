#include "workloads/graph/training_graph.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "workloads/graph/builder.h"

namespace weft::workloads {

using conv::Kind;

namespace {

// Appends the backward pass to a copy of the forward graph, from the last operator to the first.
class Trainer {
 public:
  Trainer(const Graph& forward, const TrainingOptions& options)
      : options_(options),
        builder_(forward),
        contributions_(forward.tensors.size()),
        forward_(forward.operators.size()) {
    find_trained();
  }

  Graph run() {
    add_loss(loss_output());
    for (OperatorId id = forward_; id-- > 0;) {
      const Operator op = graph().operators[id];  // a copy: adding operators moves them
      differentiate(op);
      finish_inputs(id, op);
    }
    if (options_.updates == UpdateOrder::AtEnd) {
      for (TensorId t = 0; t < contributions_.size(); ++t) update(t);
    }
    if (options_.in_place) write_in_place();
    return builder_.take();
  }

 private:
  const Graph& graph() const { return builder_.graph(); }
  const Tensor& tensor(TensorId id) const { return graph().tensors[id]; }
  [[noreturn]] void fail(const std::string& message) const {
    const SourceLine place =
        options_.loss_place.value_or(SourceLine{graph().file.empty() ? graph().name : graph().file, 0, "loss"});
    throw InputError(place.file, place.line, place.key, message);
  }

  void find_trained();
  TensorId loss_output() const;
  void add_loss(TensorId output);

  void differentiate(const Operator& op);
  void backward(const Operator& op, const ConvolutionOp& what, TensorId g);
  void backward(const Operator& op, const FullyConnectedOp& what, TensorId g);
  void backward(const Operator& op, const MatrixProductOp& what, TensorId g);
  void backward(const Operator& op, const BiasOp& what, TensorId g);
  void backward(const Operator& op, const ActivationOp& what, TensorId g);
  void backward(const Operator& op, const PoolOp& what, TensorId g);
  void backward(const Operator& op, const BatchNormOp& what, TensorId g);
  void backward(const Operator& op, const LrnOp& what, TensorId g);
  void backward(const Operator& op, const RowNormOp& what, TensorId g);
  void backward(const Operator& op, const SoftmaxOp& what, TensorId g);
  void backward(const Operator& op, const ArithmeticOp& what, TensorId g);
  void backward(const Operator& op, const ConcatOp& what, TensorId g);
  void backward(const Operator& op, const SplitOp& what, TensorId g);
  void backward(const Operator& op, const CopyOp& what, TensorId g);
  void backward(const Operator& op, const ViewOp& what, TensorId g);
  void backward(const Operator& op, const ReduceOp& what, TensorId g);
  void backward(const Operator& op, const DropoutOp& what, TensorId g);
  void backward(const Operator& op, const UnknownOp& what, TensorId g);
  // Operators of the backward pass; forward graphs contain none.
  void backward(const Operator&, const AccumulateOp&, TensorId) {}
  void backward(const Operator&, const LossOp&, TensorId) {}
  void backward(const Operator&, const SgdOp&, TensorId) {}

  // Complete gradient of a tensor; nothing if the loss does not depend on it.
  std::optional<TensorId> gradient(TensorId of) const {
    return contributions_[of].empty() ? std::nullopt : std::optional(contributions_[of].front());
  }
  bool wanted(TensorId of) const { return trained_[of]; }
  std::string gradient_name(TensorId of) const;
  // Adds a gradient of `of`, to be written by the next operator.
  TensorId new_gradient(TensorId of);
  TensorId new_gradient_view(TensorId of, TensorId gradient);
  void add(const Operator& op, const Attributes& what, std::vector<TensorId> inputs, std::vector<TensorId> outputs);
  // Adds an operator that reads `inputs` and writes the wanted gradients of `of`; adds none if none is wanted.
  void add_wanted(const Operator& op, const Attributes& what, std::vector<TensorId> inputs,
                  const std::vector<TensorId>& of);
  void finish_inputs(OperatorId id, const Operator& op);
  void accumulate(TensorId of);
  void update(TensorId parameter);
  void write_in_place();

  TrainingOptions options_;
  GraphBuilder builder_;
  std::vector<std::vector<TensorId>> contributions_;  // to the gradient of each forward tensor; one when complete
  OperatorId forward_ = 0;                            // number of operators in the forward graph
  std::vector<bool> trained_;                         // tensors whose gradient is needed to train a parameter
};

void Trainer::find_trained() {
  trained_.resize(contributions_.size());
  for (TensorId t = 0; t < trained_.size(); ++t) {
    const TensorKind kind = tensor(t).kind;
    trained_[t] = kind == TensorKind::Weight || (kind == TensorKind::Input && options_.gi_first);
  }
  for (const Operator& op : graph().operators) {
    const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId t) { return trained_[t]; });
    for (const TensorId t : op.outputs) trained_[t] = any && tensor(t).kind == TensorKind::Activation;
  }
}

TensorId Trainer::loss_output() const {
  const std::vector<TensorId>& outputs = graph().outputs;
  std::vector<std::string> names;
  names.reserve(outputs.size());
  for (const TensorId t : outputs) names.push_back(tensor(t).name);
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (outputs.empty()) fail("the network has no output that depends on its input");
  if (options_.loss.empty()) {
    if (outputs.size() > 1) fail(fmt::format("is missing: the network has several outputs; give one of {}", list));
    return outputs.front();
  }
  const auto found = std::find(names.begin(), names.end(), options_.loss);
  if (found == names.end())
    fail(fmt::format("'{}' is no output of the network; its outputs are {}", options_.loss, list));
  return outputs[static_cast<std::size_t>(found - names.begin())];
}

void Trainer::add_loss(TensorId output) {
  const std::string name = tensor(output).name;
  if (!trained_[output]) fail(fmt::format("the output {} depends on no trained layer", name));
  const std::vector<std::int64_t> shape = tensor(output).shape;
  if (shape.size() < 2)
    fail(fmt::format("the output {} is not known to hold a vector of classes for each image", name));
  LossOp what;
  what.classes = shape[1];
  what.rows = tensor(output).elements / what.classes;
  const auto* softmax =
      tensor(output).producer ? std::get_if<SoftmaxOp>(&graph().operators[*tensor(output).producer].what) : nullptr;
  if (softmax != nullptr && softmax->classes == what.classes) {
    what.reads = softmax->log ? LossInput::LogProbabilities : LossInput::Probabilities;
  }
  const TensorId labels = builder_.tensor("labels", TensorKind::Label, {what.rows}, kLabelBytes);
  const TensorId loss = builder_.tensor("loss", TensorKind::Loss, {});
  Operator op = operator_of("loss", what, {output, labels}, {loss});
  op.direction = Direction::Loss;
  TensorId saved = output;
  if (what.reads == LossInput::Logits) {
    saved = builder_.like(output, "loss log-softmax", TensorKind::Activation);
    op.outputs.push_back(saved);
  }
  builder_.add(op);
  // For log-probabilities the gradient depends only on the labels.
  std::vector<TensorId> inputs{labels};
  if (what.reads != LossInput::LogProbabilities) inputs.push_back(saved);
  const TensorId g = new_gradient(output);
  add(op, what, inputs, {g});
}

std::string Trainer::gradient_name(TensorId of) const {
  const std::size_t earlier = contributions_[of].size();
  return fmt::format("gradient of {}{}", tensor(of).name, earlier == 0 ? "" : fmt::format(" ({})", earlier + 1));
}

TensorId Trainer::new_gradient(TensorId of) {
  const bool weight = tensor(of).kind == TensorKind::Weight;
  const TensorId id = builder_.like(of, gradient_name(of), weight ? TensorKind::WeightGradient : TensorKind::Gradient);
  contributions_[of].push_back(id);
  return id;
}

TensorId Trainer::new_gradient_view(TensorId of, TensorId gradient) {
  const TensorId id = builder_.view(gradient, gradient_name(of), tensor(of).shape);
  if (tensor(of).kind == TensorKind::Weight) builder_.graph().tensors[id].kind = TensorKind::WeightGradient;
  contributions_[of].push_back(id);
  return id;
}

void Trainer::add(const Operator& op, const Attributes& what, std::vector<TensorId> inputs,
                  std::vector<TensorId> outputs) {
  Operator added = operator_of(op.name, what, std::move(inputs), std::move(outputs));
  added.direction = Direction::Backward;
  added.problem = op.problem;
  builder_.add(std::move(added));
}

void Trainer::add_wanted(const Operator& op, const Attributes& what, std::vector<TensorId> inputs,
                         const std::vector<TensorId>& of) {
  std::vector<TensorId> outputs;
  for (const TensorId t : of) {
    if (wanted(t)) outputs.push_back(new_gradient(t));
  }
  if (!outputs.empty()) add(op, what, std::move(inputs), std::move(outputs));
}

void Trainer::differentiate(const Operator& op) {
  // Some of several outputs (Split, unknown operators) may not lead to the loss.
  const bool any =
      std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorId t) { return gradient(t).has_value(); });
  if (!any) return;
  const TensorId g = gradient(op.outputs[0]).value_or(op.outputs[0]);
  std::visit([&](const auto& what) { backward(op, what, g); }, op.what);
}

// GI of every layer that does not read the network's input, as in training_convolutions(), even if no trained layer
// precedes it.
void Trainer::backward(const Operator& op, const ConvolutionOp& what, TensorId g) {
  const TensorId ifm = op.inputs[0], weights = op.inputs[1];
  ConvolutionOp pass = what;
  if (options_.gi_first || !what.layer.from_graph_input) {
    pass.kind = Kind::GI;
    add(op, pass, {g, weights}, {new_gradient(ifm)});
  }
  pass.kind = Kind::GW;
  const bool swaps = what.layer.transposed;  // INP is the gradient
  add(op, pass, {swaps ? g : ifm, swaps ? ifm : g}, {new_gradient(weights)});
}

void Trainer::backward(const Operator& op, const FullyConnectedOp& what, TensorId g) {
  const TensorId x = op.inputs[0], weights = op.inputs[1];
  FullyConnectedOp pass = what;
  pass.bias = false;
  if (what.bias) add(op, BiasOp{what.rows, what.out_features, 1}, {g}, {new_gradient(op.inputs[2])});
  pass.kind = Kind::GI;
  if (wanted(x)) add(op, pass, {g, weights}, {new_gradient(x)});
  pass.kind = Kind::GW;
  add(op, pass, {x, g}, {new_gradient(weights)});
}

void Trainer::backward(const Operator& op, const MatrixProductOp& what, TensorId g) {
  const TensorId a = op.inputs[0], b = op.inputs[1];
  MatrixProductOp pass = what;
  pass.kind = Kind::GI;
  add_wanted(op, pass, {g, b}, {a});
  pass.kind = Kind::GW;
  add_wanted(op, pass, {a, g}, {b});
}

// The gradient of the operand equals that of the sum.
void Trainer::backward(const Operator& op, const BiasOp& what, TensorId g) {
  add(op, what, {g}, {new_gradient(op.inputs[1])});
  contributions_[op.inputs[0]].push_back(g);
}

void Trainer::backward(const Operator& op, const ActivationOp& what, TensorId g) {
  if (what.function == Activation::PRelu) return add_wanted(op, what, {g, op.inputs[0], op.inputs[1]}, op.inputs);
  if (what.function == Activation::Negate) return add_wanted(op, what, {g}, op.inputs);
  add_wanted(op, what, {g, saves_input(what.function) ? op.inputs[0] : op.outputs[0]}, op.inputs);
}

void Trainer::backward(const Operator& op, const PoolOp& what, TensorId g) {
  if (what.kind == PoolKind::Max) return add_wanted(op, what, {g, op.outputs[1]}, op.inputs);
  add_wanted(op, what, {g}, op.inputs);
}

void Trainer::backward(const Operator& op, const BatchNormOp& what, TensorId g) {
  // The sums over the batch give the gradients of scale and shift, and are needed for the gradient of x.
  std::vector<TensorId> outputs;
  if (wanted(op.inputs[0])) outputs.push_back(new_gradient(op.inputs[0]));
  outputs.push_back(new_gradient(op.inputs[1]));
  outputs.push_back(new_gradient(op.inputs[2]));
  add(op, what, {g, op.inputs[0], op.inputs[1], op.outputs[1]}, outputs);
}

void Trainer::backward(const Operator& op, const LrnOp& what, TensorId g) {
  add_wanted(op, what, {g, op.inputs[0], op.outputs[1]}, op.inputs);
}

void Trainer::backward(const Operator& op, const RowNormOp& what, TensorId g) {
  std::vector<TensorId> outputs;
  for (const TensorId t : op.inputs) {
    if (wanted(t)) outputs.push_back(new_gradient(t));
  }
  if (!outputs.empty()) add(op, what, {g, op.inputs[0], op.inputs[1], op.outputs[1]}, outputs);
}

void Trainer::backward(const Operator& op, const SoftmaxOp& what, TensorId g) {
  add_wanted(op, what, {g, op.outputs[0]}, op.inputs);
}

void Trainer::backward(const Operator& op, const ArithmeticOp& what, TensorId g) {
  const auto whole = [&](TensorId t) { return tensor(t).elements == tensor(g).elements; };
  const bool sum = what.function == Arithmetic::Add || what.function == Arithmetic::Subtract;
  if (!sum) {
    std::vector<TensorId> inputs{g};
    inputs.insert(inputs.end(), op.inputs.begin(), op.inputs.end());
    return add_wanted(op, what, inputs, op.inputs);
  }
  // The gradient of each operand equals that of the sum; for repeated operands it is summed over the repetitions.
  std::vector<TensorId> views;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId t = op.inputs[i];
    if (!wanted(t)) continue;
    if (what.function == Arithmetic::Subtract && i > 0) {
      add(op, what, {g}, {new_gradient(t)});
    } else if (whole(t)) {
      views.push_back(new_gradient_view(t, g));
    } else {
      const std::int64_t outputs = std::max<std::int64_t>(tensor(t).elements, 1);
      add(op, ReduceOp{ReduceKind::Sum, outputs, tensor(g).elements / outputs}, {g}, {new_gradient(t)});
    }
  }
  if (!views.empty()) add(op, ViewOp{}, {g}, views);
}

void Trainer::backward(const Operator& op, const ConcatOp& what, TensorId g) {
  add_wanted(op, what, {g}, op.inputs);
}

void Trainer::backward(const Operator& op, const SplitOp& what, TensorId) {
  std::vector<TensorId> gradients;
  for (const TensorId t : op.outputs) {
    if (const auto g = gradient(t)) gradients.push_back(*g);
  }
  add_wanted(op, what, gradients, op.inputs);
}

void Trainer::backward(const Operator& op, const CopyOp& what, TensorId g) {
  add_wanted(op, what, {g}, op.inputs);
}

void Trainer::backward(const Operator& op, const ViewOp& what, TensorId g) {
  const TensorId x = op.inputs[0];
  if (wanted(x)) add(op, what, {g}, {new_gradient_view(x, g)});
}

void Trainer::backward(const Operator& op, const ReduceOp& what, TensorId g) {
  const bool selects = what.kind == ReduceKind::Max || what.kind == ReduceKind::Min;
  if (selects) return add_wanted(op, what, {g, op.inputs[0], op.outputs[0]}, op.inputs);
  add_wanted(op, what, {g}, op.inputs);
}

void Trainer::backward(const Operator& op, const DropoutOp& what, TensorId g) {
  add_wanted(op, what, {g, op.outputs[1]}, op.inputs);
}

void Trainer::backward(const Operator& op, const UnknownOp& what, TensorId) {
  std::vector<TensorId> inputs;
  for (const TensorId t : op.outputs) {
    if (const auto g = gradient(t)) inputs.push_back(*g);
  }
  inputs.insert(inputs.end(), op.inputs.begin(), op.inputs.end());
  add_wanted(op, what, inputs, op.inputs);
}

// A tensor's gradient is complete after the backward operator of the tensor's first reader.
void Trainer::finish_inputs(OperatorId id, const Operator& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId t = op.inputs[i];
    const auto here = op.inputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (tensor(t).consumers.front() != id || std::find(op.inputs.begin(), here, t) != here) continue;
    if (contributions_[t].size() > 1 && wanted(t)) accumulate(t);
    if (options_.updates == UpdateOrder::AsReady) update(t);
  }
}

void Trainer::accumulate(TensorId of) {
  const std::vector<TensorId> parts = std::exchange(contributions_[of], {});
  const TensorId sum = new_gradient(of);
  builder_.graph().tensors[sum].name += " (sum)";
  Operator op = operator_of(tensor(of).name, AccumulateOp{}, parts, {sum});
  op.direction = Direction::Backward;
  builder_.add(std::move(op));
}

void Trainer::update(TensorId parameter) {
  if (tensor(parameter).kind != TensorKind::Weight) return;
  const auto g = gradient(parameter);
  if (!g) return;
  const std::string name = tensor(parameter).name;
  Operator op = operator_of(name, options_.optimiser, {parameter, *g}, {});
  op.direction = Direction::Update;
  op.overwrites = {parameter};
  op.outputs = {builder_.view(parameter, name + ", updated")};
  if (options_.optimiser.momentum != 0) {
    const TensorId velocity = builder_.like(parameter, name + " momentum", TensorKind::OptimiserState);
    op.inputs.push_back(velocity);
    op.overwrites.push_back(velocity);
    op.outputs.push_back(builder_.view(velocity, name + " momentum, updated"));
  }
  builder_.add(std::move(op));
}

// Relu and Clip overwrite their input if the iteration computes it and no other operator reads it, directly or through
// a view: their backward reads the output.
void Trainer::write_in_place() {
  Graph& g = builder_.graph();
  std::vector<std::size_t> members(g.tensors.size());  // number of tensors per memory
  for (TensorId t = 0; t < g.tensors.size(); ++t) ++members[storage(g, t)];
  for (OperatorId id = 0; id < forward_; ++id) {
    Operator& op = g.operators[id];
    const auto* activation = std::get_if<ActivationOp>(&op.what);
    if (activation == nullptr) continue;
    if (activation->function != Activation::Relu && activation->function != Activation::Clip) continue;
    const TensorId x = op.inputs[0], y = op.outputs[0], root = storage(g, x);
    if (!g.tensors[root].producer || g.tensors[y].elements != g.tensors[root].elements) continue;
    // From the input to the owner of the memory: each tensor is read only by the next, and has no other view.
    std::size_t chain = 0;
    bool alone = true;
    OperatorId reader = id;
    for (std::optional<TensorId> at = x; at; at = g.tensors[*at].view_of) {
      ++chain;
      alone = alone && g.tensors[*at].consumers == std::vector<OperatorId>{reader} &&
              std::find(g.outputs.begin(), g.outputs.end(), *at) == g.outputs.end();
      reader = *g.tensors[*at].producer;
    }
    if (!alone || chain != members[root]) continue;
    g.tensors[y].view_of = x;
    op.overwrites = {x};
    members[root] += std::exchange(members[y], 0);  // tensors in the output's memory are now in the input's
  }
}

}  // namespace

Graph training_graph(const Graph& forward, const TrainingOptions& options) {
  try {
    return Trainer(forward, options).run();
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {  // from the builder
    throw InputError(forward.file.empty() ? forward.name : forward.file, 0, "", error.what());
  }
}

}  // namespace weft::workloads

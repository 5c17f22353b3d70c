#include "workloads/graph/restoration.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "workloads/graph/builder.h"

namespace weft::workloads {

namespace {

[[noreturn]] void fail(const SourceLine& place, const std::string& message) {
  throw InputError(place.file, place.line, place.key, message);
}

const ConvolutionOp* convolution(const Operator& op) {
  const auto* conv = std::get_if<ConvolutionOp>(&op.what);
  return conv != nullptr && !conv->fully_connected ? conv : nullptr;
}

bool is_layer(const Operator& op) {
  return op.is_convolution() || std::holds_alternative<FullyConnectedOp>(op.what);
}

bool is_bias(const Operator& op) {
  return std::holds_alternative<BiasOp>(op.what);
}

// Changes at each operator of the forward graph.
struct Plan {
  std::map<OperatorId, const RestoredBatchNorm*> norm_after;
  std::map<OperatorId, const RestoredDropout*> dropout_before;
  std::map<OperatorId, bool> without_bias;
};

// Returns the only operator of this name that satisfies `is_it`.
template <class Predicate>
OperatorId find_operator(const Graph& graph, const LayerName& wanted, const char* what, Predicate is_it) {
  std::optional<OperatorId> found;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (graph.operators[id].name != wanted.name || !is_it(graph.operators[id])) continue;
    if (found) fail(wanted.place, fmt::format("'{}' names several operators of {}", wanted.name, graph.name));
    found = id;
  }
  if (!found) {
    std::vector<std::string> names;
    for (const Operator& op : graph.operators) {
      if (is_it(op) && std::find(names.begin(), names.end(), op.name) == names.end()) names.push_back(op.name);
    }
    constexpr std::size_t kMost = 12;
    const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
    names.resize(names.size() - more);
    fail(wanted.place, fmt::format("'{}' is no {} of {}; known: {}{}", wanted.name, what, graph.name,
                                   fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
  }
  return *found;
}

template <class Predicate>
std::vector<std::pair<OperatorId, SourceLine>> chosen(const Graph& graph, const LayerChoice& choice, const char* what,
                                                      Predicate is_it) {
  std::vector<std::pair<OperatorId, SourceLine>> all;
  for (const LayerName& wanted : choice.names)
    all.emplace_back(find_operator(graph, wanted, what, is_it), wanted.place);
  if (!choice.all) return all;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (is_it(graph.operators[id])) all.emplace_back(id, choice.place);
  }
  return all;
}

// True if a normalisation reads the tensor, or its sum with a bias.
bool normalised(const Graph& graph, TensorId tensor) {
  const std::vector<OperatorId>& readers = graph.tensors[tensor].consumers;
  return std::any_of(readers.begin(), readers.end(), [&](OperatorId reader) {
    const Operator& op = graph.operators[reader];
    return std::holds_alternative<BatchNormOp>(op.what) || (is_bias(op) && normalised(graph, op.outputs[0]));
  });
}

Plan plan_of(const Graph& graph, const Restoration& restoration) {
  Plan plan;
  for (const RestoredBatchNorm& norm : restoration.batch_norms) {
    for (const auto& [id, place] : chosen(graph, norm.after, "convolution", convolution)) {
      const std::string& name = graph.operators[id].name;
      if (normalised(graph, graph.operators[id].outputs[0])) {
        fail(place, fmt::format("layer {} of {} has a batch normalisation in the file", name, graph.name));
      }
      if (!plan.norm_after.emplace(id, &norm).second) {
        fail(place, fmt::format("layer {} is given a second batch normalisation", name));
      }
      plan.without_bias[id] = true;
    }
  }
  for (const LayerChoice& choice : restoration.without_bias) {
    for (const auto& [id, place] : chosen(graph, choice, "layer", is_layer)) plan.without_bias[id] = true;
  }
  for (const RestoredDropout& dropout : restoration.dropouts) {
    const OperatorId id =
        find_operator(graph, dropout.before, "operator", [](const Operator& op) { return !is_bias(op); });
    const std::vector<TensorId>& inputs = graph.operators[id].inputs;
    if (inputs.empty() || graph.tensors[inputs[0]].elements == 0) {
      fail(dropout.before.place, fmt::format("the size of the input of {} is not known", dropout.before.name));
    }
    if (!plan.dropout_before.emplace(id, &dropout).second) {
      fail(dropout.before.place, fmt::format("{} is given a second dropout", dropout.before.name));
    }
  }
  return plan;
}

class Copier {
 public:
  explicit Copier(const Graph& from) : from_(from), builder_(header(from)), copies_(from.tensors.size()) {}

  Graph run(const Plan& plan) {
    for (OperatorId id = 0; id < from_.operators.size(); ++id) copy(id, plan);
    for (const TensorId t : from_.inputs) {
      if (copies_[t]) builder_.graph().inputs.push_back(*copies_[t]);
    }
    for (const TensorId t : from_.outputs) builder_.graph().outputs.push_back(mapped(t));
    return builder_.take();
  }

 private:
  static Graph header(const Graph& from) {
    Graph graph;
    graph.name = from.name;
    graph.file = from.file;
    graph.batch = from.batch;
    graph.word_bytes = from.word_bytes;
    return graph;
  }

  TensorId mapped(TensorId t) {
    if (copies_[t]) return *copies_[t];
    const Tensor tensor = from_.tensors[t];
    const std::optional<TensorId> of = tensor.view_of ? std::optional(mapped(*tensor.view_of)) : std::nullopt;
    TensorId id = 0;
    if (of) {
      id = builder_.view(*of, tensor.name, tensor.shape);
      builder_.graph().tensors[id].kind = tensor.kind;
    } else if (tensor.elements == 0) {
      id = builder_.unsized(tensor.name, tensor.kind);
    } else {
      id = builder_.tensor(tensor.name, tensor.kind, tensor.shape, tensor.element_bytes);
    }
    copies_[t] = id;
    return id;
  }

  void copy(OperatorId id, const Plan& plan) {
    Operator op = from_.operators[id];
    if (is_bias(op)) {
      const auto layer = from_.tensors[op.inputs[0]].producer;
      if (layer && plan.without_bias.count(*layer) != 0) {  // the result is that of the layer or of its followers
        copies_[op.outputs[0]] = mapped(op.inputs[0]);
        return;
      }
    }
    if (auto* fc = std::get_if<FullyConnectedOp>(&op.what); fc && fc->bias && plan.without_bias.count(id) != 0) {
      fc->bias = false;
      op.inputs.resize(2);
    }
    for (std::vector<TensorId>* list : {&op.inputs, &op.outputs, &op.overwrites}) {
      for (TensorId& t : *list) t = mapped(t);
    }
    if (const auto dropout = plan.dropout_before.find(id); dropout != plan.dropout_before.end()) {
      const std::string name = op.name + "/Dropout";
      const TensorId dropped = builder_.like(op.inputs[0], name + " output", TensorKind::Activation);
      builder_.dropout(name, DropoutOp{dropout->second->ratio}, op.inputs[0], dropped);
      op.inputs[0] = dropped;
    }
    const TensorId result = op.outputs[0];
    builder_.add(op);
    if (plan.without_bias.count(id) != 0) {  // its result takes the name of the bias's result
      for (const OperatorId reader : from_.tensors[from_.operators[id].outputs[0]].consumers) {
        const Operator& bias = from_.operators[reader];
        if (is_bias(bias)) builder_.graph().tensors[result].name = from_.tensors[bias.outputs[0]].name;
      }
    }
    const auto norm = plan.norm_after.find(id);
    if (norm == plan.norm_after.end()) return;
    const std::string name = op.name + "/BatchNormalization";
    const std::vector<std::int64_t> shape = builder_.graph().tensors[result].shape;
    BatchNormOp what;
    what.images = shape[0];
    what.channels = shape[1];
    what.spatial = shape[2] * shape[3];
    what.epsilon = norm->second->epsilon;
    what.momentum = norm->second->momentum;
    const TensorId scale = builder_.tensor(name + " scale", TensorKind::Weight, {what.channels});
    const TensorId shift = builder_.tensor(name + " shift", TensorKind::Weight, {what.channels});
    const TensorId y = builder_.like(result, name + " output", TensorKind::Activation);
    builder_.batch_norm(name, what, result, scale, shift, y);
    copies_[from_.operators[id].outputs[0]] = y;  // readers of the layer's result now read the normalised one
  }

  const Graph& from_;
  GraphBuilder builder_;
  std::vector<std::optional<TensorId>> copies_;
};

}  // namespace

Graph restore(const Graph& forward, const Restoration& restoration) {
  const Plan plan = plan_of(forward, restoration);
  return Copier(forward).run(plan);
}

}  // namespace weft::workloads

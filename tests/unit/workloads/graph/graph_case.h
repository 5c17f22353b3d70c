#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "workloads/graph/builder.h"

// Small forward graphs built by hand.
namespace weft::workloads {

inline const Operator& find(const Graph& graph, const std::string& wanted) {
  const auto found = std::find_if(graph.operators.begin(), graph.operators.end(),
                                  [&](const Operator& op) { return label(op) == wanted; });
  if (found == graph.operators.end()) throw Error("no operator " + wanted);
  return *found;
}

inline Graph empty_graph(const std::string& name) {
  Graph graph;
  graph.name = name;
  return graph;
}

// Builder of a graph whose tensors have one shape, with an input x. Operators are named after their results.
class GraphCase {
 public:
  explicit GraphCase(std::vector<std::int64_t> shape = {2, 8})
      : shape_(std::move(shape)), builder_(empty_graph("case")) {
    x = builder_.tensor("x", TensorKind::Input, shape_);
    builder_.graph().inputs = {x};
  }

  TensorId weight(const std::string& name) { return builder_.tensor(name, TensorKind::Weight, shape_); }

  TensorId add(const std::string& name, const Attributes& what, const std::vector<TensorId>& inputs) {
    const TensorId y = builder_.tensor(name, TensorKind::Activation, shape_);
    builder_.add(operator_of(name, what, inputs, {y}));
    return y;
  }
  // Adds a layer with its own weights.
  TensorId layer(const std::string& name, TensorId input) {
    return add(name, FullyConnectedOp{}, {input, weight(name + ".weight")});
  }
  TensorId relu(const std::string& name, TensorId input) { return add(name, ActivationOp{}, {input}); }
  TensorId view(const std::string& name, TensorId input) {
    const TensorId y = builder_.view(input, name);
    builder_.graph().tensors[y].kind = TensorKind::Activation;
    builder_.add(operator_of(name, ViewOp{}, {input}, {y}));
    return y;
  }

  Graph with_outputs(const std::vector<TensorId>& outputs) {
    builder_.graph().outputs = outputs;
    return builder_.take();
  }

  TensorId x = 0;
  GraphBuilder& builder() { return builder_; }

 private:
  std::vector<std::int64_t> shape_;
  GraphBuilder builder_;
};

}  // namespace weft::workloads

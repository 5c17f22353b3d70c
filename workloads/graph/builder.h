#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

// Sets the floating-point operations and the traffic in bytes of an operator of `graph`, by the rules of
// docs/explanation/training-graph.md. Internal to workloads/. Throws Error if they exceed 64 bits.
void set_work(const Graph& graph, Operator& op);

// Builds a graph and keeps producers, consumers, work and traffic consistent with its operators. Internal to
// workloads/. Throws Error if tensors or operations exceed 64 bits, including room for sums over the graph.
class GraphBuilder {
 public:
  explicit GraphBuilder(Graph start);  // `start`: new operators are appended to it

  // Adds a tensor of words; `shape` is of the whole batch.
  TensorId tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape);
  TensorId tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape, int element_bytes);
  // Adds a tensor like another one, with a new name and kind.
  TensorId like(TensorId tensor, std::string name, TensorKind kind);
  // Adds a view of `tensor`, with a new name; a new shape must have as many elements.
  TensorId view(TensorId tensor, std::string name);
  TensorId view(TensorId tensor, std::string name, std::vector<std::int64_t> shape);
  // Adds a tensor of unknown shape.
  TensorId unsized(std::string name, TensorKind kind);

  // Appends an operator. Its inputs must exist, and no other operator may write its outputs.
  OperatorId add(Operator op);

  // Forward operators that add tensors: batch normalisation its statistics; dropout its mask, which is returned.
  void batch_norm(const std::string& name, const BatchNormOp& what, TensorId x, TensorId scale, TensorId shift,
                  TensorId y);
  TensorId dropout(const std::string& name, const DropoutOp& what, TensorId x, TensorId y);

  const Graph& graph() const { return graph_; }
  Graph& graph() { return graph_; }
  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
  Bytes bytes_ = 0;         // sum over all tensors
  std::int64_t flops_ = 0;  // sum over all operators
};

// Returns a forward operator that changes nothing in place.
Operator operator_of(const std::string& name, const Attributes& what, std::vector<TensorId> inputs,
                     std::vector<TensorId> outputs);

// Bytes of a max-pooling index, of a label, and of an element of dropout's mask.
inline constexpr int kIndexBytes = 4;
inline constexpr int kLabelBytes = 8;
inline constexpr int kMaskBytes = 1;

}  // namespace weft::workloads

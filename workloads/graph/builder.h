#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

// Sets the floating-point operations and the bytes read and written of an operator of `graph`, by the rules of
// docs/training-graph.md. Internal to workloads/. Throws Error if they exceed 64 bits.
void set_work(const Graph& graph, Operator& op);

// Puts a graph together so that producers, consumers, work and traffic are always those of its operators. Internal to
// workloads/. Throws Error where tensors or operations exceed what 64 bits count, with room for sums over the graph.
class GraphBuilder {
 public:
  explicit GraphBuilder(Graph start);  // with what is to come behind

  // A tensor of words; `shape` is of the whole batch.
  TensorId tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape);
  TensorId tensor(std::string name, TensorKind kind, std::vector<std::int64_t> shape, int element_bytes);
  // Like another tensor but for its name and kind.
  TensorId like(TensorId tensor, std::string name, TensorKind kind);
  // In the memory of `tensor`, and like it but for its name; of another shape if that has as many elements.
  TensorId view(TensorId tensor, std::string name);
  TensorId view(TensorId tensor, std::string name, std::vector<std::int64_t> shape);
  // A tensor of which the shape is not known.
  TensorId unsized(std::string name, TensorKind kind);

  // Appends an operator, whose inputs are there and whose outputs nobody else writes.
  OperatorId add(Operator op);

  // Forward operators with tensors of their own: batch normalisation's statistics; dropout's mask, which is the result.
  void batch_norm(const std::string& name, const BatchNormOp& what, TensorId x, TensorId scale, TensorId shift,
                  TensorId y);
  TensorId dropout(const std::string& name, const DropoutOp& what, TensorId x, TensorId y);

  const Graph& graph() const { return graph_; }
  Graph& graph() { return graph_; }
  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
  Bytes bytes_ = 0;         // of all tensors
  std::int64_t flops_ = 0;  // of all operators
};

// A forward operator that changes nothing in place.
Operator operator_of(const std::string& name, const Attributes& what, std::vector<TensorId> inputs,
                     std::vector<TensorId> outputs);

// Bytes of one index of max pooling and of one label, and of one element of dropout's mask.
inline constexpr int kIndexBytes = 4;
inline constexpr int kLabelBytes = 8;
inline constexpr int kMaskBytes = 1;

}  // namespace weft::workloads

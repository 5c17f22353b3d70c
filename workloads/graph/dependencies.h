#pragma once

#include <cstdint>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

// Lifetime of a tensor's memory, views included, in an order of the operators.
struct Lifetime {
  TensorId tensor = 0;  // not a view
  Bytes bytes = 0;
  std::size_t first = 0, last = 0;  // positions in the order, both inclusive; the whole order for permanent tensors
};

// Lifetimes of all tensors that are not views, in tensor order. Weights, optimiser states and running statistics live
// throughout; inputs from the start to their last use; unread tensors until the end if they are outputs of the network
// or the loss, else only while written. Throws Error for an order that Dependencies does not allow.
std::vector<Lifetime> lifetimes(const Graph& graph, const std::vector<OperatorId>& order);

struct Peak {
  Bytes bytes = 0;
  std::size_t position = 0;  // first position in the order with this many live bytes
};
Peak peak_memory(const Graph& graph, const std::vector<OperatorId>& order);

// Order of Graph::operators.
std::vector<OperatorId> given_order(const Graph& graph);

// Dependencies between operators: by data, and by memory that is overwritten (an update follows the last reader of the
// weights).
class Dependencies {
 public:
  explicit Dependencies(const Graph& graph);  // throws Error, as check() does

  std::size_t size() const { return predecessors_.size(); }
  // Direct ones only, ascending, without duplicates.
  const std::vector<OperatorId>& predecessors(OperatorId op) const { return predecessors_[op]; }
  const std::vector<OperatorId>& successors(OperatorId op) const { return successors_[op]; }
  // True if `order` contains every operator once, each after its predecessors.
  bool allows(const std::vector<OperatorId>& order) const;

 private:
  std::vector<std::vector<OperatorId>> predecessors_, successors_;
};

}  // namespace weft::workloads

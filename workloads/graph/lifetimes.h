#pragma once

#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

// The memory of one tensor and its views, over an order of the operators.
struct Lifetime {
  TensorId tensor = 0;  // the one that is no view
  Bytes bytes = 0;
  std::size_t first = 0, last = 0;  // positions in the order, both included; the whole order for what is kept
};

// One for each tensor that is no view, in tensor order. Weights, optimiser states and running statistics live through
// all of it; inputs from the start to their last use; what nobody reads until the end if it is an output of the
// network or the loss, else only while it is written. Throws Error for an order that Dependencies does not allow.
std::vector<Lifetime> lifetimes(const Graph& graph, const std::vector<OperatorId>& order);

struct Peak {
  Bytes bytes = 0;
  std::size_t position = 0;  // the first position in the order where so many bytes are alive
};
Peak peak_memory(const Graph& graph, const std::vector<OperatorId>& order);

}  // namespace weft::workloads

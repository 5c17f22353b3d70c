#pragma once

#include <cstdint>
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

// The order of Graph::operators.
std::vector<OperatorId> given_order(const Graph& graph);

// What must be done before what: data, and memory that is overwritten (an update after the last reader of the
// weights).
class Dependencies {
 public:
  explicit Dependencies(const Graph& graph);  // throws Error, as check() does

  std::size_t size() const { return predecessors_.size(); }
  // Ascending, each once, direct ones only.
  const std::vector<OperatorId>& predecessors(OperatorId op) const { return predecessors_[op]; }
  const std::vector<OperatorId>& successors(OperatorId op) const { return successors_[op]; }
  // Whether `order` has every operator once, each behind its predecessors.
  bool allows(const std::vector<OperatorId>& order) const;
  // Operators by the length of the longest chain before them: those of one level do not depend on each other.
  std::vector<std::vector<OperatorId>> levels() const;

 private:
  std::vector<std::vector<OperatorId>> predecessors_, successors_;
};

// Which operator depends on which, also through others; takes size() squared bits.
class Reachability {
 public:
  explicit Reachability(const Dependencies& dependencies);
  bool reaches(OperatorId from, OperatorId to) const;  // `to` depends on `from`
  bool independent(OperatorId a, OperatorId b) const { return a != b && !reaches(a, b) && !reaches(b, a); }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> reached_;  // row `to`: what it depends on
};

}  // namespace weft::workloads

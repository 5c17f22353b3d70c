#pragma once

#include <cstdint>
#include <vector>

#include "workloads/graph/graph.h"

namespace weft::workloads {

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

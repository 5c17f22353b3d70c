#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/fpgpt/exact/joint_step.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt::exact {

// Counts cycles as active in which a reader requests although it is blocked.
void count_requesting(std::size_t port, Cycles cycles, BlockActivities& activities);

// Adds row hits, misses and conflicts of each port.
void add_rows(const std::array<std::array<std::int64_t, 3>, kPorts>& rows, ConvolutionResult& result);

// Counts of blocks and ports in replayed intervals.
class ReplayedCounts {
 public:
  // Notes a use of an entry or step, which must live until count().
  void use(MemoEntry& entry) {
    if (entry.uses++ == 0) used_.push_back(&entry);
  }
  void use(const JointStep& step) {
    if (step.counts->uses++ == 0) used_steps_.push_back(step.counts);
  }
  // Adds all uses noted, and drops the references.
  void count();
  // of all uses counted
  const BlockActivities& activities() const { return activities_; }
  void add_to(ConvolutionResult& result) const;

 private:
  std::vector<MemoEntry*> used_;
  std::vector<JointCounts*> used_steps_;
  BlockActivities activities_{};
  ArrayStarved array_starved_{};
  std::array<memory::PortStats, kPorts> ports_{};
};

}  // namespace weft::fpgpt::exact

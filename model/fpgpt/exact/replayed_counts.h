#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/fpgpt/exact/joint_step.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt::exact {

// A reader that asks is active, also in a cycle in which it cannot hand on what has come.
void count_requesting(std::size_t port, Cycles cycles, BlockActivities& activities);

// Adds hits, misses and conflicts of each port.
void add_rows(const std::array<std::array<std::int64_t, 3>, kPorts>& rows, ConvolutionResult& result);

// What blocks and ports did in the intervals that were walked.
class ReplayedCounts {
 public:
  // Counts a use of a entry or of a step, which must be there until count().
  void use(MemoEntry& entry) {
    if (entry.uses++ == 0) used_.push_back(&entry);
  }
  void use(const JointStep& step) {
    if (step.counts->uses++ == 0) used_steps_.push_back(step.counts);
  }
  // Counts all uses, and then forgets the entries and steps.
  void count();
  // Of all that was counted.
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

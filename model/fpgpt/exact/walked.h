#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/fpgpt/exact/leg.h"
#include "model/fpgpt/result.h"

namespace weft::fpgpt::exact {

// A reader that asks is active, also in a cycle in which it cannot hand on what has come.
void count_asking(std::size_t port, Cycles cycles, BlockActivities& activities);

// What blocks and ports did in the stretches that were walked.
class Walked {
 public:
  // Counts a use of a leg. The leg must be there until count().
  void use(Leg& leg) {
    if (leg.uses++ == 0) used_.push_back(&leg);
  }
  // Counts all uses, and then forgets the legs.
  void count();
  // Of all that was counted.
  const BlockActivities& activities() const { return activities_; }
  // Adds all that was counted, and `rows`: hits, misses and conflicts of each port.
  void add_to(ConvolutionResult& result, const std::array<std::array<std::int64_t, 3>, kPorts>& rows) const;

 private:
  std::vector<Leg*> used_;
  BlockActivities activities_{};
  ArrayStarved array_starved_{};
  std::array<memory::PortStats, kPorts> ports_{};
};

}  // namespace weft::fpgpt::exact

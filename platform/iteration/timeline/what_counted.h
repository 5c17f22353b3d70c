#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/iteration/timeline/iteration.h"

// Which of the figures of host, board and schedule an iteration was made of.
namespace weft::timeline {

// The keys of `assumed` that had a part in the iteration.
struct Assumed {
  std::vector<std::string> schedule;  // of the run's `schedule`: all of them, for each is a choice
  std::vector<std::string> host, board;
};
Assumed assumed_of(const TrainingIteration& iteration);

// Operators of the host whose prices were measured, and entries of the host's `measured` that none of them has.
struct MeasuredUse {
  std::int64_t operators = 0;
  std::int64_t scaled = 0;       // of them, from another batch
  std::int64_t plain_loops = 0;  // of them, by no library
  std::int64_t unused = 0;
};
MeasuredUse measured_use(const TrainingIteration& iteration);

}  // namespace weft::timeline

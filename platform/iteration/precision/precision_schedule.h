#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/precision/gm.h"
#include "platform/iteration/precision/muppet.h"
#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// Inputs of a replayed training: MuPPET from diversities or at chosen epochs; GM on top of it from errors.
struct Replay {
  MuppetRules muppet;
  std::vector<int> switch_epochs;  // first epoch of each level except the first; used without diversities
  std::optional<DiversityTrace> diversities;
  GmRules gm;
  std::optional<ErrorTrace> errors;  // nothing: MuPPET only
};

// Consecutive iterations of an epoch in the same levels.
struct Stretch {
  std::int64_t iterations = 0;
  std::vector<Level> levels;  // of each convolution
};
struct Epoch {
  Level level = kFp32;                         // MuPPET's
  double rate = 1;                             // relative to the initial learning rate
  std::optional<double> diversity, threshold;  // set if one was needed
  int violations = 0;                          // at the epoch's end, before a switch resets them
  std::vector<Stretch> stretches;
};
struct PrecisionSchedule {
  std::vector<Epoch> epochs;
  std::vector<std::size_t> accelerated;  // selected by GM
  std::size_t unused_lines = 0;          // trace lines of epochs that need no value
};

// Replays a training; `names`, `times` (in each of GM's levels, empty without GM): of each convolution. Throws
// InputError for a trace that ends before the policies do, std::invalid_argument if a level is never switched to.
PrecisionSchedule replay(const Replay& replay, std::int64_t iterations_per_epoch, const std::vector<std::string>& names,
                         const std::vector<LevelTimes>& times);

// A training that prunes: all weights for `dense_epochs`, then those that the masks keep until `epochs` have passed.
struct Pruning {
  int epochs = 0;        // 1 or more
  int dense_epochs = 0;  // less than `epochs`
};
PrecisionSchedule prune(const Pruning& pruning, std::int64_t iterations_per_epoch, std::size_t convolutions);

// Iterations in the first `ticks` of an epoch's ticks: that share of `all`, rounded down.
std::int64_t iterations_of_ticks(std::int64_t all, int ticks, int ticks_per_epoch);

}  // namespace weft::precision

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/precision/gm.h"
#include "platform/iteration/precision/muppet.h"
#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// What replays a training: MuPPET from diversities, or at epochs that were chosen; GM on top of it from errors.
struct Replay {
  MuppetRules muppet;
  std::vector<int> switch_epochs;  // the first epoch of each level behind the first; used if there are no diversities
  std::optional<DiversityTrace> diversities;
  GmRules gm;
  std::optional<ErrorTrace> errors;  // without it MuPPET alone
};

// Iterations of an epoch in the same levels.
struct Stretch {
  std::int64_t iterations = 0;
  std::vector<Level> levels;  // of each convolution
};
struct Epoch {
  Level level = kFp32;                         // MuPPET's
  double rate = 1;                             // of what the learning rate began with
  std::optional<double> diversity, threshold;  // where one was asked for
  int violations = 0;                          // at its end, before a switch forgets them
  std::vector<Stretch> stretches;
};
struct Course {
  std::vector<Epoch> epochs;
  std::vector<std::size_t> accelerated;  // of GM
  std::size_t unused_lines = 0;          // of the traces, of epochs in which nothing is asked for
};

// `names` and `times` of each convolution, `times` in each of GM's levels (empty without GM). Throws InputError for a
// trace that does not go as far as the policies, and std::invalid_argument if epochs do not switch to every level.
Course replay(const Replay& replay, std::int64_t iterations_per_epoch, const std::vector<std::string>& names,
              const std::vector<LevelTimes>& times);

// The iterations of the first `ticks` of an epoch's ticks: of `all` iterations the same share, rounded down.
std::int64_t iterations_of_ticks(std::int64_t all, int ticks, int ticks_per_epoch);

}  // namespace weft::precision

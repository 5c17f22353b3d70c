#pragma once

#include <vector>

#include "model/engine/account.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

namespace weft::fpgpt::exact {

class Knowledge;

struct ExactResult {
  ConvolutionResult convolution;
  engine::ExactAccount account;
};

// What the blocks have done by the start of some cycles.
struct Samples {
  std::vector<Cycles> cycles;               // rising
  std::vector<BlockActivities> activities;  // at those of them that are not behind the end
};

// Simulates one convolution in timing mode and skips what provably repeats: the same counts as run_clocked(), to the
// cycle. Throws Deadlock as it does, and Mismatch if a replay differs.
// `samples`, if there are some, are filled: each costs the replay of a stretch.
// `knowledge`: what earlier convolutions of this process found out and later ones may use; without it this one begins
// with nothing. It changes no count but for what had to be learnt.
ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options,
                      Samples* samples = nullptr, Knowledge* knowledge = nullptr);

}  // namespace weft::fpgpt::exact

#pragma once

#include "model/engine/account.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

namespace weft::fpgpt::exact {

struct ExactResult {
  ConvolutionResult convolution;
  engine::ExactAccount account;
};

// Simulates one convolution in timing mode and skips what provably repeats: the same counts as run_clocked(), to the
// cycle. Throws Deadlock as it does, and Mismatch if a replay differs.
ExactResult run_exact(const Plan& plan, const memory::MemoryConfig& memory, const engine::ExactOptions& options);

}  // namespace weft::fpgpt::exact

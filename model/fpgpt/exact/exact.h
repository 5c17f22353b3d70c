#pragma once

#include "model/engine/account.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"

namespace weft::engine {

struct ExactResult {
  fpgpt::ConvolutionResult convolution;
  ExactAccount account;
};

// Simulates one convolution in timing mode and skips what provably repeats: the same counts as run_clocked(), to the
// cycle. Throws Deadlock as it does, and Error if a replay differs.
ExactResult run_exact(const fpgpt::Plan& plan, const memory::MemoryConfig& memory, const ExactOptions& options);

}  // namespace weft::engine

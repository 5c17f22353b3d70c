#pragma once

#include <memory>

#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/plan.h"
#include "model/memory/config.h"

namespace weft::fpgpt {

// What the blocks have done by some cycle of a convolution, whatever its values are: stepped up to there when somebody
// asks.
class Progress {
 public:
  // Throws Error if the kernel does not hold beta.
  Progress(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory);

  // In the cycles before `cycle`, at most its last one. Asking for later and later cycles steps each once.
  const BlockActivities& before(Cycles cycle);

 private:
  void restart();

  Plan plan_;
  std::unique_ptr<memory::Memory> memory_;
  std::unique_ptr<exact::Clocked> clocked_;
};

}  // namespace weft::fpgpt

#include "model/fpgpt/execution/progress.h"

namespace weft::fpgpt {

Progress::Progress(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory)
    : plan_(make_plan(alpha, beta, false)), memory_(memory::make_memory(memory)) {
  restart();
}

void Progress::restart() {
  clocked_ = std::make_unique<exact::Clocked>(plan_, *memory_, nullptr);
}

const BlockActivities& Progress::before(Cycles cycle) {
  if (cycle < clocked_->cycles()) restart();
  while (clocked_->cycles() < cycle) clocked_->step();
  return clocked_->activities();
}

}  // namespace weft::fpgpt

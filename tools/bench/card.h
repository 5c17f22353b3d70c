#pragma once

#include <vector>

#include "platform/config/compose.h"
#include "platform/design/card_kernel.h"
#include "tools/bench/cost.h"

namespace weft::tools {

// Training iterations of ResNet-20's convolutions on the simulated card, each with its tensors' transfers and its
// register writes, on one 16 x 16 kernel that serves them all.
struct CardCost {
  Cycles cycles = 0;  // of the convolutions of an iteration
  double first = 0;   // processor seconds of the first iteration, with the card's own start
  double later = 0;   // of one after it
  std::int64_t peak_bytes = 0;
};
// `later`: so many iterations after the first; 0: only that.
CardCost card_cost(design::Execution execution, int batch, int later, const std::vector<config::Override>& extra = {});

}  // namespace weft::tools

#pragma once

#include <cstdint>

#include "model/barista/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

namespace weft::barista {

// Gives the tiles of C row by row (BAR-7).
class Drain {
 public:
  Drain() = default;
  explicit Drain(const Plan& plan) : tiles_left_(plan.tiles.outputs()) {}

  Activity step(Cycles now, const Plan& plan, Fifo& tile, Fifo& row);

 private:
  std::int64_t tiles_left_ = 0;
  int row_ = 0;
};

}  // namespace weft::barista

#pragma once

#include <cstdint>
#include <vector>

#include "model/core/units.h"

namespace weft::pipeline {

// A block of a linear chain: `cycles` a pixel, or, of a line buffer (stride 1, as many outputs as inputs), one cycle a
// step and its first window behind `lag` pixels.
struct Stage {
  Cycles cycles = 1;
  std::int64_t lag = 1;
};

// Cycles of the first image of `pixels` pixels through the chain, from its first to behind its last step, in closed
// form, where FIFOs never fill.
//
// A step waits for the one before it in its block and for its token's in the block before. So the time is that of the
// heaviest path from the first pixel in the first block to the last in the last. A path that makes n + 1 steps in a
// block of c cycles takes (n + 1) c there and is n pixels further behind it; a line buffer sets it back by lag - 1. It
// ends at pixel `pixels`: so the n of all blocks are pixels - 1 + sum(lag - 1). No block can have more than pixels - 1,
// and the slowest one, m, has as many if the path comes to it at the first pixel and leaves it at the last. For that a
// lag before m must be made up for before it, in the slowest of the blocks up to that line buffer; one behind m in the
// slowest from that line buffer on:
//   sum(c) + (pixels - 1) c_m + sum_{i < m} (lag_i - 1) max_{j <= i} c_j + sum_{i >= m} (lag_i - 1) max_{j >= i} c_j
// Throws Error unless sum(lag - 1) < pixels, for else the path would have to leave the image.
Cycles chain_latency(const std::vector<Stage>& chain, std::int64_t pixels);

}  // namespace weft::pipeline

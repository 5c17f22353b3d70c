#pragma once

#include <cstdint>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"

namespace weft::pipeline {

// `to` of an image happens at least `delay` behind `from` of the image that is `images` earlier.
struct TimedEdge {
  std::size_t from = 0, to = 0;
  Cycles delay = 0;
  std::int64_t images = 0;
};

// The largest ratio of delays to images over all cycles of the graph: what a period cannot be less than, and is if
// everything happens as early as it can. At least `floor`. Throws Error if a cycle has no image.
Rational maximum_cycle_ratio(std::size_t nodes, const std::vector<TimedEdge>& edges, const Rational& floor);

}  // namespace weft::pipeline

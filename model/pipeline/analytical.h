#pragma once

#include <cstdint>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/pipeline/pipeline.h"

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

// Cycles an image of the slowest block: no period is less, and none is more where FIFOs suffice.
Cycles slowest(const Pipeline& pipeline);

// Each shared block as a block of its own a stream, which never waits for the others.
Pipeline without_arbitration(const Pipeline& pipeline);

// The mean cycles an image, exactly: the maximum cycle ratio of the marked graph of all steps of an image, with the
// places of bounded FIFOs as edges back. Throws Error where steps wait for each other for ever.
// With shared blocks a lower bound: of without_arbitration(), or the cycles of a shared block, whichever is more.
Rational period(const Pipeline& pipeline);

// A token's residence is what it cannot spend less in a FIFO: the longest path from its being given to its being
// taken, without bounds, and a cycle until its place is there again. From token k over its residence to the place that
// token k + depth takes, and on until token k comes again, is a cycle of the graph; over all tokens of an image these
// cycles have all residences and, together, `depth` images. So no period is less than the sum of the residences over
// the depth: throughput <= depth / residence.
Rational store_bound(const Pipeline& pipeline, FifoId fifo);

}  // namespace weft::pipeline

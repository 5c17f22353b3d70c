#pragma once

#include <cstdint>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// The updater of a layer: behind the batch's last image it reads `words` of weights, and writes them.
struct Updater {
  std::string name;
  Words words = 0;
  Words words_per_cycle = 1;

  Cycles cycles() const { return ceil_div(words, words_per_cycle); }
};

// A batch: its images are written one behind the other, the pipeline runs empty, and all updaters run at once. Then
// comes the next batch. So all batches are alike.
struct BatchTimes {
  std::int64_t images = 1;
  Cycles written = 0;   // behind the last pixel that enters
  Cycles fill = 0;      // behind the first image
  Cycles last = 0;      // behind the last image
  Cycles update = 0;    // of the slowest updater
  Rational period = 0;  // mean cycles an image in the steady state, images without end

  Cycles steady() const { return last - fill; }    // from the first image's end to the last one's
  Cycles drain() const { return last - written; }  // the wait
  Cycles total() const { return last + update; }
  // Of the steady state's rate: images * period / total.
  double efficiency() const;
};

// Of a simulation of at least so many images. Throws Error if it has no steady state.
BatchTimes batch(const Simulated& simulated, std::int64_t images, const std::vector<Updater>& updaters);
// Throws Error if the steady state does not come within `limit` images.
BatchTimes batch(const Pipeline& pipeline, std::int64_t images, const std::vector<Updater>& updaters,
                 std::int64_t limit = 1000);

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

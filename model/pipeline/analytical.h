#pragma once

#include <cstdint>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// Updater of a layer: after the last image of the batch it reads `words` weights and writes them.
struct Updater {
  std::string name;
  Words words = 0;
  Words words_per_cycle = 1;

  Cycles cycles() const { return ceil_div(words, words_per_cycle); }
};

// Times of a batch: its images enter in sequence, the pipeline drains, and all updaters run at once. The next batch
// begins after that, so all batches are equal.
struct BatchTimes {
  std::int64_t images = 1;
  Cycles written = 0;   // cycle after the last pixel enters
  Cycles fill = 0;      // cycle after the first image
  Cycles last = 0;      // cycle after the last image
  Cycles update = 0;    // of the slowest updater
  Rational period = 0;  // mean cycles per image in the steady state

  Cycles steady() const { return last - fill; }    // from the end of the first image to the end of the last
  Cycles drain() const { return last - written; }  // wait until the pipeline is empty
  Cycles total() const { return last + update; }
  // Fraction of the steady-state rate: images * period / total.
  double efficiency() const;
};

// Returns the times of a simulation of at least `images` images.
BatchTimes batch(const Simulated& simulated, std::int64_t images, const std::vector<Updater>& updaters);
// `limit`: images within which a steady state is looked for.
BatchTimes batch(const Pipeline& pipeline, std::int64_t images, const std::vector<Updater>& updaters,
                 std::int64_t limit = 1000);

// Block of a linear chain: `cycles` per pixel; or a line buffer (stride 1, equally many inputs and outputs) with one
// cycle per step and its first window after `lag` pixels.
struct Stage {
  Cycles cycles = 1;
  std::int64_t lag = 1;
};

// Cycles of the first image of `pixels` pixels through the chain, from the start of its first step to the end of its
// last, in closed form for FIFOs that never fill.
//
// A step waits for the previous step of its block and for the step in the previous block that gives its token. So the
// time is that of the longest path from the first pixel in the first block to the last pixel in the last block. A path
// with n + 1 steps in a block of c cycles takes (n + 1) c there and advances by n pixels; a line buffer sets it back by
// lag - 1. As the path ends at pixel `pixels`, the n of all blocks sum to pixels - 1 + sum(lag - 1). Each n is at most
// pixels - 1. The slowest block, m, attains that if the path enters m at the first pixel and leaves it at the last.
// Then the lag of a line buffer before m is recovered in the slowest block up to that buffer, and the lag of one after
// m in the slowest block from that buffer on:
//   sum(c) + (pixels - 1) c_m + sum_{i < m} (lag_i - 1) max_{j <= i} c_j + sum_{i >= m} (lag_i - 1) max_{j >= i} c_j
// Throws Error unless sum(lag - 1) < pixels, because the path would otherwise leave the image.
Cycles chain_latency(const std::vector<Stage>& chain, std::int64_t pixels);

// `to` of an image occurs at least `delay` cycles after `from` of the image that is `images` earlier.
struct TimedEdge {
  std::size_t from = 0, to = 0;
  Cycles delay = 0;
  std::int64_t images = 0;
};

// Returns the largest ratio of delays to images over all cycles of the graph, at least `floor`: the lower bound of the
// period, attained if every event occurs as early as possible. Throws Error if a cycle has no image.
Rational maximum_cycle_ratio(std::size_t nodes, const std::vector<TimedEdge>& edges, const Rational& floor);

// Cycles per image of the slowest block: a lower bound of the period, attained if the FIFOs suffice.
Cycles slowest(const Pipeline& pipeline);
// The first block with as many cycles, the first block of the pipeline (its source) after all others.
const Block& slowest_block(const Pipeline& pipeline);

// Returns the pipeline with each shared block split into one block per stream; these never wait for each other.
Pipeline without_arbitration(const Pipeline& pipeline);

// Returns the exact mean cycles per image: the maximum cycle ratio of the marked graph of all steps of an image, where
// places of bounded FIFOs are back edges. Throws Error if steps deadlock.
// With shared blocks a lower bound: the larger of without_arbitration()'s period and the cycles of a shared block.
Rational period(const Pipeline& pipeline);

// Lower bound of the period due to one FIFO. The residence of a token is its minimum time in the FIFO: the longest path
// from its push to its pop without bounds, plus one cycle until its place is free. Token k, its residence, the place
// that token k + depth takes, and the path until token k recurs form a cycle of the graph. Over all tokens of an image
// these cycles have all residences and, together, `depth` images. So the period is at least the sum of the residences
// over the depth: throughput <= depth / residence.
Rational store_bound(const Pipeline& pipeline, FifoId fifo);

}  // namespace weft::pipeline

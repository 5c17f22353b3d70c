#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// From some image on everything repeats: `images` later the same happens `cycles` later.
struct Recurrence {
  std::int64_t from = 0;  // the first image behind which the state is one that comes again
  std::int64_t images = 1;
  Cycles cycles = 1;

  Rational period() const { return {cycles, images}; }  // mean cycles an image
};

struct Simulated {
  std::vector<Cycles> ends;              // of each image: the cycle behind the last step of any block
  std::vector<Cycles> written;           // the cycle behind the last step of the blocks that have no input
  std::vector<std::int64_t> high_water;  // of each FIFO: the most tokens that it held, with those on their way
  std::optional<Recurrence> recurrence;  // nothing: none was found among the images
  std::int64_t simulated = 0;            // images that were not skipped
};

struct SimulateOptions {
  bool jump = true;  // skips what repeats
  // Where not null: the first and last cycle of each step of each block, over all images. Without jumps.
  std::vector<std::vector<std::pair<Cycles, Cycles>>>* times = nullptr;
};

// The times of all steps by their recurrences, image for image:
//   begin(n) = max(end(n - 1) + 1, given(k) + 1 + latency of each token that it takes)
//   end(n)   = max(begin(n) + cycles - 1, taken(k - depth) + 1 + latency of each place that it gives to)
// After an image all its tokens are taken, so what follows depends on the last end of each block and on when the places
// of each FIFO became free: if these are as they were some images ago, but for a shift, everything repeats.
// Where streams share a block their order decides, so all steps are gone through in time instead, and nothing is
// skipped. Throws Error where a FIFO without flow control runs over, and Deadlock that names blocks that wait for each
// other, and the FIFO to deepen.
Simulated simulate(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options = {});

// simulate() of a pipeline with shared blocks: whom such a block serves depends on what has come by then, so that steps
// are made in the order of their cycles. A block is looked at when a token or a place that it may wait for is there,
// and when its step may end. Between two cycles, behind the last step of an image of the first block without inputs,
// the state is compared with those of earlier images.
Simulated simulate_shared(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options);

}  // namespace weft::pipeline

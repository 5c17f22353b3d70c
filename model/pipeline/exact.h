#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/frequency.h"
#include "model/pipeline/pipeline.h"

namespace weft::pipeline {

// Periodic behaviour: from some image on, the same events occur `images` images and `cycles` cycles later.
struct Recurrence {
  std::int64_t from = 0;  // the first image after which the state recurs
  std::int64_t images = 1;
  Cycles cycles = 1;

  Rational period() const { return {cycles, images}; }  // mean cycles per image
};

struct Simulated {
  std::vector<Cycles> ends;              // per image: first cycle after the last step of any block
  std::vector<Cycles> written;           // per image: first cycle after the last step of the blocks without inputs
  std::vector<std::int64_t> high_water;  // of each FIFO, including tokens in flight
  std::vector<std::int64_t> places;      // the same with places on their way back: depth with which no step waits
  std::optional<Recurrence> recurrence;  // nullopt: none within the simulated images
  std::int64_t simulated = 0;            // images not skipped

  // Mean cycles per image: of the recurrence, otherwise of the second half of the images.
  Rational period() const;
};

struct SimulateOptions {
  bool jump = true;  // skips repetitions
  // Optional output: first and last cycle of each step of each block, over all images. Disables `jump`.
  std::vector<std::vector<std::pair<Cycles, Cycles>>>* times = nullptr;
};

// Simulates all steps by their recurrences, image by image:
//   begin(n) = max(end(n - 1) + 1, given(k) + 1 + latency of each token that it takes)
//   end(n)   = max(begin(n) + cycles - 1, taken(k - depth) + 1 + latency of each place that it gives to)
// After an image all its tokens are taken. So later images depend only on the last end of each block and on the times
// at which the places of each FIFO became free: if these equal those of an earlier image, shifted, everything repeats.
// With shared blocks the order of the streams matters, so all steps are simulated in time order (simulate_shared()).
// Throws Error if a FIFO without flow control overflows, and Deadlock that names the blocks that wait for each other,
// and the FIFO to deepen.
Simulated simulate(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options = {});

// simulate() of a pipeline with shared blocks. The stream that such a block serves depends on the tokens available at
// that time, so steps are made in the order of their cycles. A block is checked when a token or place that it may wait
// for is available, and when its step may end. After the last step of an image of the first block without inputs, the
// state is compared with those of earlier images. The images after a repetition end as if more images followed.
Simulated simulate_shared(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options);

}  // namespace weft::pipeline

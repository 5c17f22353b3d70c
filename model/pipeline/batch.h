#pragma once

#include <cstdint>
#include <vector>

#include "model/core/frequency.h"
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

}  // namespace weft::pipeline

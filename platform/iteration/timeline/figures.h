#pragma once

#include <cstdint>

#include "platform/iteration/timeline/iteration.h"
#include "platform/record/record.h"

namespace weft::timeline {

double seconds(Picoseconds time);
double hours_per_epoch(const TrainingIteration& iteration);

// What a training iteration adds to a point of a sweep; times in seconds.
struct IterationFigures {
  double hours_per_epoch = 0;
  double whole = 0, kernels = 0, loads = 0, link = 0, calls = 0, host = 0;
  std::int64_t number_of_loads = 0;
};
void fields(record::Visitor& io, IterationFigures& figures);

IterationFigures figures_of(const TrainingIteration& iteration);

}  // namespace weft::timeline

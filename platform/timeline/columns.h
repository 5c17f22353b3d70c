#pragma once

#include <vector>

#include "platform/run/columns.h"
#include "platform/timeline/iteration.h"

namespace weft::timeline {

// What a training iteration adds to a point of a sweep.
const std::vector<run::Column<TrainingIteration>>& iteration_columns();

double seconds(Picoseconds time);
double hours_per_epoch(const TrainingIteration& iteration);

}  // namespace weft::timeline

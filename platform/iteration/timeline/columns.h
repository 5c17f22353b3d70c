#pragma once

#include <vector>

#include "platform/iteration/timeline/iteration.h"
#include "platform/run/columns.h"

namespace weft::timeline {

// What a training iteration adds to a point of a sweep.
const std::vector<run::Column<TrainingIteration>>& iteration_columns();

double seconds(Picoseconds time);
double hours_per_epoch(const TrainingIteration& iteration);

}  // namespace weft::timeline

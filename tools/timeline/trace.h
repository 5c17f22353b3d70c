#pragma once

#include <string>

#include "platform/iteration/timeline/iteration.h"

namespace weft::tools {

// The steps of a training iteration as a trace for ui.perfetto.dev: a track for each resource, and one with the
// critical path. Slices begin and end at the nanosecond that the exact time, which is noted in them, lies in. Throws
// Error if it becomes too large.
std::string timeline_trace(const timeline::TrainingIteration& iteration);

}  // namespace weft::tools

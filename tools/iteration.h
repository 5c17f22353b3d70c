#pragma once

#include <functional>
#include <optional>
#include <string>

#include "platform/run/result.h"
#include "platform/timeline/iteration.h"
#include "tools/progress.h"

namespace weft::tools {

// A training iteration of the run's network: its convolutions are simulated, or, with `from`, their cycles are those of
// that result of `weft run`. Throws Error: a run without an iteration; a result of another run, naming the first key
// that differs.
timeline::TrainingIteration iteration(const config::RunConfig& run, const std::string& from, Progress& progress);

// The iteration that a run's own result makes, if it has one (timeline::has_iteration).
std::optional<timeline::TrainingIteration> iteration(const run::Result& result);

}  // namespace weft::tools

#pragma once

#include <functional>
#include <variant>

#include "platform/config/run_config.h"
#include "platform/os/progress.h"
#include "platform/run/result.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"
#include "tools/run/report.h"

namespace weft::tools {

// The run on its rung: every convolution that it chooses, in parallel on its workers. Throws Error and Deadlock.
run::Result simulated(const config::RunConfig& run, Progress& progress);

// The same as a report, unless SIGINT or SIGTERM was noted (os::interrupt()). Throws timeline::ScheduleError too,
// before anything is simulated where that is possible. `observer` and `cache`: as run::simulate() takes them.
// `finished` is given the result before it becomes a report.
std::variant<Report, run::Interrupted> simulate(const config::RunConfig& run, const config::Library& library,
                                                Progress& progress, const TableView& view = {},
                                                stream::Observer* observer = nullptr,
                                                const std::function<void(const run::Result&)>& finished = {},
                                                run::RowCache* cache = nullptr);

}  // namespace weft::tools

#include "tools/run/simulate.h"

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/process.h"
#include "platform/run/simulate.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace {

// The line, or why it is not known. What the run's schedule says must be right all the same.
std::string unless_unknown(const std::function<std::string()>& line) {
  try {
    return line();
  } catch (const timeline::ScheduleError&) {
    throw;
  } catch (const Error& error) {
    return fmt::format("not known: {}", error.what());
  }
}

std::string line_of(timeline::Iterations& iterations, const run::Result& result) {
  const std::optional<timeline::TrainingIteration> iteration = iterations.of(result);
  return iteration ? timeline::line_of(timeline::result_of(*iteration)) : "";
}

}  // namespace

run::Result simulated(const config::RunConfig& run, Progress& progress) {
  return run::simulate(run, training::load_network(run, project_library()), progress.watcher());
}

std::variant<Report, run::Interrupted> simulate(const config::RunConfig& run, const config::Library& library,
                                                Progress& progress, const TableView& view, stream::Observer* observer,
                                                const std::function<void(const run::Result&)>& finished,
                                                run::RowCache* cache) {
  timeline::Iterations iterations(library);
  run::Planned planned = run::plan(run, iterations.network(run));
  const std::string unknown = unless_unknown([&] {
    iterations.check(planned.result);
    return std::string();
  });
  const std::variant<run::Result, run::Interrupted> done =
      run::simulate(std::move(planned), progress.watcher(), cache, &os::interrupt(), observer);
  if (const auto* const interrupted = std::get_if<run::Interrupted>(&done)) return *interrupted;
  const run::Result& result = std::get<run::Result>(done);
  if (finished) finished(result);
  const std::string line = unknown.empty() ? unless_unknown([&] { return line_of(iterations, result); }) : unknown;
  run::Record record = run::record_of(result, line);
  record.inputs = *library.inputs;
  return report(record, view);
}

}  // namespace weft::tools

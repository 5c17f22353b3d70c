
#include "platform/design/load.h"
#include "tools/commands.h"
#include "tools/iteration.h"
#include "tools/output_file.h"
#include "tools/timeline_report.h"
#include "tools/timeline_trace.h"

namespace weft::tools {

int timeline_command(const TimelineOptions& options) {
  const Format format = parse_format(options.format, true);
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  add_override(overrides, "rung", "--rung", options.rung, true);
  add_override(overrides, "workers", "--workers", options.workers, false);
  const config::RunConfig run = design::load_run(options.config, overrides, project_library());
  if (run.rung != config::Rung::Analytical && !options.from) config::require_simulated_memory(run);
  std::optional<OutputFile> trace;
  if (!options.perfetto.empty()) trace.emplace(options.perfetto, "--perfetto");
  Report report;
  {
    Progress progress(run.name, 0);
    const timeline::TrainingIteration made = iteration(run, options.from, progress);
    if (trace) trace->write(timeline_trace(made));
    report = timeline_report(made);
  }
  print(report.in(format));
  return 0;
}

}  // namespace weft::tools

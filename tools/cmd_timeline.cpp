
#include "platform/design/load.h"
#include "tools/commands.h"
#include "tools/iteration.h"
#include "tools/timeline_report.h"

namespace weft::tools {

int timeline_command(const TimelineOptions& options) {
  const Format format = parse_format(options.format, true);
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  add_override(overrides, "rung", "--rung", options.rung, true);
  add_override(overrides, "workers", "--workers", options.workers, false);
  const config::RunConfig run = design::load_run(options.config, overrides, project_library());
  if (run.rung != config::Rung::Analytical && !options.from) config::require_simulated_memory(run);
  Report report;
  {
    Progress progress(run.name, 0);
    report = timeline_report(iteration(run, options.from, progress));
  }
  print(report.in(format));
  return 0;
}

}  // namespace weft::tools

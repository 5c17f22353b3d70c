#include <optional>

#include "platform/design/load.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/progress.h"
#include "tools/result_dir.h"
#include "tools/simulate.h"

namespace weft::tools {

namespace {

// What makes another run of it.
std::vector<config::Override> changes_of(const RunOptions& options) {
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "rung", "--rung", options.rung, true);
  add_override(changes, "only", "--only", options.only, true);
  return changes;
}

std::vector<config::Override> overrides_of(const RunOptions& options) {
  std::vector<config::Override> overrides = changes_of(options);
  add_override(overrides, "workers", "--workers", options.workers, false);
  add_override(overrides, "verify", "--verify", options.verify, false);
  add_override(overrides, "output", "--out", options.save.out, true);
  if (options.strict_fit) overrides.push_back({"strict_fit", "true", "--strict-fit"});
  return overrides;
}

}  // namespace

int run_command(const RunOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::RunConfig run = design::load_run(options.config, overrides_of(options), project_library());
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  check(options.save);
  std::optional<SavedResult> saved;
  if (!options.save.no_save) saved.emplace(run.output, result_name(run.name, run, changes_of(options)));

  Report report;
  {
    Progress progress(run.name, 0);
    report = simulate(run, progress);
  }
  if (saved) saved->write(report, config::resolved_yaml(run));
  print(report.in(format));
  if (saved && format == Format::Table) print(saved->line());
  return 0;
}

}  // namespace weft::tools

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "platform/catalogue/load.h"
#include "platform/hardware/perfetto/trace.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/results/output_file.h"
#include "tools/results/result_dir.h"
#include "tools/run/iteration.h"
#include "tools/timeline/report.h"
#include "tools/timeline/trace.h"

namespace weft::tools {

namespace {

bool is_cluster(const std::string& name_or_path) {
  const config::Library library = project_library();
  const std::vector<std::string> names = library.names(config::FileKind::Cluster);
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return true;
  std::error_code code;
  return std::filesystem::is_regular_file(name_or_path, code) &&
         config::kind_of_file(name_or_path, library) == config::FileKind::Cluster;
}

}  // namespace

int timeline_command(const TimelineOptions& options) {
  if (is_cluster(options.config)) return cluster_timeline_command(options);
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(kStepColumns));
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "rung", "--rung", options.rung, true);
  std::vector<config::Override> overrides = changes;
  add_override(overrides, "workers", "--workers", options.workers, false);
  const config::RunConfig run = design::load_run(options.config, overrides, project_library());
  if (run.rung != config::Rung::Analytical && !options.from) config::require_simulated_memory(run);
  std::optional<OutputFile> trace;
  if (!options.perfetto.empty()) trace.emplace(options.perfetto, "--perfetto", perfetto::Trace::kMark);
  check(options.save);
  std::optional<SavedResult> saved;
  // The cycles of --from are those that simulating would give: it changes no result.
  if (!options.save.no_save) saved.emplace(options.save.out, result_name("timeline-" + run.name, run, changes));
  std::optional<run::RowCache> cache = open_cache(options.cache);
  Report report;
  std::string drawn;
  {
    Progress progress(run.name, 0);
    const timeline::TrainingIteration made = iteration(run, options.from, progress, cache ? &*cache : nullptr);
    if (trace) drawn = timeline_trace(made);
    report = timeline_report(made, view);
  }
  if (saved) saved->write(report, config::resolved_yaml(run), kStepsCsv);
  if (trace) trace->write(drawn);
  report_use(cache);
  print(report, format);
  if (saved && format == Format::Table) print(saved->line());
  return 0;
}

}  // namespace weft::tools

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
#include "tools/timeline/options.h"
#include "tools/timeline/report.h"
#include "tools/timeline/trace.h"

namespace weft::tools {

namespace {

void declare(Arguments& command, TimelineOptions& options) {
  command
      .add_option("CONFIG", options.config,
                  "A run or a cluster: a file, or a name in configs/runs, configs/timeline or "
                  "configs/clusters")
      .required();
  command.add_set(options.sets, "a value of the run, by its dotted key");
  command.add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=").type_name("RUNG");
  command.add_option("--from", options.from, "Take the cycles from this result of weft run, instead of simulating")
      .type_name("DIR");
  command.add_option("--perfetto", options.perfetto, "Also the steps as a trace, to open in ui.perfetto.dev")
      .type_name("FILE");
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_save(options.save, "timeline-NAME", "run");
  command.add_workers(options.workers, "Processes");
  command.add_cache(options.cache);
  command.footer(R"(Examples:
  weft timeline googlenet-u250 --from results/googlenet-u250
      where the hours of an epoch go, with the cycles of an earlier weft run googlenet-u250
  weft timeline googlenet-u250 --set schedule.transfers=keep_activations --set schedule.load=region
      the same run if tensors stay on the card and only a region is reconfigured
  weft timeline googlenet-u250 --set schedule.order=fewest_loads
      convolutions in an order that loads kernels seldom, and what that saves
  weft timeline googlenet-u250 --rung analytical --format csv
      every step of the iteration with its start and end, in picoseconds
  weft timeline googlenet-u250 --rung analytical --perfetto iteration.pftrace
      the same steps as lanes that can be zoomed, in ui.perfetto.dev
  weft timeline nada-mobilenetv2 --set batch=64
      batches over boards in a row: fill, steady state, drain, update; stores and links (docs/clusters.md)

docs/timeline.md says what each key of `schedule` does, docs/host.md what each of `host` does.)");
}

bool is_cluster(const std::string& name_or_path) {
  const config::Library library = project_library();
  const std::vector<std::string> names = library.names(config::FileKind::Cluster);
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return true;
  std::error_code code;
  return std::filesystem::is_regular_file(name_or_path, code) &&
         config::kind_of_file(name_or_path, library) == config::FileKind::Cluster;
}

int execute(const TimelineOptions& options) {
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
    report = timeline_report(timeline::result_of(made, WEFT_VERSION), view);
  }
  if (saved) saved->write(report, config::resolved_yaml(run), kStepsCsv);
  if (trace) trace->write(drawn);
  report_use(cache);
  print(report, format);
  if (saved && format == Format::Table) print(saved->line());
  return 0;
}

}  // namespace

Command timeline_command() {
  return command("timeline", "A whole training iteration: host, PCIe, reconfiguration, kernels", declare, execute);
}

}  // namespace weft::tools

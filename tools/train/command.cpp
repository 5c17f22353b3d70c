#include <optional>

#include "platform/config/reader.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/cli/progress.h"
#include "tools/results/result_dir.h"
#include "tools/run/iteration.h"
#include "tools/train/report.h"

namespace weft::tools {

namespace {

// The name of a result, with what options changed: as result_name() for runs.
std::string name_of(const train::TrainConfig& config, const std::vector<config::Override>& changes) {
  const std::string name = "train-" + config.name;
  return changes.empty() ? name : changed_name(name, changes, train::resolved_yaml(config));
}

}  // namespace

int train_command(const TrainOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(kEpochColumns));
  check(options.save);
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "rung", "--rung", options.rung, true);
  std::vector<config::Override> overrides = changes;
  add_override(overrides, "workers", "--workers", options.workers, false);
  const config::Library library = project_library();
  const train::TrainConfig config = train::load_train(options.config, overrides, library);
  for (const train::LevelRun& each : config.runs) {
    if (each.run.rung != config::Rung::Analytical) config::require_simulated_memory(each.run);
  }
  std::optional<SavedResult> saved;
  if (!options.save.no_save) saved.emplace(options.save.out, name_of(config, changes));
  Report report;
  {
    Progress progress(config.name, 0);
    const IterationNetwork network = iteration_network(config.run());
    const train::Training training =
        train::train(config, network.network, network.graph, library, [&](std::int64_t done, std::int64_t expected) {
          progress.set_total(expected);
          progress.update(done);
        });
    report = train_report(config, training, network.network.name, view);
  }
  if (saved) saved->write(report, train::resolved_yaml(config), kEpochsCsv);
  print(report, format);
  if (saved && format == Format::Table) print(saved->line());
  return 0;
}

}  // namespace weft::tools

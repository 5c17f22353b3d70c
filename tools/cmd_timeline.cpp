#include <CLI/CLI.hpp>

#include "platform/design/load.h"
#include "tools/commands.h"
#include "tools/iteration.h"
#include "tools/timeline_report.h"

namespace weft::tools {

CLI::App* add_timeline(CLI::App& app, TimelineOptions& options) {
  CLI::App* command =
      app.add_subcommand("timeline", "A whole training iteration: host, PCIe, reconfiguration, kernels");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs or configs/timeline")
      ->required();
  add_set(*command, options.sets, "a value of the run, by its dotted key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  command->add_option("--from", options.from, "Take the cycles from this result of weft run, instead of simulating")
      ->type_name("DIR");
  add_format(*command, options.format);
  add_workers(*command, options.workers, "Processes");
  command->footer(R"(Examples:
  weft timeline googlenet-u250 --from results/googlenet-u250
      where the hours of an epoch go, with the cycles of an earlier weft run googlenet-u250
  weft timeline googlenet-u250 --set schedule.transfers=keep_activations --set schedule.load=region
      the same run if tensors stay on the card and only a region is reconfigured
  weft timeline googlenet-u250 --set kernel.sizes=shared --set schedule.order=fewest_loads
      two kernels for the whole network, and convolutions in an order that loads them seldom
  weft timeline googlenet-u250 --rung analytical --format csv
      every step of the iteration with its start and end, in picoseconds

docs/timeline.md says what each key of `schedule` does, docs/host.md what each of `host` does.)");
  return command;
}

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

#include <CLI/CLI.hpp>
#include <optional>

#include "platform/design/load.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/progress.h"
#include "tools/result_dir.h"
#include "tools/simulate.h"

namespace weft::tools {

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Simulate a network or convolution on a configuration");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  add_set(*command, options.sets, "a value of the configuration, by its dotted key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  add_only(*command, options.only);
  add_format(*command, options.format);
  add_save(*command, options.save, "NAME", "run");
  add_workers(*command, options.workers, "Processes");
  command
      ->add_option("--verify", options.verify,
                   "Rung exact: replay N stretches of each convolution that were skipped, cycle by cycle, and compare")
      ->type_name("N");
  command->add_flag("--strict-fit", options.strict_fit, "Exceeding the board is an error, not a line in the report");
  command->footer(R"(Examples:
  weft run googlenet-u250 --rung analytical
      the whole of the headline run by the equations, at once
  weft run googlenet-u250 --only 'inception3b.*:GW' --set batch=4
      some grad-weight convolutions, cycle by cycle, with a smaller batch
  weft run conv-small --set kernel.array.x=4 --set kernel.profile=rtl
      another array and another implementation profile
  weft run googlenet-u250 --set network=squeezenet1_1 --set memory.auto_precharge_a3=false
      another network; another setting of the board's memory
  weft run my-run.yaml --out results/my-run --format csv
      a file of your own; its result as a directory and on standard output

Keys: weft show CONFIG --yaml prints every key of a run with its value.)");
  return command;
}

namespace {

// A run that options changed gets a digest of what it became, so that it replaces no other run's result.
std::string result_name(const config::RunConfig& run, const RunOptions& options) {
  if (options.sets.empty() && options.rung.empty() && options.only.empty()) return run.name;
  config::RunConfig what = run;
  what.output.clear();
  what.workers.reset();
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "rung", "--rung", options.rung, true);
  add_override(changes, "only", "--only", options.only, true);
  return changed_name(run.name, changes, config::resolved_yaml(what));
}

std::vector<config::Override> overrides_of(const RunOptions& options) {
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  add_override(overrides, "rung", "--rung", options.rung, true);
  add_override(overrides, "only", "--only", options.only, true);
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
  if (!options.save.no_save) saved.emplace(run.output, result_name(run, options));

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

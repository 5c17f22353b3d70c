#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "model/core/error.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/progress.h"
#include "tools/result_dir.h"
#include "tools/simulate.h"

namespace weft::tools {

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Simulate a network or convolution on a configuration");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  command->add_option("--set", options.sets, "Override a value of the configuration, by its dotted key; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  command
      ->add_option("--only", options.only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
  command->add_option("--format", options.format, "What is printed: table, json or csv")->type_name("FORMAT");
  command
      ->add_option("--out", options.out,
                   "Save the result in this directory: new, empty, or an earlier result. Unless given: results/NAME, "
                   "or results/NAME-DIGEST if options changed the run")
      ->type_name("DIR");
  command->add_flag("--no-save", options.no_save, "Print only, save nothing");
  command->add_option("--workers", options.workers, "Threads: auto, or a number")->type_name("N");
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
  return digest_name(run.name, config::resolved_yaml(what));
}

std::vector<config::Override> overrides_of(const RunOptions& options) {
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const auto add = [&](const char* key, const char* flag, const std::string& value, bool literal) {
    overrides.push_back({key, value, std::string(flag) + " " + value, literal});
  };
  if (!options.rung.empty()) add("rung", "--rung", options.rung, true);
  if (!options.only.empty()) add("only", "--only", options.only, true);
  if (!options.workers.empty()) add("workers", "--workers", options.workers, false);
  if (!options.verify.empty()) add("verify", "--verify", options.verify, false);
  if (!options.out.empty()) add("output", "--out", options.out, true);
  if (options.strict_fit) overrides.push_back({"strict_fit", "true", "--strict-fit"});
  return overrides;
}

}  // namespace

int run_command(const RunOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::RunConfig run = config::load_run(options.config, overrides_of(options), project_library());
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  if (options.no_save && !options.out.empty()) throw Error("--no-save and --out exclude each other");
  std::optional<DefaultOutput> standard;
  std::optional<ResultDir> out;
  if (!options.no_save) {
    if (run.output.empty()) standard.emplace(result_name(run, options));
    out.emplace(standard ? standard->path() : run.output);
  }

  Report report;
  {
    Progress progress(run.name, 0);
    report = simulate(run, progress);
  }
  if (out) {
    out->write({{kResultJson, report.json}, {kResultCsv, report.csv}, {kResultConfig, config::resolved_yaml(run)}});
  }
  print(report.in(format));
  if (out && format == Format::Table) print(fmt::format("saved        {}\n", out->path().string()));
  return 0;
}

}  // namespace weft::tools

#include <CLI/CLI.hpp>
#include <optional>

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
  command->add_option("--rung", options.rung, "analytical or systemc; short for --set rung=")->type_name("RUNG");
  command
      ->add_option("--only", options.only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
  command->add_option("--format", options.format, "What is printed: table, json or csv")->type_name("FORMAT");
  command->add_option("--out", options.out, "Write the result to this directory: new, empty, or an earlier result")
      ->type_name("DIR");
  command->add_option("--workers", options.workers, "Threads: auto, or a number")->type_name("N");
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

std::vector<config::Override> overrides_of(const RunOptions& options) {
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const auto add = [&](const char* key, const char* flag, const std::string& value, bool literal) {
    overrides.push_back({key, value, std::string(flag) + " " + value, literal});
  };
  if (!options.rung.empty()) add("rung", "--rung", options.rung, true);
  if (!options.only.empty()) add("only", "--only", options.only, true);
  if (!options.workers.empty()) add("workers", "--workers", options.workers, false);
  if (!options.out.empty()) add("output", "--out", options.out, true);
  if (options.strict_fit) overrides.push_back({"strict_fit", "true", "--strict-fit"});
  return overrides;
}

}  // namespace

int run_command(const RunOptions& options) {
  const Format format = parse_format(options.format, true);
  const config::RunConfig run = config::load_run(options.config, overrides_of(options), project_library());
  config::require_simulated_memory(run);
  std::optional<ResultDir> out;
  if (!run.output.empty()) out.emplace(run.output);

  Report report;
  {
    Progress progress(run.name, 0);
    report = simulate(run, progress);
  }
  if (out) {
    out->write({{kResultJson, report.json}, {kResultCsv, report.csv}, {kResultConfig, config::resolved_yaml(run)}});
  }
  print(report.in(format));
  return 0;
}

}  // namespace weft::tools

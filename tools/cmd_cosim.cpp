#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/cosim/build.h"
#include "platform/cosim/lockstep.h"
#include "platform/run/work.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/network.h"
#include "tools/progress.h"

namespace weft::tools {

CLI::App* add_cosim(CLI::App& app, CosimOptions& options) {
  CLI::App* command = app.add_subcommand("cosim", "The RTL and the model side by side, every handshake compared");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  command->add_option("--set", options.sets, "Override a value of the configuration, by its dotted key; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--only", options.only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
  command
      ->add_option("--refuse", options.refuse,
                   "Per cent of the cycles in which the AXI side accepts no address or beat")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 95));
  command->add_option("--format", options.format, "What is printed: table or json")->type_name("FORMAT");
  command->footer(
      R"(Verilator compiles the RTL for each kernel of the run (20 to 60 seconds, kept for the next time); then both run each
convolution on random data against the same memory. Any difference ends with exit code 1. The RTL of a 16 x 16 array makes some
tens of thousands of cycles a second: choose small convolutions or few.

Examples:
  weft cosim conv-small --set kernel.array.x=4 --set kernel.array.y=4
      one convolution, every push, pop and word compared
  weft cosim resnet20-u250 --set batch=1 --set kernel.array.x=4 --set kernel.array.y=4 --only 'layer3.0.conv1:F' --refuse 30
      a real layer on DDR4, with an AXI side that refuses 30% of the time)");
  return command;
}

namespace {

struct Row {
  std::string layer, kind;
  cosim::Verdict verdict;
};

Report report_of(const std::vector<Row>& rows) {
  Report report;
  nlohmann::ordered_json json{{"convolutions", nlohmann::ordered_json::array()}};
  bool equal = true;
  for (const Row& row : rows) {
    const cosim::Verdict& v = row.verdict;
    equal = equal && v.equal();
    report.table += fmt::format("{:<32}  {:<4}  {:>12} cycles  {:>12} handshakes  {}\n", row.layer, row.kind, v.cycles,
                                v.handshakes, v.equal() ? "equal" : "DIFFERENT: " + v.difference);
    json["convolutions"].push_back({{"layer", row.layer},
                                    {"kind", row.kind},
                                    {"cycles", v.cycles},
                                    {"handshakes", v.handshakes},
                                    {"equal", v.equal()},
                                    {"difference", v.difference}});
  }
  json["equal"] = equal;
  report.table += equal ? "RTL and model agree.\n" : "RTL and model differ.\n";
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace

int cosim_command(const CosimOptions& options) {
  const Format format = parse_format(options.format, false);
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  if (!options.only.empty()) overrides.push_back({"only", options.only, "--only " + options.only, true});
  const config::RunConfig run = config::load_run(options.config, overrides, project_library());
  config::require_simulated_memory(run);
  const std::vector<run::Work> works = run::plan_work(run, load_network(run, project_library()), config::readings(run));
  std::vector<Row> rows;
  bool equal = true;
  Progress progress("cosim", static_cast<std::int64_t>(works.size()));
  for (const run::Work& work : works) {
    std::int64_t sets = 1;
    for (const conv::Convolution& group : work.groups) sets = std::max(sets, ceil_div(group.out_map(), work.alpha.x));
    const cosim::RtlBuild build(work.alpha, sets, {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE});
    const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
    for (std::size_t group = 0; group < work.groups.size(); ++group) {
      run::PlacedJob job = run::place_job(run, work, work.groups[group], true, run.seed + rows.size());
      cosim::Surroundings surroundings{job.memory, job.channel_of_port, options.refuse, run.seed + rows.size()};
      const std::string name =
          work.groups.size() > 1 ? fmt::format("{} group {}", work.layer.name, group) : work.layer.name;
      rows.push_back({name, conv::to_string(work.kind), cosim::run_lockstep(*rtl, job.plan, job.stores, surroundings)});
      equal = equal && rows.back().verdict.equal();
    }
    progress.update(static_cast<std::int64_t>(rows.size()));
  }
  print(report_of(rows).in(format));
  return equal ? 0 : 1;
}

}  // namespace weft::tools

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "model/core/error.h"
#include "platform/dse/explore.h"
#include "tools/cli.h"
#include "tools/commands.h"
#include "tools/dse_report.h"
#include "tools/network.h"
#include "tools/progress.h"
#include "tools/result_dir.h"

namespace weft::tools {

CLI::App* add_dse(CLI::App& app, DseOptions& options) {
  CLI::App* command = app.add_subcommand("dse", "The best kernel of each convolution, and the fewest kernels");
  command->add_option("CONFIG", options.configs, "Explorations: files, or names in configs/dse")->required();
  command
      ->add_option(
          "--set", options.sets,
          "Override a value of the run by its dotted key, or of the exploration by dse. and its key; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--only", options.only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
  command
      ->add_option("--rerank", options.rerank,
                   "Simulate the best N of each convolution; short for --set dse.rerank.count=")
      ->type_name("N");
  command->add_option("--format", options.format, "What is printed: table, json or csv")->type_name("FORMAT");
  command
      ->add_option(
          "--out", options.out,
          "Save the result in this directory: new, empty, or an earlier result. Unless given: results/dse-NAME, "
          "or results/dse-NAME-DIGEST if options changed the exploration")
      ->type_name("DIR");
  command->add_flag("--no-save", options.no_save, "Print only, save nothing");
  command->add_option("--workers", options.workers, "Threads: auto, or a number")->type_name("N");
  command->footer(R"(Examples:
  weft dse googlenet
      GoogLeNet on one super logic region of the U250 per subsystem, as in the thesis
  weft dse googlenet --only 'inception3b.branch3.1.conv:F' --set 'dse.penalties_percent=[]' --rerank 10
      one convolution; its ten best arrays by the equations, simulated on the exact rung
  weft dse googlenet --set network=resnet18 --set dse.budget.dsp=11508
      another network with all DSPs of the card
  weft dse alexnet_cifar10 alexnet resnet20 googlenet squeezenet1_0
      Tables 5.6 and 5.8 of the thesis

Keys: configs/dse/googlenet.yaml explains every key of an exploration; docs/dse.md says what is computed.)");
  return command;
}

namespace {

std::vector<config::Override> overrides_of(const DseOptions& options) {
  std::vector<config::Override> overrides = parse_overrides(options.sets);
  const auto add = [&](const char* key, const char* flag, const std::string& value, bool literal) {
    if (!value.empty()) overrides.push_back({key, value, std::string(flag) + " " + value, literal});
  };
  add("only", "--only", options.only, true);
  add("workers", "--workers", options.workers, false);
  add("dse.rerank.count", "--rerank", options.rerank, false);
  return overrides;
}

std::string result_name(const dse::DseConfig& config, const DseOptions& options) {
  std::string name = "dse-" + config.name;
  if (options.sets.empty() && options.only.empty() && options.rerank.empty()) return name;
  dse::DseConfig what = config;
  what.run.workers.reset();
  what.rerank.run.workers.reset();
  return digest_name(name, dse::resolved_yaml(what));
}

// An exploration and where it is saved; the place is checked before any work is spent.
struct Job {
  dse::DseConfig config;
  std::optional<ResultDir> out;
};

dse::Exploration explore(const dse::DseConfig& config) {
  const workloads::Network network = load_network(config.run, project_library());
  std::optional<Progress> bar;
  std::string shown;
  return dse::explore(config, network, [&](const std::string& phase, std::int64_t done, std::int64_t total) {
    if (phase != shown) {
      bar.reset();  // clears its line before the next one draws
      bar.emplace(config.name + ", " + phase, total);
      shown = phase;
    }
    bar->update(done);
  });
}

// What several explorations must have in common to be told apart, and to fill the columns of one table.
void check_together(const std::vector<Job>& jobs, Format format) {
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    const dse::DseConfig& one = jobs[i].config;
    for (std::size_t j = 0; j < i; ++j) {
      if (jobs[j].config.name == one.name) throw Error(fmt::format("two explorations are named '{}'", one.name));
    }
    const dse::DseConfig& first = jobs.front().config;
    const auto same = [](fpgpt::dse::PenaltyLimit a, fpgpt::dse::PenaltyLimit b) {
      return a.milli_percent == b.milli_percent;
    };
    const bool alike = first.minimum == one.minimum && std::equal(first.penalties.begin(), first.penalties.end(),
                                                                  one.penalties.begin(), one.penalties.end(), same);
    if (format == Format::Csv && !alike) {
      throw Error(fmt::format("--format csv has a column for each penalty: '{}' and '{}' must have the same penalties",
                              first.name, one.name));
    }
  }
}

}  // namespace

int dse_command(const DseOptions& options) {
  const Format format = parse_format(options.format, true);
  if (options.no_save && !options.out.empty()) throw Error("--no-save and --out exclude each other");
  if (!options.out.empty() && options.configs.size() > 1) {
    throw Error("--out takes the result of one CONFIG; without it each is saved in results/dse-NAME");
  }
  const std::vector<config::Override> overrides = overrides_of(options);
  std::vector<std::optional<DefaultOutput>> standard(options.configs.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < options.configs.size(); ++i) {
    Job job{dse::load_dse(options.configs[i], overrides, project_library()), {}};
    if (!options.no_save) {
      if (options.out.empty()) standard[i].emplace(result_name(job.config, options));
      job.out.emplace(standard[i] ? standard[i]->path() : std::filesystem::path(options.out));
    }
    jobs.push_back(std::move(job));
  }
  check_together(jobs, format);
  std::vector<dse::Exploration> explorations;
  for (const Job& job : jobs) {
    explorations.push_back(explore(job.config));
    if (!job.out) continue;
    const Report one = report({explorations.back()});
    job.out->write({{kResultJson, one.json}, {kResultCsv, one.csv}, {kResultConfig, dse::resolved_yaml(job.config)}});
  }
  print(report(explorations).in(format));
  for (const Job& job : jobs) {
    if (job.out && format == Format::Table) print(fmt::format("saved        {}\n", job.out->path().string()));
  }
  return 0;
}

}  // namespace weft::tools

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
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
  add_set(*command, options.sets, "a value of the run by its dotted key, or of the exploration by dse. and its key");
  add_only(*command, options.only);
  command
      ->add_option("--rerank", options.rerank,
                   "Simulate the best N of each convolution; short for --set dse.rerank.count=")
      ->type_name("N");
  add_format(*command, options.format);
  add_save(*command, options.save, "dse-NAME", "exploration");
  add_workers(*command, options.workers, "Threads, and processes that simulate");
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
  add_override(overrides, "only", "--only", options.only, true);
  add_override(overrides, "workers", "--workers", options.workers, false);
  add_override(overrides, "dse.rerank.count", "--rerank", options.rerank, false);
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
  std::unique_ptr<SavedResult> saved;
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
  check(options.save);
  if (!options.save.out.empty() && options.configs.size() > 1) {
    throw Error("--out takes the result of one CONFIG; without it each is saved in results/dse-NAME");
  }
  const std::vector<config::Override> overrides = overrides_of(options);
  std::vector<Job> jobs;
  for (const std::string& config : options.configs) {
    Job job{dse::load_dse(config, overrides, project_library()), {}};
    if (!options.save.no_save) {
      job.saved = std::make_unique<SavedResult>(options.save.out, result_name(job.config, options));
    }
    jobs.push_back(std::move(job));
  }
  check_together(jobs, format);
  std::vector<dse::Exploration> explorations;
  for (const Job& job : jobs) {
    explorations.push_back(explore(job.config));
    if (job.saved) job.saved->write(report({explorations.back()}), dse::resolved_yaml(job.config));
  }
  print(report(explorations).in(format));
  for (const Job& job : jobs) {
    if (job.saved && format == Format::Table) print(job.saved->line());
  }
  return 0;
}

}  // namespace weft::tools

#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/dse/explorer.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/run/simulate.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace {

struct DseOptions : ResultOptions {
  std::vector<std::string> configs;
  std::string rerank;
};

void declare(Arguments& command, DseOptions& options) {
  command.add_argument("CONFIG", options.configs, "Explorations: files, or names in configs/dse").required();
  command.add_set(options.sets, "a key of the run, or dse.KEY of the exploration");
  command.add_only(options.only);
  command.add_option("--rerank", options.rerank, "N", "Simulate the best N kernels of each convolution");
  command.add_result(options, "dse-NAME", "Threads and processes");
  command.add_cache(options.cache);
}

// Exploration with its explorer and destination, which is checked before any work is done.
struct Job {
  const dse::Explorer* explorer = nullptr;
  config::Library library;
  std::unique_ptr<dse::Exploration> exploration;
  std::unique_ptr<SavedResult> saved;
};

Job load(const std::string& config, const std::vector<config::Override>& overrides) {
  const config::Library library = project_library();
  const config::Experiment experiment = config::load_experiment(config::FileKind::Dse, config, overrides, library);
  const dse::Explorer& explorer = design::explorer_of(experiment, library);
  return {&explorer, library, explorer.load(experiment, library), {}};
}

std::string result_name(const dse::Exploration& exploration, const DseOptions& options) {
  std::vector<config::Override> changes = changes_of(options);
  add_override(changes, "--rerank", options.rerank);
  return changed_name("dse-" + exploration.settings.exploration, changes, exploration.resolved_yaml(false));
}

Cycles simulated_cycles(const config::RunConfig& run, const workloads::Network& network,
                        const std::function<void(std::int64_t, std::int64_t)>& progress, run::RowCache* cache) {
  Cycles cycles = 0;
  for (const run::Row& row : run::simulate(run, network, progress, cache).rows) {
    checked::add(cycles, row.cycles, "the cycles of all convolutions");
  }
  return cycles;
}

dse::Result explore(const dse::Exploration& exploration, const config::Library& library, run::RowCache* cache) {
  const workloads::Network network = training::load_network(exploration.run, library);
  std::optional<Progress> bar;
  std::string shown;
  return exploration.explore(
      network,
      [&](const config::RunConfig& run, const workloads::Network& of, const auto& progress) {
        return simulated_cycles(run, of, progress, cache);
      },
      [&](const std::string& phase, std::int64_t done, std::int64_t total) {
        if (phase != shown) {
          bar.reset();  // clears the old line before the new one is drawn
          bar.emplace(exploration.settings.exploration + ", " + phase, total);
          shown = phase;
        }
        bar->update(done);
      });
}

// Throws Error unless the explorations have distinct names and fit the columns of one table.
void check_together(const std::vector<Job>& jobs, Format format) {
  const dse::Result& first = jobs.front().exploration->settings;
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    const dse::Result& one = jobs[i].exploration->settings;
    for (std::size_t j = 0; j < i; ++j) {
      if (jobs[j].exploration->settings.exploration == one.exploration) {
        throw Error(fmt::format("two explorations are named '{}': rename one", one.exploration));
      }
    }
    if (jobs[i].explorer != jobs.front().explorer) {
      throw Error(fmt::format("'{}' and '{}' explore different designs; explore them one at a time", first.exploration,
                              one.exploration));
    }
    if (format == Format::Csv && csv_head(one) != csv_head(first)) {
      throw Error(fmt::format("--format csv has a column for each penalty: '{}' and '{}' must have the same penalties",
                              first.exploration, one.exploration));
    }
  }
}

int execute(const DseOptions& options) {
  const Output output(options);
  const TableView& view = output.view();
  if (!options.save.out.empty() && options.configs.size() > 1) {
    throw Error("--out is for one CONFIG; without --out, each result is saved in results/dse-NAME");
  }
  std::vector<config::Override> overrides = overrides_of(options);
  add_override(overrides, "dse.rerank.count", "--rerank", options.rerank, false);
  std::vector<Job> jobs;
  for (const std::string& config : options.configs) {
    Job job = load(config, overrides);
    if (!options.save.no_save) {
      job.saved = std::make_unique<SavedResult>(options.save.out, result_name(*job.exploration, options));
    }
    jobs.push_back(std::move(job));
  }
  check_together(jobs, output.format());
  for (const Job& job : jobs) check(view, report::columns_of(csv_head(job.exploration->settings)));
  std::vector<dse::Result> all;
  std::optional<run::RowCache> cache = open_cache(options.cache);
  for (const Job& job : jobs) {
    all.push_back(explore(*job.exploration, job.library, cache ? &*cache : nullptr));
    all.back().inputs = *job.library.inputs;
    if (!job.saved) continue;
    job.saved->write(dse_report({all.back()}, view), job.exploration->resolved_yaml(true), job.library,
                     job.exploration->run.keep_inputs);
  }
  report_use(cache, options.cache);
  output.print(dse_report(all, view));
  for (const Job& job : jobs) {
    if (job.saved && output.format() == Format::Table) print(job.saved->line());
  }
  return 0;
}

}  // namespace

Command dse_command() {
  return command<DseOptions>("dse", "Find the best kernel of each convolution and the fewest kernels", declare,
                             execute);
}

}  // namespace weft::tools

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/standard_streams.h"
#include "platform/studies/explain/explain.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace {

struct ExplainOptions : ResultOptions {
  std::vector<std::string> holds;
};

void declare(Arguments& command, ExplainOptions& options) {
  command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs").required();
  command.add_set(options.sets, "a key of the run");
  command.add_rung(options.rung);
  command.add_only(options.only);
  command.add_list("--hold", options.holds, "KEY", "Leave this key of the run as it is, and all below it (repeatable)");
  command.add_result(options, "explain-NAME");
  command.add_cache(options.cache);
}

// The command that simulates the run as it is given.
std::string run_command_of(const ExplainOptions& options) {
  std::vector<std::string> sets = options.sets;
  std::string command = explain::with_sets("weft run " + options.config, sets);
  if (!options.rung.empty()) command += " --rung " + options.rung;
  if (!options.only.empty()) command += fmt::format(" --only '{}'", options.only);
  return command;
}

// Progress bar of the current stage, with messages between stages.
class Watcher {
 public:
  explicit Watcher(const std::string& label) { progress_.emplace(label, 0); }

  explain::Listener listener() {
    explain::Listener listener;
    listener.stage = [this](const std::string& label) { progress_.emplace(label, 0); };
    listener.progress = [this](std::int64_t done, std::int64_t expected) { progress_->watcher()(done, expected); };
    return listener;
  }

 private:
  std::optional<Progress> progress_;
};

int execute(const ExplainOptions& options) {
  Output output(options);
  check(output.view(), report::columns_of(explain::csv_head()));
  std::vector<config::Override> changes = changes_of(options), overrides = overrides_of(options);
  add_override(overrides, "output", "--out", options.save.out, true);
  const config::Library library = project_library();
  refuse_result(options.config);
  const config::RunConfig run = design::load_run(options.config, overrides, library);
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  explain::Request request;
  request.run = run;
  request.library = library;
  request.config = options.config;
  request.sets = options.sets;
  if (!options.rung.empty()) request.sets.push_back("rung=" + options.rung);
  if (!options.only.empty()) request.sets.push_back(fmt::format("only='{}'", options.only));
  request.command = run_command_of(options);
  request.load = [&](const std::vector<std::string>& sets) {
    std::vector<config::Override> all = overrides;
    for (config::Override& each : parse_overrides(sets)) all.push_back(std::move(each));
    return design::load_run(options.config, all, library);
  };
  request.held = options.holds;
  request.workers = run.workers.value_or(workers_of("auto"));
  for (const std::string& key : options.holds) add_override(changes, "hold", "--hold", key, true);
  output.place(result_name("explain-" + run.name, run, changes), run.output);
  std::optional<run::RowCache> cache = open_cache(options.cache);
  if (cache) request.cache = &*cache;
  explain::Explained explained;
  {
    Watcher watcher(run.name);
    explained = explain::explain(request, watcher.listener());
  }
  report_use(cache, options.cache);
  explained.explanation.inputs = *library.inputs;
  const explain::Explanation& found = explained.explanation;
  const Report report = output.report(view_of(found), found, explain::csv_text(found));
  std::map<std::string, std::string> files = explained.configs;  // runs of the ladders
  files.insert({{record::kResultJson, report.json},
                {record::kLadderCsv, report.csv},
                {record::kResultConfig, config::resolved_yaml(run)}});
  output.save(files, library, run.keep_inputs);
  output.print(report);
  return 0;
}

}  // namespace

Command explain_command() {
  return command<ExplainOptions>("explain", "Find what limits a run and what to change", declare, execute);
}

}  // namespace weft::tools

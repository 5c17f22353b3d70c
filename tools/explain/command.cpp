#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/os/standard_streams.h"
#include "platform/studies/explain/explain.h"
#include "tools/cli/commands.h"
#include "tools/explain/view.h"

namespace weft::tools {

namespace {

struct ExplainOptions : ResultOptions {
  std::string search_batch;
};

void declare(Arguments& command, ExplainOptions& options) {
  command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs").required();
  command.add_set(options.sets, "a key of the run");
  command.add_rung(options.rung);
  command.add_only(options.only);
  command.add_option("--search-batch", options.search_batch, "N", "Batch size of the greedy search (default 1)");
  command.add_result(options, "explain-NAME");
  command.add_cache(options.cache);
}

// Reason why the run's iteration has no ladder; empty if it has one.
std::string no_iteration(const config::RunConfig& run) {
  if (!run.only.everything()) return "the run leaves convolutions out (only)";
  if (run.kinds.size() != config::all_kinds().size()) return "the run leaves convolutions out (kinds)";
  if (!timeline::has_iteration(run)) return "layers given in a file have no graph; name a network or an ONNX file";
  const design::Design& design = design::design_of(run);
  if (!design.card_kernels({})) return fmt::format("design {} has no kernel on a card", design.name());
  if (!run.host) return fmt::format("the run has no host, and board '{}' no default_host", run.board.name);
  if (!run.board.pcie) return fmt::format("board '{}' has no link to a host (pcie)", run.board.name);
  if (run.schedule.kernels.given()) return "its kernels are others than the run's (schedule.kernels)";
  if (run.schedule.im2col != config::Im2colPlace::Card) return "the host makes other convolutions (schedule.im2col)";
  return "";
}

explain::IterationTime iteration_time(timeline::Iterations& iterations, const run::Result& result) {
  const std::optional<timeline::TrainingIteration> iteration = iterations.of(result);
  if (!iteration) throw Error("the run has no training iteration");
  explain::IterationTime time;
  time.end = iteration->timeline.end;
  const auto add = [&](const char* name, Picoseconds part) {
    if (part > 0) time.shares.push_back({name, static_cast<double>(part) / static_cast<double>(time.end)});
  };
  for (std::size_t i = 0; i < timeline::kStepKinds; ++i) {
    add(timeline::to_string(static_cast<timeline::StepKind>(i)), iteration->parts.time.at(i));
  }
  add("idle", iteration->parts.idle);
  std::stable_sort(time.shares.begin(), time.shares.end(),
                   [](const explain::Share& a, const explain::Share& b) { return a.of_time > b.of_time; });
  return time;
}

// Progress bar of the current stage, with messages between stages.
class Watcher {
 public:
  explicit Watcher(const std::string& label) { progress_.emplace(label, 0); }

  explain::Listener listener() {
    explain::Listener listener;
    listener.stage = [this](const std::string& label) { progress_.emplace(label, 0); };
    listener.progress = [this](std::int64_t done, std::int64_t expected) { progress_->watcher()(done, expected); };
    listener.notice = [this](const std::string& text) {
      progress_->clear();
      os::say(fmt::format("weft: {}\n", text));
    };
    return listener;
  }

 private:
  std::optional<Progress> progress_;
};

int search_batch(const config::RunConfig& run, const ExplainOptions& options) {
  if (!options.search_batch.empty()) {
    return static_cast<int>(whole_number(options.search_batch, "--search-batch", 1, 1 << 20));
  }
  return run.rung == config::Rung::Analytical ? run.batch : 1;  // the equations are as fast at every batch
}

int execute(const ExplainOptions& options) {
  Output output(options);
  check(output.view(), ladder_columns());
  std::vector<config::Override> changes = changes_of(options), overrides = overrides_of(options);
  add_override(overrides, "output", "--out", options.save.out, true);
  const config::Library library = project_library();
  const config::RunConfig run = design::load_run(options.config, overrides, library);
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  explain::Request request;
  request.run = run;
  request.search_batch = search_batch(run, options);
  request.workers = run.workers.value_or(workers_of("auto"));
  add_override(changes, "search-batch", "--search-batch", options.search_batch, true);
  output.place(result_name("explain-" + run.name, run, changes), run.output);

  timeline::Iterations iterations(library);
  request.network = [&](const config::RunConfig& of) { return iterations.network(of); };
  request.no_iteration = no_iteration(run);
  if (request.no_iteration.empty()) {
    request.iteration = [&](const run::Result& result) { return iteration_time(iterations, result); };
  }
  std::optional<run::RowCache> cache = open_cache(options.cache);
  if (cache) request.cache = &*cache;
  explain::Explained explained;
  {
    Watcher watcher(run.name);
    explained = explain::explain(request, watcher.listener());
  }
  report_use(cache);
  explained.explanation.inputs = *library.inputs;
  const explain::Explanation& found = explained.explanation;
  const Report report = output.report(view_of(found), found, csv_of(found));
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
  return command<ExplainOptions>("explain", "Find what limits a run and what each change would gain", declare, execute);
}

}  // namespace weft::tools

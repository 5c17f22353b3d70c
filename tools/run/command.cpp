#include <fmt/core.h>

#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "platform/os/process.h"
#include "platform/os/standard_streams.h"
#include "platform/run/watched.h"
#include "tools/cli/commands.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace {

struct RunOptions : ResultOptions {
  std::string verify, waves, perfetto, activity;
  std::optional<std::int64_t> trace_from, trace_cycles;
  bool strict_fit = false;
};

void declare(Arguments& command, RunOptions& options) {
  command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs").required();
  command.add_set(options.sets, "a key of the run");
  command.add_rung(options.rung);
  command.add_only(options.only);
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_rows(options.rows, options.verbose);
  command.add_save(options.save, "NAME");
  command.add_workers(options.workers);
  command.add_cache(options.cache);
  command.heading(headings::kExecution);
  command.add_option("--verify", options.verify, "N",
                     "Simulate N replayed intervals per convolution again (rung exact)");
  command.add_flag("--strict-fit", options.strict_fit, "Exit with an error if a kernel exceeds the board");
  command.heading(headings::kFiles);
  command.add_option("--waves", options.waves, "FILE", "Waveforms of every cycle (FST) for GTKWave (rung systemc)");
  command.add_option("--activity", options.activity, "FILE",
                     "Activity of each block in 200 parts of each convolution (CSV)");
  const Argument perfetto =
      command.add_option("--perfetto", options.perfetto, "FILE", "Trace of a convolution's cycles for ui.perfetto.dev");
  command.add_option("--from", options.trace_from, "C", "First cycle of the --perfetto trace (default 0)")
      .needs(perfetto);
  command.add_option("--cycles", options.trace_cycles, "N", "Cycles of the --perfetto trace (default 20000)")
      .needs(perfetto);
}

// Reports the finished part of an interrupted run and returns the exit code of a signal.
int interrupted(const run::Interrupted& run, const std::string& lost) {
  os::say(fmt::format("weft: interrupted with {} of {} convolutions finished; {}\n", run.finished, run.convolutions,
                      lost.empty() ? "the same command continues"
                                   : fmt::format("{}, so the same command starts from the beginning", lost)));
  return 128 + os::interrupt();
}

// Reason why the cache stores no convolution of a run; empty if it does.
std::string why_lost(const std::optional<run::RowCache>& cache, const config::RunConfig& run, bool watched) {
  if (!cache) return "there is no cache";
  if (!cache->problem().empty()) return "the cache cannot be written";
  if (watched) return "no cache is used with --waves";
  return run::may_cache(run) ? "" : "no cache is used with --verify or memo_mb: 0";
}

int execute(const RunOptions& options) {
  Output output(options);
  std::vector<config::Override> overrides = overrides_of(options);
  add_override(overrides, "--verify", options.verify, false);
  add_override(overrides, "output", "--out", options.save.out, true);
  add_override(overrides, "--strict-fit", options.strict_fit ? "true" : "", false);
  const config::Library library = project_library();
  refuse_result(options.config);
  const config::RunConfig run = design::load_run(options.config, overrides, library);
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  output.place(result_name(run.name, run, changes_of(options)), run.output);
  std::unique_ptr<run::RunWaves> waves;
  if (!options.waves.empty()) {
    waves = run::open_waves(options.waves, run, os::data_root(), build_cache(WEFT_WAVES_CACHE));
  }
  const auto network = [&] { return training::load_network(run, library); };
  std::optional<run::RunTrace> trace;
  if (!options.perfetto.empty()) {
    run::TraceWindow window;
    window.from = options.trace_from.value_or(window.from);
    window.cycles = options.trace_cycles.value_or(window.cycles);
    trace.emplace(options.perfetto, run, network(), window);
  }

  std::optional<run::RunActivity> activity;
  if (!options.activity.empty()) activity.emplace(options.activity, run, network());

  check(output.view(), run);
  std::optional<run::RowCache> cache = open_cache(options.cache);
  std::variant<run::Record, run::Interrupted> done;
  {
    Progress progress(run.name, 0);
    if (run.rung != config::Rung::Analytical) os::watch_interrupts();
    done = timeline::recorded(run, library, progress.watcher(), waves ? &waves->observer() : nullptr,
                              cache ? &*cache : nullptr);
  }
  if (const auto* const part = std::get_if<run::Interrupted>(&done)) {
    report_use(cache, options.cache);
    return interrupted(*part, why_lost(cache, run, waves != nullptr));
  }
  const auto& result = std::get<run::Record>(done);
  const Report report = tools::report(result, output.view());
  std::map<std::string, std::string> files{{record::kResultJson, report.json},
                                           {record::kResultCsv, report.csv},
                                           {record::kResultConfig, config::resolved_yaml(run)}};
  if (activity) files[record::kActivityCsv] = activity->count(result);
  // The result first: writing the other files may fail.
  output.save(files, library, run.keep_inputs);
  if (activity) activity->write(files[record::kActivityCsv]);
  if (waves) waves->write();
  if (trace) trace->write();
  report_use(cache, options.cache);
  if (config::is_network_file(options.config)) {
    os::say(fmt::format(
        "weft: {} ran on board {} with kernel {} at batch {}; --set board=NAME, --set kernel=NAME and --set "
        "batch=N take others\n",
        options.config, run.board.name, run.kernel->name, run.batch));
  }
  if (!result.do_not_fit.empty()) os::say(fmt::format("weft: {}\n", result.misfit_text()));
  output.print(report);
  return 0;
}

}  // namespace

Command run_command() {
  return command<RunOptions>("run", "Simulate a network or convolution on a configuration", declare, execute);
}

}  // namespace weft::tools

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/os/process.h"
#include "platform/os/progress.h"
#include "platform/os/standard_streams.h"
#include "platform/record/result_dir.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/run/activity.h"
#include "tools/run/simulate.h"
#include "tools/run/trace.h"

namespace weft::tools {

namespace {

struct RunOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, verify, columns;
  bool summary = false;
  std::string format = "table";
  std::string waves, perfetto, activity;
  std::optional<std::int64_t> trace_from, trace_cycles;
  bool strict_fit = false;
  SaveOptions save;
  CacheOptions cache;
};

void declare(Arguments& command, RunOptions& options) {
  command.add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs").required();
  command.add_set(options.sets, "a value of the configuration, by its dotted key");
  command.add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=").type_name("RUNG");
  command.add_only(options.only);
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_flag("--summary", options.summary, "A table of totals alone, without a line per convolution");
  command.add_save(options.save, "NAME", "run");
  command.add_workers(options.workers, "Processes");
  command.add_cache(options.cache);
  command
      .add_option("--verify", options.verify,
                  "Rung exact: replay N stretches of each convolution that were skipped, cycle by cycle, and compare")
      .type_name("N");
  command.add_flag("--strict-fit", options.strict_fit, "Exceeding the board is an error, not a line in the report");
  command
      .add_option("--waves", options.waves,
                  "Rung systemc: also write states, FIFOs, AXI handshakes and DDR commands of every cycle to this FST "
                  "file, and beside it FILE.gtkw, which shows them in GTKWave")
      .type_name("FILE");
  command
      .add_option("--activity", options.activity,
                  "Also what each block does over each convolution, in 200 parts of equal length, as CSV; what is "
                  "saved has it, "
                  "too, and so has its page (weft report)")
      .type_name("FILE");
  const Argument perfetto =
      command
          .add_option("--perfetto", options.perfetto,
                      "Also a window of the one convolution as a trace, cycle by cycle, to open in ui.perfetto.dev")
          .type_name("FILE");
  command.add_option("--from", options.trace_from, "First cycle of the trace; 0 unless given")
      .type_name("C")
      .needs(perfetto);
  command.add_option("--cycles", options.trace_cycles, "Cycles of the trace; 20000 unless given")
      .type_name("N")
      .needs(perfetto);
  command.footer(R"(Examples:
  weft run googlenet-u250 --rung analytical
      the whole of the headline run by the equations, at once
  weft run googlenet-u250 --only 'inception3b.*:GW' --set batch=4
      some grad-weight convolutions, cycle by cycle, with a smaller batch
  weft run conv-small --set kernel.array.x=4 --set kernel.profile=rtl
      another array and another implementation profile
  weft run googlenet-u250 --set network=squeezenet1_1 --set memory.auto_precharge_a3=false
      another network; another setting of the board's memory
  weft run googlenet-u250 --only 'inception3b.branch2.1.conv:F' --set batch=1 --rung systemc --waves conv.fst
      every cycle of a convolution as waveforms: gtkwave conv.fst conv.gtkw (docs/waves.md)
  weft run googlenet-u250 --only 'conv1.conv:GW' --set batch=1 --perfetto conv1.pftrace --from 100000
      20,000 cycles of one as lanes of states and counts of tokens, for ui.perfetto.dev
  weft run googlenet-u250 --only 'inception3b.*' --activity activity.csv
      which blocks are active, blocked, starved and idle when, over each whole convolution
  weft run my-run.yaml --out results/my-run --format csv
      a file of your own; its result as a directory and on standard output
  weft run googlenet-u250 --rung analytical --columns layer,kind,cycles,array_utilisation
      a table of four columns; --summary prints the totals alone

After Ctrl-C the same command goes on with what is not finished (weft cache).
Keys: weft show CONFIG --yaml prints every key of a run with its value.)");
}

// What makes another run of it.
std::vector<config::Override> changes_of(const RunOptions& options) {
  std::vector<config::Override> changes = parse_overrides(options.sets);
  add_override(changes, "rung", "--rung", options.rung, true);
  add_override(changes, "only", "--only", options.only, true);
  return changes;
}

std::vector<config::Override> overrides_of(const RunOptions& options) {
  std::vector<config::Override> overrides = changes_of(options);
  add_override(overrides, "workers", "--workers", options.workers, false);
  add_override(overrides, "verify", "--verify", options.verify, false);
  add_override(overrides, "output", "--out", options.save.out, true);
  if (options.strict_fit) overrides.push_back({"strict_fit", "true", "--strict-fit"});
  return overrides;
}

// Says what is left of a run that was interrupted, and gives the exit code of a program that the signal ended.
int interrupted(const run::Interrupted& run, const std::string& lost) {
  os::say(fmt::format(
      "weft: interrupted with {} of {} convolutions finished; {}\n", run.finished, run.convolutions,
      lost.empty() ? "the same command goes on" : fmt::format("{}, so that the same command starts anew", lost)));
  return 128 + os::interrupt();
}

// Why the cache keeps no convolution of a run; empty: it keeps them.
std::string why_lost(const std::optional<run::RowCache>& cache, const config::RunConfig& run, bool watched) {
  if (!cache) return "there is no cache";
  if (!cache->problem().empty()) return "the cache cannot be written";
  if (watched) return "no cache is used with --waves";
  return run::may_cache(run) ? "" : "no cache is used to verify, or with memo_mb: 0";
}

int execute(const RunOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format, options.summary);
  const config::Library library = project_library();
  const config::RunConfig run = design::load_run(options.config, overrides_of(options), library);
  if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
  check(options.save);
  std::optional<SavedResult> saved;
  if (!options.save.no_save) saved.emplace(run.output, result_name(run.name, run, changes_of(options)));
  std::unique_ptr<RunWaves> waves;
  if (!options.waves.empty()) waves = open_waves(options.waves, run);
  std::optional<RunTrace> trace;
  if (!options.perfetto.empty()) {
    TraceWindow window;
    window.from = options.trace_from.value_or(window.from);
    window.cycles = options.trace_cycles.value_or(window.cycles);
    trace.emplace(options.perfetto, run, window);
  }

  std::optional<RunActivity> activity;
  if (!options.activity.empty()) activity.emplace(options.activity, run);

  check(view, run);
  std::optional<run::RowCache> cache = open_cache(options.cache);
  std::vector<Cycles> cycles;  // of each row
  std::variant<Report, run::Interrupted> done;
  {
    Progress progress(run.name, 0);
    if (run.rung != config::Rung::Analytical) os::watch_interrupts();
    done = simulate(
        run, library, progress, view, waves ? &waves->observer() : nullptr,
        [&](const run::Result& result) {
          for (const run::Row& row : result.rows) cycles.push_back(row.cycles);
        },
        cache ? &*cache : nullptr);
  }
  if (const auto* const part = std::get_if<run::Interrupted>(&done)) {
    report_use(cache);
    return interrupted(*part, why_lost(cache, run, waves != nullptr));
  }
  const Report& report = std::get<Report>(done);
  std::map<std::string, std::string> files{{record::kResultJson, report.json},
                                           {record::kResultCsv, report.csv},
                                           {record::kResultConfig, config::resolved_yaml(run)}};
  if (activity) files[record::kActivityCsv] = activity->count(cycles);
  // The result first: the other files may fail.
  if (saved) saved->write(files, library, run.keep_inputs);
  if (activity) activity->write(files[record::kActivityCsv]);
  if (waves) waves->write();
  if (trace) trace->write();
  report_use(cache);
  print(report, format);
  if (saved && format == Format::Table) print(saved->line());
  return 0;
}

}  // namespace

Command run_command() {
  return command("run", "Simulate a network or convolution on a configuration", declare, execute);
}

}  // namespace weft::tools

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/load.h"
#include "platform/os/interrupt.h"
#include "platform/os/shell.h"
#include "platform/os/standard_streams.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/cli/progress.h"
#include "tools/results/result_dir.h"
#include "tools/run/activity.h"
#include "tools/run/interrupted_run.h"
#include "tools/run/simulate.h"
#include "tools/run/trace.h"
#include "tools/run/waves.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct RunOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string rung, only, workers, verify, resume, columns;
  bool summary = false;
  std::string format = "table";
  std::string waves, perfetto, activity;
  std::optional<std::int64_t> trace_from, trace_cycles;
  bool strict_fit = false;
  SaveOptions save;
  CacheOptions cache;
};

void declare(Arguments& command, RunOptions& options) {
  command.add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs; not with --resume");
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
      .add_option(
          "--resume", options.resume,
          "Go on with a run that Ctrl-C interrupted, from what it left here; give --activity again where it is wanted")
      .type_name("DIR");
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
  weft run --resume results/my-run
      go on after a Ctrl-C: the result is the same to the byte

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

// A run that is to be simulated, from the start or from where it was interrupted, and where its result goes.
struct Start {
  config::RunConfig run;
  std::string config_yaml;  // what the result says it was
  run::Checkpoint known;
  std::unique_ptr<SavedResult> saved;  // nothing with --no-save
  fs::path resumed;                    // what goes when the result is there; empty: nothing
};

Start begin(const RunOptions& options) {
  if (options.config.empty()) throw Error("CONFIG is required (see weft run --help)");
  Start start;
  start.run = design::load_run(options.config, overrides_of(options), project_library());
  if (start.run.rung != config::Rung::Analytical) config::require_simulated_memory(start.run);
  start.config_yaml = config::resolved_yaml(start.run);
  check(options.save);
  if (!options.save.no_save) {
    start.saved =
        std::make_unique<SavedResult>(start.run.output, result_name(start.run.name, start.run, changes_of(options)));
  }
  return start;
}

Start resume(const RunOptions& options) {
  const bool other = !options.config.empty() || !options.sets.empty() || !options.rung.empty() ||
                     !options.only.empty() || !options.verify.empty() || options.strict_fit || !options.waves.empty() ||
                     !options.perfetto.empty() || !options.save.out.empty() || options.save.no_save;
  if (other) {
    throw Error(
        "--resume goes on with the run as it was started: it takes --workers, --activity and what is printed, nothing "
        "else");
  }
  InterruptedRun interrupted = load_interrupted(options.resume);
  Start start{
      std::move(interrupted.config), std::move(interrupted.config_yaml), std::move(interrupted.checkpoint), {}, {}};
  if (!options.workers.empty()) start.run.workers = workers_of(options.workers);
  const fs::path place = finished_place(options.resume);
  start.saved = std::make_unique<SavedResult>(place, "");
  if (place != ResultDir(options.resume).path()) start.resumed = options.resume;
  return start;
}

// Keeps what is done, says how to go on, and gives the exit code of a program that the signal ended.
int keep(const Start& start, const run::Part& part, const std::string& activity) {
  std::string text =
      fmt::format("weft: interrupted with {} of {} convolutions finished", part.result.rows.size(), part.rows);
  if (!start.saved) {
    text += "; --no-save keeps nothing of them";
  } else if (part.checkpoint.units.empty()) {
    text += ", so that there is nothing to keep";
  } else {
    const ResultDir dir(start.resumed.empty() ? interrupted_place(start.saved->path()) : start.resumed);
    dir.write(files_of(part, start.config_yaml));
    text += fmt::format("; go on with: weft run --resume {}", os::shell_word(dir.path().string()));
    // Of finished convolutions, too, it is counted when all are.
    if (!activity.empty()) text += fmt::format(" --activity {}", os::shell_word(activity));
  }
  os::say(fmt::format("{}\n", printable(text)));
  return 128 + os::interrupt();
}

int execute(const RunOptions& options) {
  const Format format = parse_format(options.format, true);
  const TableView view = table_view(options.columns, format, options.summary);
  Start start = options.resume.empty() ? begin(options) : resume(options);
  std::unique_ptr<RunWaves> waves;
  if (!options.waves.empty()) waves = open_waves(options.waves, start.run);
  std::optional<RunTrace> trace;
  if (!options.perfetto.empty()) {
    TraceWindow window;
    window.from = options.trace_from.value_or(window.from);
    window.cycles = options.trace_cycles.value_or(window.cycles);
    trace.emplace(options.perfetto, start.run, window);
  }

  std::optional<RunActivity> activity;
  if (!options.activity.empty()) activity.emplace(options.activity, start.run);

  check(view, start.run);
  std::optional<run::RowCache> cache = open_cache(options.cache);
  std::vector<Cycles> cycles;  // of each row
  std::variant<Report, run::Part> done;
  {
    Progress progress(start.run.name, 0);
    if (start.run.rung != config::Rung::Analytical) os::watch_interrupts();
    done = simulate(
        start.run, start.known, progress, view, waves ? &waves->watcher() : nullptr,
        [&](const run::Result& result) {
          for (const run::Row& row : result.rows) cycles.push_back(row.cycles);
        },
        cache ? &*cache : nullptr);
  }
  if (const auto* const part = std::get_if<run::Part>(&done)) {
    report_use(cache);
    return keep(start, *part, options.activity);
  }
  const Report& report = std::get<Report>(done);
  std::map<std::string, std::string> files{
      {kResultJson, report.json}, {kResultCsv, report.csv}, {kResultConfig, start.config_yaml}};
  if (activity) files[kActivityCsv] = activity->count(cycles);
  // The result first: the other files may fail.
  if (start.saved) start.saved->write(files);
  if (!start.resumed.empty()) ResultDir(start.resumed).remove();
  if (activity) activity->write(files[kActivityCsv]);
  if (waves) waves->write();
  if (trace) trace->write();
  report_use(cache);
  print(report, format);
  if (start.saved && format == Format::Table) print(start.saved->line());
  return 0;
}

}  // namespace

Command run_command() {
  return command("run", "Simulate a network or convolution on a configuration", declare, execute);
}

}  // namespace weft::tools

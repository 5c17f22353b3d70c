#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/config/difference.h"
#include "platform/hardware/perfetto/trace.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/run/simulate.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace {

void declare(Arguments& command, TimelineOptions& options) {
  command
      .add_argument("CONFIG", options.config, "Run or cluster: a file, or a name in configs/runs, timeline, clusters")
      .required();
  command.add_set(options.sets, "a key of the run");
  command.add_rung(options.rung);
  command.add_option("--from", options.from, "DIR", "Result of weft run with the cycles, instead of a simulation");
  command.add_result(options, "timeline-NAME");
  command.add_cache(options.cache);
  command.add_option("--perfetto", options.perfetto, "FILE", "Trace of the steps for ui.perfetto.dev")
      .heading(headings::kFiles);
}

bool is_cluster(const std::string& name_or_path) {
  const config::Library library = project_library();
  const std::vector<std::string> names = library.names(config::FileKind::Cluster);
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return true;
  std::error_code code;
  return std::filesystem::is_regular_file(name_or_path, code) &&
         config::kind_of_file(name_or_path, library) == config::FileKind::Cluster;
}

using perfetto::Trace;
using timeline::Step;
using timeline::StepKind;

std::string name_of(const timeline::TrainingIteration& iteration, const Step& step) {
  std::string op = workloads::label(iteration.graph().operators[step.op]);
  const StepKind kind = step.activity;
  if (kind == StepKind::Kernel || kind == StepKind::HostOperator) return op;
  if (kind == StepKind::ToCard || kind == StepKind::ToHost || kind == StepKind::Call) {
    return step.what.empty() ? op : fmt::format("{}: {}", op, step.what);
  }
  return fmt::format("{} ({})", op, to_string(step.activity));
}

std::vector<Trace::Note> notes_of(const timeline::TrainingIteration& iteration, const Step& step) {
  std::vector<Trace::Note> notes{
      {"activity", to_string(step.activity)}, {"start_ps", step.start}, {"end_ps", step.end}};
  if (!step.what.empty()) notes.emplace_back("what", step.what);
  if (step.bytes > 0) notes.emplace_back("bytes", step.bytes);
  if (step.channel) notes.emplace_back("memory_channel", std::int64_t{*step.channel});
  const bool of_kernel = step.activity == StepKind::Kernel || step.activity == StepKind::Precompute ||
                         step.activity == StepKind::Reconfiguration;
  if (of_kernel) notes.emplace_back("kernel", iteration.kernel_names[step.kernel]);
  return notes;
}

// Steps of a training iteration as a trace for ui.perfetto.dev: a track per resource, and one for the critical path.
// Slices are rounded down to nanoseconds; their exact times are in the annotations. Throws Error if the trace becomes
// too large.
std::string timeline_trace(const timeline::TrainingIteration& iteration) {
  constexpr Picoseconds kPsPerNs = 1000;
  Trace trace(fmt::format("{}: an iteration of training {}", iteration.run.name, iteration.graph().name));
  std::array<Trace::Track, timeline::kResources> tracks{};
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    tracks[i] = trace.add_track(to_string(static_cast<timeline::Resource>(i)));
  }
  const Trace::Track critical = trace.add_track("critical path");
  const std::vector<Step>& steps = iteration.timeline.steps;
  const auto add = [&](Trace::Track track, const Step& step) {
    trace.slice(track, step.start / kPsPerNs, step.end / kPsPerNs, name_of(iteration, step), notes_of(iteration, step));
  };
  for (const Step& step : steps) add(tracks[static_cast<std::size_t>(resource_of(step.activity))], step);
  for (const std::size_t i : timeline::critical_path(iteration.timeline)) add(critical, steps[i]);
  return trace.bytes();
}

// Rows of the run, with cycles read from the result `from`.
std::vector<design::Row> rows_from(const config::RunConfig& run, const workloads::Network& network,
                                   const std::string& from) {
  const run::Record saved = [&] {
    try {
      return load_run(from);
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      throw Error(fmt::format("--from: {}", error.what()));
    }
  }();
  const config::RunConfig of =
      design::load_run((std::filesystem::path(from) / record::kResultConfig).string(), {}, project_library());
  const std::vector<config::Difference> differences = config::differences(run::cycles_node(run), run::cycles_node(of));
  if (!differences.empty()) {
    throw Error(fmt::format("--from: the cycles in '{}' are of another run: '{}' differs (weft show {} --yaml)", from,
                            differences.front().key, (std::filesystem::path(from) / record::kResultConfig).string()));
  }
  std::vector<design::Row> rows = run::prepare(run, network).rows;
  const auto other = [&](const std::string& what) {
    return Error(
        fmt::format("--from: '{0}' {1}: its network or weft has changed since; make it again: weft run {2} --out {0}",
                    from, what, (std::filesystem::path(from) / record::kResultConfig).string()));
  };
  if (rows.size() != saved.rows.size()) {
    throw other(fmt::format("has {} convolutions, not {}", saved.rows.size(), rows.size()));
  }
  for (design::Row& row : rows) {
    const std::string name = fmt::format("'{}', {}", row.layer.name, conv::to_string(row.kind));
    const auto found = std::find_if(saved.rows.begin(), saved.rows.end(), [&](const run::RowRecord& each) {
      return each.layer.name == row.layer.name && each.kind == row.kind && each.fully_connected == row.fully_connected;
    });
    if (found == saved.rows.end()) throw other(fmt::format("has no {}", name));
    const Cycles cycles = found->figures.cycles;
    if (run.rung == config::Rung::Analytical) {
      // The equations' cycles per launch are not saved.
      if (cycles != row.cycles) throw other(fmt::format("has {} cycles of {}, not {}", cycles, name, row.cycles));
      continue;
    }
    row.cycles = cycles;
    row.drain_cycles = found->drain_cycles.value_or(0);
    const std::vector<Cycles> launches =
        found->launch_cycles.value_or(std::vector<Cycles>{row.cycles + row.drain_cycles});
    if (launches.size() != row.units.size()) throw other(fmt::format("has other launches of {}", name));
    for (std::size_t i = 0; i < launches.size(); ++i) row.units[i].cycles = launches[i];
  }
  return rows;
}

timeline::Rows rows_of_option(const config::RunConfig& run, const std::optional<std::string>& from) {
  if (!from) return {};
  if (run.schedule.kernels.given()) {
    throw Error(fmt::format("--from: a result of weft run has no cycles of the kernels of '{}' (schedule.kernels)",
                            run.schedule.kernels.dse));
  }
  if (run.schedule.im2col != config::Im2colPlace::Card) {
    throw Error(
        "--from: a result of weft run has no cycles of kernels after im2col on the host (schedule.im2col: cpu)");
  }
  return [&](const workloads::Network& network) { return rows_from(run, network, *from); };
}

int execute(const TimelineOptions& options) {
  if (is_cluster(options.config)) return cluster_timeline_command(options);
  Output output(options);
  check(output.view(), report::columns_of(kStepColumns));
  const config::Library library = project_library();
  refuse_result(options.config);
  const config::RunConfig run = design::load_run(options.config, overrides_of(options), library);
  if (run.rung != config::Rung::Analytical && !options.from) config::require_simulated_memory(run);
  std::optional<OutputFile> trace;
  if (!options.perfetto.empty()) trace.emplace(options.perfetto, "--perfetto", perfetto::Trace::kMark);
  // The cycles of --from equal those of a simulation, so the option does not change the result's name.
  output.place(result_name("timeline-" + run.name, run, changes_of(options)));
  std::optional<run::RowCache> cache = open_cache(options.cache);
  Report report;
  std::string drawn;
  {
    Progress progress(run.name, 0);
    const timeline::TrainingIteration made = timeline::iteration(
        run, library, progress.watcher(), cache ? &*cache : nullptr, rows_of_option(run, options.from));
    if (trace) drawn = timeline_trace(made);
    timeline::TimelineResult result = timeline::result_of(made);
    result.inputs = *library.inputs;
    report = output.report(view_of(result), result, csv_of(result));
  }
  output.save(report, config::resolved_yaml(run), library, run.keep_inputs, record::kStepsCsv);
  if (trace) trace->write(drawn);
  report_use(cache, options.cache);
  output.print(report);
  return 0;
}

}  // namespace

Command timeline_command() {
  return command<TimelineOptions>("timeline", "Simulate a training iteration: host, PCIe, reconfiguration, kernels",
                                  declare, execute);
}

}  // namespace weft::tools

#include "platform/studies/explain/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/run/figures.h"
#include "platform/run/simulate.h"

namespace weft::explain {

using config::RunConfig;
using design::Counterfactual;

namespace {

constexpr Frequency kPicoseconds{1'000'000, 1};  // clock with a period of 1 ps, in MHz

// Re-reads the run from the file that will be written, so that the tried run equals that of the file.
RunConfig as_written(const RunConfig& run) {
  const auto source = std::make_shared<config::Source>(config::Source{"the changed run", {}, true});
  return design::read_run(config::parse_yaml(config::resolved_yaml(run), source));
}

std::string memory_text(const RunConfig& run) {
  if (const auto* ideal = std::get_if<config::IdealMemory>(&run.board.memory)) {
    return fmt::format("ideal, latency {}", ideal->latency_cycles);
  }
  const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory);
  if (!ddr4) return config::kind_name(run.board.memory);
  return fmt::format("DDR4-{}, {} channels", config::exact_text(ddr4->data_rate_mtps), ddr4->channels);
}

Figures figures_of(const run::Result& result) {
  const run::Sum sum = run::sum_of(result);
  const run::Figures f = run::figures(result, sum);
  Figures figures;
  figures.seconds = f.seconds;
  figures.cycles = sum.cycles;
  figures.kinds.emplace();
  for (const auto& [kind, of_kind] : run::sums_by_kind(result)) {
    figures.kinds->of.at(static_cast<std::size_t>(kind)) = of_kind.cycles;
  }
  std::map<std::string, Cycles> limiters;
  for (const run::Row& row : result.rows) limiters[row.limiter] += row.cycles;
  std::vector<Share>& shares = figures.shares.emplace();
  for (const auto& [name, cycles] : limiters) {
    shares.push_back({name, static_cast<double>(cycles) / static_cast<double>(sum.cycles)});
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.of_time > b.of_time; });
  figures.utilisation = f.utilisation;
  figures.stall_share = f.stall_share;
  figures.ddr_efficiency = f.ddr_efficiency;
  figures.do_not_fit = static_cast<std::int64_t>(run::rows_that_do_not_fit(result).size());
  figures.kernel = result.config.kernel->text().headline;
  figures.memory = memory_text(result.config);
  return figures;
}

// Lower bound: every tensor is moved once. Per row, the time of the slowest port or channel.
double memory_cycles(const run::Result& result) {
  const config::Kernel& kernel = *result.config.kernel;
  const double channel_bytes_per_cycle =
      static_cast<double>(result.channel_peak_bytes_per_second) / (1e6 * mhz(kernel.clock));
  double cycles = 0;
  for (const run::Row& row : result.rows) {
    double longest = 0;
    std::map<int, Bytes> channels;
    for (const design::UnitTensor& tensor : row.tensors) {
      channels[tensor.channel] += tensor.bytes;
      longest = std::max(longest, static_cast<double>(ceil_div(tensor.bytes, kernel.beat_bytes())));
    }
    for (const auto& [channel, bytes] : channels) {
      if (channel_bytes_per_cycle > 0)
        longest = std::max(longest, static_cast<double>(bytes) / channel_bytes_per_cycle);
    }
    cycles += longest;
  }
  return cycles;
}

std::vector<Bound> bounds_of(const run::Result& result, const char* of) {
  const Frequency clock = result.config.kernel->clock;
  const auto bound = [&](const char* name, Cycles cycles) { return Bound{name, of, cycles, seconds(cycles, clock)}; };
  return {bound("array", ceil_div(run::sum_of(result).macs, result.config.kernel->peak_macs())),
          bound("memory", checked::rounded_up("the cycles of memory traffic", memory_cycles(result)))};
}

// Rates runs by the time of their convolutions; each distinct run is tried once.
class KernelTrial {
 public:
  KernelTrial(run::Simulations& simulations, workloads::Network network, const run::Progress& progress)
      : simulations_(simulations), network_(std::move(network)), progress_(progress) {}

  std::vector<Tried> operator()(const std::vector<Candidate>& candidates) {
    std::vector<Tried> tried(candidates.size());
    std::vector<std::size_t> fresh;
    std::vector<RunConfig> runs;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      try {
        RunConfig run = as_written(candidates[i].run);
        if (run.rung != config::Rung::Analytical) config::require_simulated_memory(run);
        if (known_.count(config::resolved_yaml(run)) == 0) {
          fresh.push_back(i);
          runs.push_back(run);
        }
        tried[i].run = std::move(run);
      } catch (const Error& error) {
        tried[i].why_not = error.what();
      }
    }
    const auto objection = [&](std::size_t i, const run::Result& result) {
      return too_large(result, candidates[fresh[i]].within);
    };
    std::vector<run::Simulated> simulated = simulations_.of(runs, network_, objection, progress_);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      run::Simulated& each = simulated[i];
      if (each.result) {
        const Time time{run::sum_of(*each.result).cycles, each.result->config.kernel->clock};
        known_[config::resolved_yaml(runs[i])] = {time, figures_of(*each.result), each.processor_seconds};
      } else {
        tried[fresh[i]] = {std::nullopt, std::nullopt, each.why_not};
      }
    }
    for (Tried& each : tried) {
      if (each.run) each.time = of(*each.run).time;
    }
    return tried;
  }

  struct Known {
    Time time;
    Figures figures;
    double processor_seconds = 0;
  };
  const Known& of(const RunConfig& run) const { return known_.at(config::resolved_yaml(run)); }

  run::Result result(const RunConfig& run) {
    return std::move(*simulations_.of({run}, network_, {}, progress_).front().result);
  }

 private:
  static std::string too_large(const run::Result& result, const std::string& within) {
    if (within.empty()) return "";
    for (const ResourceUse& use : run::largest_use(result)) {
      if (use.name != within || use.fits()) continue;
      return fmt::format("needs {} {}, board '{}' has {}", use.used, use.name, result.config.board.name, use.available);
    }
    return "";
  }

  run::Simulations& simulations_;
  workloads::Network network_;
  const run::Progress& progress_;
  std::map<std::string, Known> known_;
};

// Rates runs by the time of a training iteration; their convolutions have been simulated.
class IterationTrial {
 public:
  IterationTrial(KernelTrial& kernels, const std::function<IterationTime(const run::Result&)>& iteration)
      : kernels_(kernels), iteration_(iteration) {}

  std::vector<Tried> operator()(const std::vector<Candidate>& candidates) {
    std::vector<Tried> tried(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      try {
        const RunConfig run = as_written(candidates[i].run);
        const std::string text = config::resolved_yaml(run);
        if (known_.count(text) == 0) known_[text] = iteration_(kernels_.result(run));
        tried[i] = {run, Time{known_[text].end, kPicoseconds}, ""};
      } catch (const Error& error) {
        tried[i].why_not = error.what();
      }
    }
    return tried;
  }

  Figures figures(const RunConfig& run) const {
    const IterationTime& time = known_.at(config::resolved_yaml(run));
    Figures figures;
    figures.seconds = Time{time.end, kPicoseconds}.seconds();
    figures.shares = time.shares;
    figures.kernel = run.kernel->text().headline;
    figures.memory = memory_text(run);
    return figures;
  }

 private:
  KernelTrial& kernels_;
  const std::function<IterationTime(const run::Result&)>& iteration_;
  std::map<std::string, IterationTime> known_;
};

// Fraction of `before` that is saved.
double saved(double before, double after) {
  return before == 0 ? 0 : 1 - after / before;
}
double saved(const Time& before, const Time& after) {
  return saved(before.seconds(), after.seconds());
}

Ending ending_of(const Tried& tried, const Time& before) {
  if (!tried.time) return Ending::Impossible;
  return before < *tried.time ? Ending::Slower : Ending::NoGain;
}

// Makes the lines of a ladder, and the configuration files of its runs.
class LadderWriter {
 public:
  // `prefix`: start of the file names.
  LadderWriter(const std::vector<Counterfactual>& changes, const Climb& search, std::string prefix,
               std::map<std::string, std::string>& configs)
      : changes_(changes), search_(search), prefix_(std::move(prefix)), configs_(configs) {}

  // `figures`: returns the figures of a tried run.
  template <class FiguresOf>
  std::vector<Line> lines(const Ladder& ladder, const std::vector<Replay::Dropped>& dropped, bool replayed,
                          const FiguresOf& figures) {
    std::vector<Line> lines;
    Line as_is;
    as_is.step = 0;
    as_is.figures = figures(ladder.start);
    as_is.config = file(fmt::format("{}-00-as_is", prefix_), ladder.start);
    lines.push_back(std::move(as_is));
    const auto add_dropped = [&](std::size_t after) {
      for (const Replay::Dropped& each : dropped) {
        if (each.after == after)
          lines.push_back(left_line(each.change, each.tried, time_after(ladder, after), figures));
      }
    };
    add_dropped(0);
    for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
      const Step& step = ladder.steps[i];
      Line line;
      line.ending = Ending::Kept;
      line.step = static_cast<int>(i) + 1;
      line.change = changes_[step.change].name;
      line.figures = figures(step.run);
      line.gain = saved(time_after(ladder, i), step.time);
      describe(line, step.change);
      if (i != last_of(ladder, step.change)) line.last.reset();
      if (i != first_of(ladder, step.change)) line.alone.reset();
      line.config = file(fmt::format("{}-{:02}-{}", prefix_, i + 1, *line.change), step.run);
      lines.push_back(std::move(line));
      add_dropped(i + 1);
    }
    for (std::size_t change = 0; change < changes_.size(); ++change) {
      const Effect& effect = search_.effects[change];
      if (!effect.left) continue;
      Line line = left_line(change, *effect.left, search_.ladder.end_time(),
                            [&](const RunConfig& run) { return replayed ? Figures() : figures(run); });
      if (replayed) line.gain.reset();
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  static Time time_after(const Ladder& ladder, std::size_t steps) {
    return steps == 0 ? ladder.start_time : ladder.steps[steps - 1].time;
  }
  static std::size_t first_of(const Ladder& ladder, std::size_t change) {
    std::size_t i = 0;
    while (ladder.steps[i].change != change) ++i;
    return i;
  }
  static std::size_t last_of(const Ladder& ladder, std::size_t change) {
    std::size_t i = ladder.steps.size() - 1;
    while (ladder.steps[i].change != change) --i;
    return i;
  }

  // Adds the gains that the search found for `change`.
  void describe(Line& line, std::size_t change) const {
    const Effect& effect = search_.effects[change];
    if (effect.alone.time) line.alone = saved(search_.ladder.start_time, *effect.alone.time);
    const Time end = search_.ladder.end_time();
    if (effect.without && effect.without->time) line.last = saved(*effect.without->time, end);
    if (!effect.without && effect.left && effect.left->time) line.last = saved(end, *effect.left->time);
  }

  template <class FiguresOf>
  Line left_line(std::size_t change, const Tried& tried, const Time& before, const FiguresOf& figures) {
    Line line;
    line.change = changes_[change].name;
    line.ending = ending_of(tried, before);
    if (!tried.why_not.empty()) line.why_not = tried.why_not;
    describe(line, change);
    const bool again = search_.effects[change].without.has_value();
    if (again) {
      line.alone.reset();
      line.last.reset();
    }
    if (!tried.time) return line;
    line.gain = saved(before, *tried.time);
    line.figures = figures(*tried.run);
    if (line.figures.seconds) line.config = file(fmt::format("{}-left-{}", prefix_, *line.change), *tried.run);
    return line;
  }

  // Adds a file for the run under a name of its own, so that its result replaces no other.
  std::string file(const std::string& stem, RunConfig run) {
    run.name += "-" + stem;
    std::string name = stem + ".yaml";
    configs_[name] = config::resolved_yaml(run);
    return name;
  }

  const std::vector<Counterfactual>& changes_;
  const Climb& search_;
  std::string prefix_;
  std::map<std::string, std::string>& configs_;
};

// Reduces the run to timing mode without outputs: explain() needs counts only.
RunConfig explained_run(RunConfig run) {
  run.mode = config::Mode::Timing;
  run.verify = 0;
  run.strict_fit = false;
  run.workers.reset();
  run.output.clear();
  return run;
}

class Explainer {
 public:
  Explainer(const Request& request, const Listener& listener)
      : request_(request),
        listener_(listener),
        run_(explained_run(request.run)),
        search_run_(run_),
        changes_(design::design_of(run_).counterfactuals(run_)),
        simulations_(request.workers, request.cache) {
    search_run_.batch = request.search_batch;
  }

  Explained explain() {
    KernelTrial trial(simulations_, request_.network(search_run_), listener_.progress);
    const Climb search = climb(search_run_, changes_, std::ref(trial), watch("step {}, {} to try"));
    if (run_.batch == search_run_.batch) {
      finish(trial, search, search.ladder, {});
    } else {
      replayed(trial, search);
    }
    return std::move(result_);
  }

 private:
  Watch watch(const char* format) const {
    return [this, format](std::size_t step, std::size_t left) {
      if (listener_.stage) {
        listener_.stage(run_.name + ": " + fmt::format(fmt::runtime(format), step, left));
      }
    };
  }

  // Replays the search's order at the run's batch, one run per step.
  void replayed(const KernelTrial& search_trial, const Climb& search) {
    std::vector<std::size_t> order;
    double expected = search_trial.of(search.ladder.start).processor_seconds;
    std::vector<double> costs{expected};
    for (const Step& step : search.ladder.steps) {
      order.push_back(step.change);
      costs.push_back(search_trial.of(step.run).processor_seconds);
      expected += costs.back();
    }
    const double images = static_cast<double>(run_.batch) / search_run_.batch;
    if (listener_.notice && run_.rung != config::Rung::Analytical) {
      listener_.notice(fmt::format(
          "{} runs at batch {}, one per step, in the order found at batch {}: about {} on {} processors if the time "
          "per image is the same, less if images repeat",
          costs.size(), run_.batch, search_run_.batch, duration_text(std::ceil(expected * images / request_.workers)),
          request_.workers));
    }
    // Steps differ in length: progress is weighted by their processor times at the search batch.
    std::size_t at = 0;
    const run::Progress progress = [&](std::int64_t done, std::int64_t total) {
      constexpr double kParts = 1000;  // progress units per second
      double before = 0;
      for (std::size_t i = 0; i < std::min(at, costs.size()); ++i) before += costs[i];
      const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
      const double now = before + (at < costs.size() ? costs[at] * share : 0);
      if (listener_.progress) {
        listener_.progress(std::llround(kParts * now), std::llround(kParts * expected));
      }
    };
    if (listener_.stage) listener_.stage(fmt::format("{}: {} runs at batch {}", run_.name, costs.size(), run_.batch));
    KernelTrial trial(simulations_, request_.network(run_), progress);
    const Replay replay =
        explain::replay(run_, changes_, order, std::ref(trial), [&](std::size_t step, std::size_t) { at = step; });
    finish(trial, search, replay.ladder, replay.dropped);
  }

  void finish(KernelTrial& trial, const Climb& search, const Ladder& ladder,
              const std::vector<Replay::Dropped>& dropped) {
    Explanation& e = result_.explanation;
    const run::Result first = trial.result(ladder.start), last = trial.result(ladder.end());
    e.run = run_.name;
    e.network = first.network.name;
    e.board = run_.board.name;
    e.rung = config::to_string(run_.rung);
    e.kernel = run_.kernel->text().headline;
    e.batch = run_.batch;
    e.search_batch = search_run_.batch;
    e.convolutions = static_cast<std::int64_t>(first.rows.size());
    add_changes(changes_);
    LadderWriter writer(changes_, search, "step", result_.configs);
    const auto figures = [&](const RunConfig& run) { return trial.of(run).figures; };
    e.kernels.lines = writer.lines(ladder, dropped, run_.batch != search_run_.batch, figures);
    e.kernels.bounds = bounds_of(first, "as is");
    if (!ladder.steps.empty()) {
      for (Bound& bound : bounds_of(last, "at the end")) e.kernels.bounds.push_back(std::move(bound));
    }
    e.kernels.sentences = sentences(e.kernels.lines, e.changes);
    iterate(trial, ladder);
    e.asked = simulations_.convolutions();
    e.simulated = simulations_.different();
    e.words = explanation_words();
  }

  void iterate(KernelTrial& kernels, const Ladder& ladder) {
    Explanation& e = result_.explanation;
    if (!request_.no_iteration.empty()) e.no_iteration = request_.no_iteration;
    if (!request_.iteration) return;
    try {
      const std::vector<Counterfactual> changes = card_changes(ladder.end());
      IterationTrial trial(kernels, request_.iteration);
      const Climb search = climb(ladder.start, changes, std::ref(trial), watch("iteration, step {}, {} to try"));
      add_changes(changes);
      LadderWriter writer(changes, search, "iteration", result_.configs);
      e.iteration.lines =
          writer.lines(search.ladder, {}, false, [&](const RunConfig& run) { return trial.figures(run); });
      e.iteration.sentences = sentences(e.iteration.lines, e.changes);
    } catch (const Error& error) {
      e.no_iteration = error.what();
    }
  }

  void add_changes(const std::vector<Counterfactual>& changes) {
    for (const Counterfactual& each : changes) {
      result_.explanation.changes.push_back({each.name, each.meaning, each.caveat});
    }
  }

  const Request& request_;
  const Listener& listener_;
  RunConfig run_, search_run_;
  std::vector<Counterfactual> changes_;
  run::Simulations simulations_;
  Explained result_;
};

}  // namespace

Explained explain(const Request& request, const Listener& listener) {
  return Explainer(request, listener).explain();
}

}  // namespace weft::explain

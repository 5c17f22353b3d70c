#include "platform/iteration/train/train.h"

#include <fmt/core.h>

#include <map>
#include <tuple>
#include <utility>

#include "platform/iteration/timeline/parts.h"
#include "platform/run/simulate.h"

namespace weft::train {

using precision::Level;
using timeline::Part;

namespace {

constexpr const char* kLoads = "the loads of bitstreams";

using Key = std::tuple<bool, std::string, conv::Kind>;
Key key_of(const design::Row& row) {
  return {row.fully_connected, row.layer.name, row.kind};
}

// Results of all convolutions in one level.
struct Simulated {
  std::vector<Part> parts;
  std::map<Key, std::pair<std::size_t, std::size_t>> places;  // value: part and row

  const design::Row& row(const Key& key) const {
    const auto& [part, row] = places.at(key);
    return parts[part].rows[row];
  }
  Picoseconds time(const Key& key) const {
    const Frequency clock = parts[places.at(key).first].run.kernel->clock;
    return duration(row(key).cycles, clock);
  }
};

Simulated simulate(const config::RunConfig& run, const workloads::Network& network, const config::Library& library,
                   const run::Progress& progress) {
  Simulated simulated;
  simulated.parts = timeline::parts_on_kernels(
      run, timeline::parts_of(run, network), library,
      [&](const std::string&, std::int64_t done, std::int64_t total) { progress(done, total); });
  for (std::size_t part = 0; part < simulated.parts.size(); ++part) {
    Part& each = simulated.parts[part];
    each.rows = run::simulate(each.run, each.network, progress).rows;
    for (std::size_t row = 0; row < each.rows.size(); ++row) simulated.places[key_of(each.rows[row])] = {part, row};
  }
  return simulated;
}

class Trainer {
 public:
  Trainer(const TrainConfig& config, const workloads::Network& network,
          std::shared_ptr<const timeline::TrainedGraph> graph, const config::Library& library)
      : config_(config), network_(network), graph_(std::move(graph)), library_(library) {
    for (const design::Row& row : run::prepare(config_.run(), network_).rows) {
      keys_.push_back(key_of(row));
      measured_.convolutions.push_back(fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind)));
    }
  }

  const Measured& names() const { return measured_; }  // without times
  Measured measure(const run::Progress& progress) {
    for (const LevelRun& each : config_.runs) {
      simulated_.emplace(each.level, simulate(each.run, network_, library_, progress));
    }
    for (const Key& key : keys_) {
      precision::LevelTimes& times = measured_.times.emplace_back();
      for (const LevelRun& each : config_.runs) times.push_back(simulated_.at(each.level).time(key));
    }
    return measured_;
  }

  Training run(const run::Progress& progress) {
    training_.counted = config_.counted;
    const precision::Replay replay = with_traces();
    if (graph_) timeline::check_iteration(config_.run(), graph_->graph);
    Measured measured = measure(progress);
    training_.convolutions = std::move(measured.convolutions);
    training_.times = std::move(measured.times);
    training_.for_80_percent = precision::worth_lowering(training_.times, 80);
    const std::int64_t iterations_per_epoch = config_.iterations_per_epoch();
    training_.precision_schedule =
        config_.pruning ? precision::prune(*config_.pruning, iterations_per_epoch, keys_.size())
                        : precision::replay(replay, iterations_per_epoch, training_.convolutions, training_.times);
    setup_of(std::vector<Level>(keys_.size(), config_.runs.back().level));
    std::int64_t iterations = 0;
    std::optional<std::size_t> before;
    for (const precision::Epoch& epoch : training_.precision_schedule.epochs) {
      std::vector<TimedStretch>& stretches = training_.epochs.emplace_back();
      for (const precision::Stretch& stretch : epoch.stretches) {
        checked::add(iterations, stretch.iterations, "the iterations of all epochs");
        const std::size_t setup = setup_of(stretch.levels);
        const bool enters = config_.pruning ? !before : before != setup;  // masks need no bitstream of their own
        stretches.push_back({stretch.iterations, setup, enters});
        before = setup;
      }
    }
    training_.loads();               // throws on overflow
    fp32_alone(config_, training_);  // throws on overflow
    return std::move(training_);
  }

 private:
  precision::Replay with_traces() const {
    precision::Replay replay = config_.rules;
    if (!config_.diversities.empty()) {
      replay.diversities = precision::read_diversities(config_.diversities, replay.muppet.resolution);
    }
    if (config_.gm()) {
      replay.errors =
          precision::read_errors(config_.errors, measured_.convolutions, replay.gm.levels, replay.gm.ticks_per_epoch);
    }
    return replay;
  }

  std::size_t setup_of(const std::vector<Level>& levels) {
    const auto [found, fresh] = known_.emplace(levels, training_.setups.size());
    if (!fresh) return found->second;
    Setup setup;
    setup.levels = levels;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Simulated& simulated = simulated_.at(levels[i]);
      checked::add(setup.cycles, simulated.row(keys_[i]).cycles, "the cycles of all convolutions");
      checked::add(setup.macs, simulated.row(keys_[i]).macs, "the multiply-accumulates of all convolutions");
      checked::add(setup.convolutions, simulated.time(keys_[i]), "the picoseconds of all convolutions");
    }
    if (graph_) setup.iteration = iteration(levels);
    setup.counted = config_.counted == Counted::Iteration ? setup.iteration->end : setup.convolutions;
    training_.setups.push_back(std::move(setup));
    return found->second;
  }

  // Timeline of an iteration with each convolution's rows from the parts of its level.
  IterationTime iteration(const std::vector<Level>& levels) {
    std::vector<Part> parts;
    for (const auto& [level, simulated] : simulated_) {
      for (std::size_t part = 0; part < simulated.parts.size(); ++part) {
        const Part& from = simulated.parts[part];
        Part to{from.run, from.network, {}, from.im2col_on_host};
        for (std::size_t i = 0; i < keys_.size(); ++i) {
          const auto& place = simulated.places.at(keys_[i]);
          if (levels[i] == level && place.first == part) to.rows.push_back(from.rows[place.second]);
        }
        if (!to.rows.empty()) parts.push_back(std::move(to));
      }
    }
    const timeline::TrainingIteration made =
        timeline::iteration_of(config_.run(), graph_, timeline::views(parts), links_);
    const auto part = [&](timeline::StepKind activity) {
      return made.parts.time.at(static_cast<std::size_t>(activity));
    };
    IterationTime time;
    time.end = made.timeline.end;
    time.kernels = part(timeline::StepKind::Kernel) + part(timeline::StepKind::Precompute);
    for (std::size_t i = 0; i < timeline::kStepKinds; ++i) {
      const auto activity = static_cast<timeline::StepKind>(i);
      if (activity != timeline::StepKind::Call && timeline::resource_of(activity) == timeline::Resource::Host) {
        time.host += part(activity);
      }
    }
    time.loads = made.timeline.loads;
    time.bitstreams = made.timeline.kernels;
    time.load = made.load_time;
    return time;
  }

  const TrainConfig& config_;
  const workloads::Network& network_;
  std::shared_ptr<const timeline::TrainedGraph> graph_;
  const config::Library& library_;
  std::vector<Key> keys_;
  Measured measured_;
  std::map<Level, Simulated> simulated_;
  std::map<std::vector<Level>, std::size_t> known_;
  timeline::Links links_;
  Training training_;
};

}  // namespace

LongTime Training::time(const TimedStretch& stretch) const {
  const Setup& setup = setups[stretch.setup];
  const bool counts = stretch.enters && counted == Counted::Iteration;  // loads count as part of the iteration
  const Picoseconds entering = counts ? setup.entering_loads() * setup.iteration->load : 0;  // time of at most one load
  return static_cast<LongTime>(stretch.iterations) * setup.counted + entering;
}

LongTime Training::time(std::size_t epoch) const {
  LongTime sum = 0;
  for (const TimedStretch& stretch : epochs[epoch]) sum += time(stretch);
  return sum;
}

LongTime Training::time() const {
  LongTime sum = 0;
  for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) sum += time(epoch);
  return sum;
}

LongTime Training::card_time() const {
  LongTime sum = 0;
  for (const std::vector<TimedStretch>& epoch : epochs) {
    for (const TimedStretch& stretch : epoch) {
      const IterationTime& each = setups[stretch.setup].iteration.value();
      const std::int64_t entering = stretch.enters ? setups[stretch.setup].entering_loads() : 0;
      sum += static_cast<LongTime>(stretch.iterations) * (each.end - each.host) + entering * each.load;
    }
  }
  return sum;
}

std::int64_t Training::loads(const TimedStretch& stretch) const {
  const Setup& setup = setups[stretch.setup];
  if (!setup.iteration) return 0;
  return checked::sum(kLoads, {checked::product(kLoads, {stretch.iterations, setup.iteration->loads}),
                               stretch.enters ? setup.entering_loads() : 0});
}

std::int64_t Training::loads(std::size_t epoch) const {
  std::int64_t sum = 0;
  for (const TimedStretch& stretch : epochs[epoch]) checked::add(sum, loads(stretch), kLoads);
  return sum;
}

std::int64_t Training::loads() const {
  std::int64_t sum = 0;
  for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) checked::add(sum, loads(epoch), kLoads);
  return sum;
}

double seconds(LongTime time) {
  return static_cast<double>(time) / 1e12;
}

LongTime fp32_alone(const TrainConfig& config, const Training& training) {
  const std::int64_t iterations = checked::product("the iterations of all epochs in FP32",
                                                   {config.fp32_alone_epochs, config.iterations_per_epoch()});
  return training.time(TimedStretch{iterations, 0, true});
}

Measured measure(const TrainConfig& config, const workloads::Network& network, const config::Library& library,
                 const run::Progress& progress) {
  Trainer trainer(config, network, nullptr, library);
  return config.gm() ? trainer.measure(progress) : trainer.names();
}

Training train(const TrainConfig& config, const workloads::Network& network,
               const std::shared_ptr<const timeline::TrainedGraph>& graph, const config::Library& library,
               const run::Progress& progress) {
  return Trainer(config, network, graph, library).run(progress);
}

}  // namespace weft::train

#include "platform/iteration/precision/precision_schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/core/error.h"
#include "platform/iteration/precision/policies.h"

namespace weft::precision {

namespace {

class Replayer {
 public:
  Replayer(const Replay& replay, std::int64_t iterations, const std::vector<std::string>& names,
           const std::vector<LevelTimes>& times)
      : replay_(replay),
        names_(names),
        policies_(replay.muppet, replay.errors ? std::optional(replay.gm) : std::nullopt, iterations, names.size(),
                  times) {
    if (!replay.diversities && replay.switch_epochs.size() + 1 != replay.muppet.levels.size()) {
      throw std::invalid_argument("there must be a switch to each level after the first");
    }
  }

  PrecisionSchedule run() {
    while (!policies_.finished()) {
      for (int tick = 0; tick < policies_.ticks(); ++tick) {
        policies_.end_tick(tick, [&](std::size_t convolution, Level level) { return error(tick, convolution, level); });
      }
      end_epoch();
    }
    PrecisionSchedule precision_schedule = policies_.precision_schedule();
    if (replay_.diversities) precision_schedule.unused_lines += replay_.diversities->rows.size() - diversity_;
    if (replay_.errors) {
      for (const auto& [at, tick] : replay_.errors->ticks) {
        if (used_ticks_.count(at) == 0) precision_schedule.unused_lines += tick.errors.size();
      }
    }
    return precision_schedule;
  }

 private:
  double error(int tick, std::size_t convolution, Level level) {
    const ErrorTrace& trace = *replay_.errors;
    const std::pair at{policies_.epoch(), tick};
    const auto found = trace.ticks.find(at);
    if (found != trace.ticks.end()) {
      used_ticks_.insert(at);
      const auto error = found->second.errors.find({convolution, level});
      if (error != found->second.errors.end()) return error->second;
    }
    const int line = found != trace.ticks.end() ? found->second.line : trace.last_line;
    throw InputError(trace.file, line, "rae",
                     fmt::format("no error of '{}' at {} in epoch {}, tick {}, but GM needs one", names_[convolution],
                                 level_name(level), at.first, at.second));
  }

  void end_epoch() {
    if (!replay_.diversities) {
      const std::vector<int>& switches = replay_.switch_epochs;
      policies_.end_epoch_by(std::find(switches.begin(), switches.end(), policies_.epoch() + 1) != switches.end());
      return;
    }
    policies_.end_epoch(policies_.asks() ? std::optional(next_diversity()) : std::nullopt);
  }

  double next_diversity() {
    const DiversityTrace& trace = *replay_.diversities;
    if (diversity_ == trace.rows.size()) {
      throw InputError(trace.file, trace.rows.empty() ? 1 : trace.rows.back().line, "diversity",
                       fmt::format("the trace ends before epoch {}, in which MuPPET is at {} and needs a diversity",
                                   policies_.epoch(), level_name(policies_.level())));
    }
    return trace.rows[diversity_++].diversity;
  }

  const Replay& replay_;
  const std::vector<std::string>& names_;
  Policies policies_;
  std::size_t diversity_ = 0;
  std::set<std::pair<int, int>> used_ticks_;
};

}  // namespace

std::int64_t iterations_of_ticks(std::int64_t all, int ticks, int ticks_per_epoch) {
  // `all` is split into whole ticks and a rest, so that no product exceeds `all` by more than 2^62.
  return all / ticks_per_epoch * ticks + all % ticks_per_epoch * ticks / ticks_per_epoch;
}

PrecisionSchedule replay(const Replay& replay, std::int64_t iterations_per_epoch, const std::vector<std::string>& names,
                         const std::vector<LevelTimes>& times) {
  return Replayer(replay, iterations_per_epoch, names, times).run();
}

PrecisionSchedule prune(const Pruning& pruning, std::int64_t iterations_per_epoch, std::size_t convolutions) {
  PrecisionSchedule schedule;
  for (int number = 0; number < pruning.epochs; ++number) {
    Epoch& epoch = schedule.epochs.emplace_back();
    epoch.level = number < pruning.dense_epochs ? kDense : kPruned;
    epoch.stretches.push_back({iterations_per_epoch, std::vector<Level>(convolutions, epoch.level)});
  }
  return schedule;
}

}  // namespace weft::precision

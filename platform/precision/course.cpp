#include "platform/precision/course.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/core/error.h"

namespace weft::precision {

namespace {

class Replayer {
 public:
  Replayer(const Replay& replay, std::int64_t iterations, const std::vector<std::string>& names,
           const std::vector<LevelTimes>& times)
      : replay_(replay), iterations_(iterations), names_(names), muppet_(replay.muppet) {
    if (replay.errors) gm_.emplace(replay.gm, times, muppet_.level());
    if (!replay.diversities && replay.switch_epochs.size() + 1 != replay.muppet.levels.size()) {
      throw std::invalid_argument("there must be a switch to each level behind the first");
    }
  }

  Course run() {
    if (gm_) course_.accelerated = gm_->accelerated();
    while (!muppet_.finished()) epoch();
    if (replay_.diversities) course_.unused_lines += replay_.diversities->rows.size() - diversity_;
    if (replay_.errors) {
      for (const auto& [at, tick] : replay_.errors->ticks) {
        if (used_ticks_.count(at) == 0) course_.unused_lines += tick.errors.size();
      }
    }
    return std::move(course_);
  }

 private:
  void epoch() {
    Epoch epoch;
    epoch.level = muppet_.level();
    epoch.rate = muppet_.rate();
    if (!gm_) {
      epoch.stretches.push_back({iterations_, std::vector<Level>(names_.size(), epoch.level)});
    } else {
      for (int tick = 0; tick < replay_.gm.ticks_per_epoch; ++tick) stretch(epoch, tick);
    }
    end(epoch);
    course_.epochs.push_back(std::move(epoch));
  }

  // The iterations up to a tick, and the tick.
  void stretch(Epoch& epoch, int tick) {
    const int all = replay_.gm.ticks_per_epoch;
    const std::int64_t iterations =
        iterations_of_ticks(iterations_, tick + 1, all) - iterations_of_ticks(iterations_, tick, all);
    if (!epoch.stretches.empty() && epoch.stretches.back().levels == gm_->levels()) {
      epoch.stretches.back().iterations += iterations;
    } else {
      epoch.stretches.push_back({iterations, gm_->levels()});
    }
    for (const std::size_t c : gm_->accelerated()) {
      if (!gm_->watches(c)) continue;
      const double now = error(tick, c, gm_->level(c));
      gm_->observe(c, now, error(tick, c, gm_->lower(c)));
    }
    gm_->tick();
  }

  double error(int tick, std::size_t convolution, Level level) {
    const ErrorTrace& trace = *replay_.errors;
    const std::pair at{muppet_.epoch(), tick};
    const auto found = trace.ticks.find(at);
    if (found != trace.ticks.end()) {
      used_ticks_.insert(at);
      const auto error = found->second.errors.find({convolution, level});
      if (error != found->second.errors.end()) return error->second;
    }
    const int line = found != trace.ticks.end() ? found->second.line : trace.last_line;
    throw InputError(trace.file, line, "rae",
                     fmt::format("there is none of '{}' at {} in epoch {}, tick {}, where GM asks for it",
                                 names_[convolution], level_name(level), at.first, at.second));
  }

  void end(Epoch& epoch) {
    if (!replay_.diversities) {
      const std::vector<int>& switches = replay_.switch_epochs;
      const bool switching = std::find(switches.begin(), switches.end(), muppet_.epoch() + 1) != switches.end();
      muppet_.end_epoch_by(switching);
      if (switching) follow();
      return;
    }
    if (muppet_.asks()) {
      epoch.diversity = next_diversity();
      epoch.threshold = muppet_.threshold();
    }
    Muppet before = muppet_;  // a switch forgets the violations that led to it
    const bool switches = muppet_.end_epoch(epoch.diversity);
    epoch.violations = switches ? before.violations() + 1 : muppet_.violations();
    if (switches) follow();
  }

  double next_diversity() {
    const DiversityTrace& trace = *replay_.diversities;
    if (diversity_ == trace.rows.size()) {
      throw InputError(trace.file, trace.rows.empty() ? 1 : trace.rows.back().line, "diversity",
                       fmt::format("the trace ends before epoch {}, where MuPPET is in {} and asks for one",
                                   muppet_.epoch(), level_name(muppet_.level())));
    }
    return trace.rows[diversity_++].diversity;
  }

  void follow() {
    if (gm_) gm_->follow(muppet_.level());
  }

  const Replay& replay_;
  std::int64_t iterations_;
  const std::vector<std::string>& names_;
  Muppet muppet_;
  std::optional<Gm> gm_;
  std::size_t diversity_ = 0;
  std::set<std::pair<int, int>> used_ticks_;
  Course course_;
};

}  // namespace

std::int64_t iterations_of_ticks(std::int64_t all, int ticks, int ticks_per_epoch) {
  return all * ticks / ticks_per_epoch;
}

Course replay(const Replay& replay, std::int64_t iterations_per_epoch, const std::vector<std::string>& names,
              const std::vector<LevelTimes>& times) {
  return Replayer(replay, iterations_per_epoch, names, times).run();
}

}  // namespace weft::precision

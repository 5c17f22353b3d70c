#include "platform/iteration/precision/policies.h"

#include <utility>

namespace weft::precision {

Policies::Policies(const MuppetRules& muppet, const std::optional<GmRules>& gm, std::int64_t iterations_per_epoch,
                   std::size_t convolutions, const std::vector<LevelTimes>& times)
    : muppet_(muppet), iterations_(iterations_per_epoch), convolutions_(convolutions) {
  if (gm) {
    gm_.emplace(*gm, times, muppet_.level());
    ticks_ = gm->ticks_per_epoch;
    precision_schedule_.accelerated = gm_->accelerated();
  }
  begin_epoch();
}

std::vector<Level> Policies::levels() const {
  return gm_ ? gm_->levels() : std::vector<Level>(convolutions_, muppet_.level());
}

std::int64_t Policies::iterations_before_tick(int tick) const {
  return iterations_of_ticks(iterations_, tick, ticks_);
}

void Policies::end_tick(int tick, const std::function<double(std::size_t convolution, Level level)>& error) {
  const std::int64_t iterations = iterations_before_tick(tick + 1) - iterations_before_tick(tick);
  if (!now_.stretches.empty() && now_.stretches.back().levels == levels()) {
    now_.stretches.back().iterations += iterations;
  } else {
    now_.stretches.push_back({iterations, levels()});
  }
  if (!gm_) return;
  for (const std::size_t c : gm_->accelerated()) {
    if (!gm_->watches(c)) continue;
    const double at_level = error(c, gm_->level(c));
    gm_->observe(c, at_level, error(c, gm_->lower(c)));
  }
  gm_->tick();
}

void Policies::end_epoch(std::optional<double> diversity) {
  if (diversity) {
    now_.diversity = diversity;
    now_.threshold = muppet_.threshold();
  }
  const int before = muppet_.violations();  // a switch resets the violations
  const bool switches = muppet_.end_epoch(diversity);
  now_.violations = switches ? before + 1 : muppet_.violations();
  close(switches);
}

void Policies::end_epoch_by(bool switches) {
  muppet_.end_epoch_by(switches);
  close(switches);
}

void Policies::close(bool switches) {
  if (switches && gm_) gm_->follow(muppet_.level());
  precision_schedule_.epochs.push_back(std::move(now_));
  begin_epoch();
}

void Policies::begin_epoch() {
  now_ = {};
  now_.level = muppet_.level();
  now_.rate = muppet_.rate();
}

}  // namespace weft::precision

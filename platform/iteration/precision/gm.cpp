#include "platform/iteration/precision/gm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "model/core/error.h"

namespace weft::precision {

std::vector<std::size_t> worth_lowering(const std::vector<LevelTimes>& times, double total_percent) {
  const auto gain = [&](std::size_t c) { return times[c].back() - times[c].front(); };
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
  Picoseconds all = 0;
  for (const std::size_t c : order) {
    checked::add(all, std::max<Picoseconds>(gain(c), 0), "the picoseconds that all convolutions gain");
  }
  // Sums of picoseconds are below 2^57 for 40 hours: exact in a long double of 64 bits, also times 100.
  const long double wanted = static_cast<long double>(total_percent) * static_cast<long double>(all);
  std::vector<std::size_t> chosen;
  Picoseconds sum = 0;
  for (const std::size_t c : order) {
    if (gain(c) <= 0 || 100 * static_cast<long double>(sum) >= wanted) break;
    sum += gain(c);
    chosen.push_back(c);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void Gm::State::clear() {
  history.clear();
  sum = 0;
  observed = 0;
}

Gm::Gm(GmRules rules, std::vector<LevelTimes> times, Level level)
    : rules_(std::move(rules)),
      times_(std::move(times)),
      accelerated_(worth_lowering(times_, rules_.total_percent)),
      states_(times_.size()) {
  const std::vector<Level>& levels = rules_.levels;
  const bool ascend = std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) == levels.end();
  if (levels.empty() || levels.back() != kFp32 || !ascend) {
    throw std::invalid_argument("the levels of GM must ascend to FP32");
  }
  for (const LevelTimes& of : times_) {
    if (of.size() != levels.size()) throw std::invalid_argument("GM needs a time for each level of each convolution");
  }
  for (const std::size_t c : accelerated_) states_[c].accelerated = true;
  follow(level);
}

std::vector<Level> Gm::levels() const {
  std::vector<Level> all;
  all.reserve(states_.size());
  for (const State& state : states_) all.push_back(rules_.levels[state.at]);
  return all;
}

bool Gm::watches(std::size_t convolution) const {
  const State& state = states_[convolution];
  return !resting_ && state.accelerated && state.at > 0 && gain(convolution) >= rules_.gain_threshold;
}

Level Gm::lower(std::size_t convolution) const {
  return rules_.levels[states_[convolution].at - 1];
}

Picoseconds Gm::gain(std::size_t convolution) const {
  const std::size_t at = states_[convolution].at;
  return times_[convolution][at] - times_[convolution][at - 1];
}

void Gm::observe(std::size_t convolution, double error_now, double error_lower) {
  if (!watches(convolution)) throw std::invalid_argument("GM does not watch this convolution");
  if (!std::isfinite(error_now) || !std::isfinite(error_lower)) throw std::invalid_argument("errors must be finite");
  State& state = states_[convolution];
  state.sum += error_lower - error_now;
  ++state.observed;
}

std::vector<std::size_t> Gm::tick() {
  std::vector<std::size_t> lowered;
  for (const std::size_t c : accelerated_) {
    State& state = states_[c];
    if (state.observed == 0) continue;
    state.history.push_back(state.sum / static_cast<double>(state.observed) <= rules_.error_threshold);
    if (state.history.size() > static_cast<std::size_t>(rules_.history)) state.history.pop_front();
    state.sum = 0;
    state.observed = 0;
    if (std::count(state.history.begin(), state.history.end(), true) < rules_.passes) continue;
    --state.at;
    state.clear();
    lowered.push_back(c);
  }
  return lowered;
}

void Gm::follow(Level level) {
  const auto at = std::find(rules_.levels.begin(), rules_.levels.end(), level);
  if (at == rules_.levels.end()) throw std::invalid_argument("MuPPET's level is none of GM's");
  for (State& state : states_) {
    state.at = static_cast<std::size_t>(at - rules_.levels.begin());
    state.clear();
  }
  resting_ = level == kFp32 && !rules_.in_fp32;
}

}  // namespace weft::precision

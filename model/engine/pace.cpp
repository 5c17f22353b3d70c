#include "model/engine/pace.h"

#include <algorithm>

namespace weft::engine {

namespace {

constexpr double kRecentSeconds = 0.05;
constexpr double kLeastLoss = 0.1;       // seconds; less is not worth measuring
constexpr double kLossShare = 0.125;     // of the time to step the whole unit
constexpr double kCheaper = 0.9;         // cost ratio from which costs count as equal
constexpr double kSurelyCheaper = 2e-9;  // seconds per cycle; faster than any stepping

}  // namespace

void Pace::Cost::add(Cycles more, double more_seconds) {
  cycles += static_cast<double>(more);
  seconds += more_seconds;
}

void Pace::RecentCost::add(Cycles more, double more_seconds) {
  Cost::add(more, more_seconds);
  if (seconds <= 2 * kRecentSeconds) return;
  cycles /= 2;
  seconds /= 2;
}

double Pace::most_loss() const {
  return std::max(kLeastLoss, kLossShare * unit_ * stepped_.of_a_cycle());
}

void Pace::add(Way way, Cycles cycles, double seconds) {
  if (way == Way::Stepped) {
    stepped_.add(cycles, seconds);
    if (since_measured_ > measure_after_) measure_after_ *= 2;
    since_measured_ = 0;
    return;
  }
  recent_with_memo_.add(cycles, seconds);
  with_memo_.add(cycles, seconds);
  since_measured_ += seconds;
  if (loss() < -most_loss()) with_memo_ = {};
}

Pace::Way Pace::way() const {
  const double memo = recent_with_memo_.of_a_cycle(), stepping = stepped_.of_a_cycle();
  if (memo < kSurelyCheaper) return Way::WithMemo;
  if (since_measured_ > measure_after_) return Way::Stepped;
  return stepping == 0 || memo < kCheaper * stepping || loss() <= most_loss() ? Way::WithMemo : Way::Stepped;
}

}  // namespace weft::engine

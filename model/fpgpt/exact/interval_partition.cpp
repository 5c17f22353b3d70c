#include "model/fpgpt/exact/interval_partition.h"

#include <cmath>

namespace weft::fpgpt::exact {

namespace {

constexpr std::int64_t kMostRounds = 64;     // of an interval
constexpr std::int64_t kMinIntervals = 512;  // of a convolution, for intervals of several passes

// Returns the largest power of two up to `most` >= 1. Intervals of such lengths have few bank/row signatures, because
// banks and rows are powers of two as well.
std::int64_t power_of_two(std::int64_t most) {
  std::int64_t power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

}  // namespace

IntervalPartition::IntervalPartition(const Plan& plan, Cycles interval_cycles)
    : round_windows_(plan.sets * plan.beta.c), windows_(plan.passes * plan.groups * round_windows_) {
  const std::int64_t window_cycles =
      std::max({plan.positions, plan.spacing / plan.beta.c, plan.inp.floor_beats, std::int64_t{1}});
  // The first and the last intervals must be simulated in full. So the length is at most about the square root of the
  // convolution's, where simulation and look-up cost the same.
  const auto shorter =
      static_cast<Cycles>(std::sqrt(static_cast<double>(plan.inp.count()) * static_cast<double>(window_cycles)));
  const std::int64_t windows = std::max<std::int64_t>(std::min(interval_cycles, shorter) / window_cycles, 1);
  const std::int64_t pass_windows = plan.groups * round_windows_;
  if (windows <= round_windows_) {
    stride_ = power_of_two(windows);
    span_ = round_windows_;
  } else if (windows <= pass_windows) {
    stride_ = power_of_two(std::min(windows / round_windows_, kMostRounds)) * round_windows_;
    span_ = pass_windows;
  } else {
    const std::int64_t most = std::min(kMostRounds / plan.groups, plan.passes / kMinIntervals);
    stride_ = power_of_two(std::max<std::int64_t>(std::min(windows / pass_windows, most), 1)) * pass_windows;
    span_ = stride_;
  }
}

}  // namespace weft::fpgpt::exact

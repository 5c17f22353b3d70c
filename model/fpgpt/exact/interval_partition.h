#pragma once

#include <algorithm>
#include <cstdint>

#include "model/fpgpt/plan.h"

namespace weft::fpgpt::exact {

// Partition of a convolution into intervals, by the windows that im2col has emitted. An interval is a part of a round,
// some rounds of a pass, or some passes.
class IntervalPartition {
 public:
  IntervalPartition(const Plan& plan, Cycles interval_cycles);

  // Returns the windows at the end of the interval that contains `windows`. `strides`: its length, a power of two.
  std::int64_t next(std::int64_t windows, int strides = 1) const {
    const std::int64_t within = windows % span_, length = strides * stride_;
    return windows - within + std::min(span_, (within / length + 1) * length);
  }
  std::int64_t windows() const { return windows_; }  // of the convolution
  std::int64_t stride() const { return stride_; }
  // Returns the rounds, rounded up, of an interval of this length.
  std::int64_t rounds(int strides = 1) const { return ceil_div(strides * stride_, round_windows_); }
  std::int64_t round_windows() const { return round_windows_; }
  Anchor anchor(Cycles now, std::int64_t windows) const { return {now, windows / round_windows_}; }

 private:
  std::int64_t round_windows_, windows_;
  std::int64_t stride_ = 1;  // windows of an interval
  std::int64_t span_ = 1;    // windows of a round, a pass or some passes; intervals do not cross its end
};

}  // namespace weft::fpgpt::exact

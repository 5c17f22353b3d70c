#pragma once

#include <algorithm>
#include <cstdint>

#include "model/fpgpt/plan.h"

namespace weft::fpgpt::exact {

// How a convolution is cut into intervals: by the windows that im2col has emitted. A interval is a part of a round,
// some rounds of a pass or some passes, about as long as it is asked to be.
class IntervalPartition {
 public:
  IntervalPartition(const Plan& plan, Cycles interval_cycles);

  // Where the interval ends in which `windows` windows have been emitted, if so many strides make one, a power of two.
  std::int64_t next(std::int64_t windows, int strides = 1) const {
    const std::int64_t within = windows % span_, length = strides * stride_;
    return windows - within + std::min(span_, (within / length + 1) * length);
  }
  std::int64_t windows() const { return windows_; }  // of the whole convolution
  std::int64_t within_span(std::int64_t windows) const { return windows % span_; }
  std::int64_t stride() const { return stride_; }
  // Rounds of a interval of so many strides, begun ones included.
  std::int64_t rounds(int strides = 1) const { return ceil_div(strides * stride_, round_windows_); }
  std::int64_t round_windows() const { return round_windows_; }
  Anchor anchor(Cycles now, std::int64_t windows) const { return {now, windows / round_windows_}; }

 private:
  std::int64_t round_windows_, windows_;
  std::int64_t stride_ = 1;  // windows of a interval: a part of a round or some rounds of a pass ...
  std::int64_t span_ = 1;    // ... which is that many windows
};

}  // namespace weft::fpgpt::exact

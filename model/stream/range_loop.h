#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/core/relative.h"
#include "model/core/units.h"

namespace weft::stream {

// Sequence of dense word ranges in one tensor, in fetch order: for a, n, g, s, c the range of `words` words from
//   base + a*pitch_a + n*pitch_n + start[s] + c*pitch_c   (g repeats).
struct RangeLoop {
  std::int64_t a = 1, n = 1, g = 1, s = 1, c = 1;  // trip counts
  Words base = 0, pitch_a = 0, pitch_n = 0, pitch_c = 0;
  std::vector<Words> start{0};
  Words words = 1;
  std::int64_t floor_beats = 0;  // minimum beats read per range; the reader discards the excess
  int band = 16;

  std::int64_t count() const { return a * n * g * s * c; }
};

// Position in a RangeLoop; done() after the last range.
class RangeCursor {
 public:
  bool done(const RangeLoop& loop) const { return a_ == loop.a; }
  void advance(const RangeLoop& loop) {
    if (++c_ < loop.c) return;
    c_ = 0;
    if (++s_ < loop.s) return;
    s_ = 0;
    if (++g_ < loop.g) return;
    g_ = 0;
    if (++n_ < loop.n) return;
    n_ = 0;
    ++a_;
  }
  Words start(const RangeLoop& loop) const {
    return loop.base + a_ * loop.pitch_a + n_ * loop.pitch_n + loop.start[static_cast<std::size_t>(s_)] +
           c_ * loop.pitch_c;
  }
  // Words of the first beat before the range; beats that hold the range; beats read for the range.
  int offset(const RangeLoop& loop) const { return static_cast<int>(start(loop) % loop.band); }
  std::int64_t useful_beats(const RangeLoop& loop) const { return ceil_div(offset(loop) + loop.words, loop.band); }
  std::int64_t read_beats(const RangeLoop& loop) const { return std::max(useful_beats(loop), loop.floor_beats); }
  std::int64_t set() const { return s_; }
  // Number of the range in fetch order, 0 .. count() - 1; count() when done.
  std::int64_t index(const RangeLoop& loop) const {
    return (((a_ * loop.n + n_) * loop.g + g_) * loop.s + s_) * loop.c + c_;
  }
  void seek(const RangeLoop& loop, std::int64_t index) {
    const auto digit = [&index](std::int64_t trips) {
      const std::int64_t value = index % trips;
      index /= trips;
      return value;
    };
    c_ = digit(loop.c);
    s_ = digit(loop.s);
    g_ = digit(loop.g);
    n_ = digit(loop.n);
    a_ = index;
  }
  void relative(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
    std::int64_t at = index(loop);
    state.from(at, first_range);
    if (state.loading()) seek(loop, at);
  }

 private:
  std::int64_t a_ = 0, n_ = 0, g_ = 0, s_ = 0, c_ = 0;
};

}  // namespace weft::stream

#pragma once

#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/core/relative.h"
#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

// A sequence of dense word ranges in one tensor, in the order in which a reader fetches them: for a, n, g, s, c the
// range of `words` words from  base + a*pitch_a + n*pitch_n + start[s] + c*pitch_c  (g repeats).
struct RangeLoop {
  std::int64_t a = 1, n = 1, g = 1, s = 1, c = 1;  // trip counts
  Words base = 0, pitch_a = 0, pitch_n = 0, pitch_c = 0;
  std::vector<Words> start{0};
  Words words = 1;
  std::int64_t floor_beats = 0;  // beats read per range at least; the excess is discarded by the reader
  int band = 16;

  std::int64_t count() const { return a * n * g * s * c; }
};

// Position in a RangeLoop; past the last range done() holds.
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
  // Words of the first beat that precede the range; beats that hold the range; beats that are read for it.
  int offset(const RangeLoop& loop) const { return static_cast<int>(start(loop) % loop.band); }
  std::int64_t useful_beats(const RangeLoop& loop) const { return ceil_div(offset(loop) + loop.words, loop.band); }
  std::int64_t read_beats(const RangeLoop& loop) const { return std::max(useful_beats(loop), loop.floor_beats); }
  std::int64_t set() const { return s_; }
  // The range's number in the order of fetching, 0 .. count(), count() when done.
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

// What every block needs to know of one convolution on one kernel: constants of the run, derived once from alpha and
// beta. Names as in CONTRACT.md.
struct Plan {
  Alpha alpha;
  conv::Convolution beta;
  bool with_data = false;

  std::int64_t sets = 1;       // S: X-sets of one OUT map
  std::int64_t groups = 1;     // K: Y-groups of N_KERN
  std::int64_t passes = 1;     // A * N_INP
  std::int64_t positions = 1;  // window positions per channel, dilation zeros included
  std::int64_t m = 1;          // products per output
  std::int64_t spacing = 1;    // P: array cycles from one X-set to the next
  int last_set_columns = 1;    // outputs of the last set of a map
  int last_group_rows = 1;     // KERN tensors of the last Y-group
  Words z_channel = 1;         // beta's Z_channel

  RangeLoop inp, kern;
  // KERN word of product m of kernel n: tap[m] + n * tap_pitch in memory order, or a zero where tap[m] is negative
  // (KERN-9).
  std::vector<Words> tap;
  Words tap_pitch = 0;
  Words out_base = 0;         // word index of OUT's first word in its memory
  std::int64_t out_runs = 1;  // dense runs of OUT ...
  Words out_run_words = 1;    // ... their length ...
  Words out_run_pitch = 0;    // ... and distance

  bool gw() const { return beta.kind == conv::Kind::GW; }
  std::int64_t rows(std::int64_t group) const { return group + 1 < groups ? alpha.y : last_group_rows; }
  int columns(std::int64_t set) const { return set + 1 < sets ? alpha.x : last_set_columns; }
};

// A moment and a position that the state of the blocks is told relative to: the start of cycle `now`, and a round,
// which is one Y-group of one pass (a, n), counted over the whole convolution.
struct Anchor {
  Cycles now = 0;
  std::int64_t round = 0;

  std::int64_t pass(const Plan& plan) const { return round / plan.groups; }
  std::int64_t group(const Plan& plan) const { return round % plan.groups; }
  std::int64_t window(const Plan& plan) const { return round * plan.sets * plan.beta.c; }  // its first
  // The range that a reader's state is relative to: INP of the first window, KERN of the pass (F and GI have but one).
  std::int64_t inp_range(const Plan& plan) const { return window(plan); }
  std::int64_t kern_range(const Plan& plan) const { return plan.gw() ? pass(plan) : 0; }
  // Words of OUT that F or GI has made before the round; GW makes none before its end.
  Words out_words(const Plan& plan) const {
    if (plan.gw()) return 0;
    return (pass(plan) * plan.beta.n_kern + group(plan) * plan.alpha.y) * plan.beta.out_map();
  }
};

// Throws Error if beta exceeds alpha, naming the parameter and its limit.
Plan make_plan(const Alpha& alpha, const conv::Convolution& beta, bool with_data);

}  // namespace weft::fpgpt

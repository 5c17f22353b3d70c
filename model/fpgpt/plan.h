#pragma once

#include <algorithm>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/units.h"
#include "model/fpgpt/alpha.h"
#include "model/stream/range_loop.h"
#include "model/stream/write_loop.h"

namespace weft::fpgpt {

// Beats that the `hls` profile reads for `words` words (Eqs. A.1-A.3, reading F1): rounded up to 16 beats, with an
// outer loop of at least 3.
inline std::int64_t gamma_burst_beats(Words words, int band) {
  const std::int64_t beats = ceil_div(words, band);
  return align_up(std::min<std::int64_t>(beats, 256), 16) * std::max<std::int64_t>(ceil_div(beats, 256), 3);
}

// Constants of one convolution on one kernel, derived once from alpha and beta, that every block uses. Names as in
// CONTRACT.md.
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

  stream::RangeLoop inp, kern;
  // KERN word of product m of kernel n: tap[m] + n * tap_pitch in memory order, or a zero where tap[m] is negative
  // (KERN-9).
  std::vector<Words> tap;
  Words tap_pitch = 0;
  stream::WriteLoop out;

  bool gw() const { return beta.kind == conv::Kind::GW; }
  std::int64_t rows(std::int64_t group) const { return group + 1 < groups ? alpha.y : last_group_rows; }
  int columns(std::int64_t set) const { return set + 1 < sets ? alpha.x : last_set_columns; }
};

// Reference point of the blocks' relative state: the start of cycle `now`, and a window of a round. A round is one
// Y-group of one pass (a, n); rounds are counted over the whole convolution.
struct Anchor {
  Cycles now = 0;
  std::int64_t round = 0;
  std::int64_t of_round = 0;  // the window's number in its round

  std::int64_t pass(const Plan& plan) const { return round / plan.groups; }
  std::int64_t group(const Plan& plan) const { return round % plan.groups; }
  std::int64_t window(const Plan& plan) const { return round * plan.sets * plan.beta.c + of_round; }
  std::int64_t set(const Plan& plan) const { return of_round / plan.beta.c; }                     // of the round
  std::int64_t phase(const Plan& plan) const { return of_round % plan.beta.c * plan.positions; }  // columns of the set
  // Range that a reader's state is relative to: INP of the window, KERN of the pass (F and GI have only one).
  std::int64_t inp_range(const Plan& plan) const { return window(plan); }
  std::int64_t kern_range(const Plan& plan) const { return plan.gw() ? pass(plan) : 0; }
  // Words of OUT that F or GI has made before the round; GW makes none before its end.
  Words out_words(const Plan& plan) const {
    if (plan.gw()) return 0;
    return (pass(plan) * plan.beta.n_kern + group(plan) * plan.alpha.y) * plan.beta.out_map();
  }
};

// Returns the plan. Throws Error if beta exceeds alpha, naming the parameter and its limit.
Plan make_plan(const Alpha& alpha, const conv::Convolution& beta, bool with_data);

}  // namespace weft::fpgpt

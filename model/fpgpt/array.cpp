#include "model/fpgpt/array.h"

#include <algorithm>

#include "kernels/fp32.h"

namespace weft::fpgpt {

namespace {

constexpr int kPartials = 4;  // interleaved accumulators of a processing element

}  // namespace

ArrayRounds array_rounds(const Plan& plan) {
  const std::int64_t beyond = plan.alpha.y + kFinalAddCycles, rounds = plan.groups * plan.passes;
  if (!plan.alpha.profile.overlap_drain) return {rounds, plan.sets, plan.sets * plan.spacing + beyond};
  const std::int64_t sets = plan.sets * rounds;
  return {1, sets, (sets - 1) * plan.spacing + plan.m + beyond};
}

Array::Array(const Plan& plan) {
  const std::int64_t y = plan.alpha.y;
  const ArrayRounds rounds = array_rounds(plan);
  rounds_left_ = rounds.rounds;
  sets_per_round_ = rounds.sets;
  cycles_per_round_ = rounds.cycles;
  out_delay_ = plan.m + kFinalAddCycles;
  if (!plan.with_data) return;
  partial_.assign(static_cast<std::size_t>(kSlots * y * kPartials * plan.alpha.x), 0.0F);
  columns_.assign(static_cast<std::size_t>(y * plan.alpha.x), 0.0F);
}

Activity Array::step(Cycles now, const Plan& plan, Fifo& inp, Fifo& kern, Fifo& out) {
  if (rounds_left_ == 0) return Activity::Idle;
  const bool take_inp = in_set_ < sets_per_round_ && in_phase_ < plan.m;
  const bool take_kern =
      plan.alpha.profile.overlap_drain ? take_inp : in_set_ < sets_per_round_ || in_phase_ < plan.alpha.y;
  const bool emit = out_delay_ == 0 && out_set_ < sets_per_round_ && out_phase_ < plan.alpha.y;
  if (emit && !out.can_push(now)) return Activity::Blocked;
  if (take_inp && !inp.can_pop(now)) {
    missing_ = 0;
    return Activity::Starved;
  }
  if (take_kern && !kern.can_pop(now)) {
    missing_ = 1;
    return Activity::Starved;
  }
  if (plan.with_data) {
    if (emit) result(plan, out.push(now));
    if (take_kern) multiply(plan, take_inp ? inp.front() : nullptr, kern.front());
  } else if (emit) {
    out.push(now);
  }
  if (take_inp) inp.pop(now);
  if (take_kern) kern.pop(now);
  advance(plan);
  return Activity::Active;
}

void Array::advance(const Plan& plan) {
  ++in_phase_;
  if (in_set_ < sets_per_round_ && in_phase_ == plan.spacing) {
    in_phase_ = 0;
    ++in_set_;
  }
  if (out_delay_ > 0) {
    --out_delay_;
  } else if (++out_phase_ == plan.spacing) {
    out_phase_ = 0;
    ++out_set_;
  }
  if (++cycle_ < cycles_per_round_) return;
  cycle_ = in_set_ = in_phase_ = out_set_ = out_phase_ = 0;
  out_delay_ = plan.m + kFinalAddCycles;
  --rounds_left_;
}

// With overlap_drain the one round of the array holds all of the convolution's: its sets and cycles are positions.
void Array::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const bool overlap = plan.alpha.profile.overlap_drain;
  const std::int64_t first_set = overlap ? at.round * plan.sets : 0;
  state.from(rounds_left_, overlap ? 0 : plan.groups * plan.passes - at.round);
  state.from(cycle_, first_set * plan.spacing);
  state.from(in_set_, first_set);
  state.value(in_phase_);
  state.value(out_delay_);
  state.from(out_set_, first_set);
  state.value(out_phase_);
}

void Array::multiply(const Plan& plan, const float* inp, const float* kern) {
  const int x = plan.alpha.x, rows = plan.alpha.y;
  if (plan.alpha.profile.overlap_drain) {
    // Rows lag by registers inside the array; the values do not depend on that.
    for (int y = 0; y < rows; ++y) accumulate(plan, in_set_, in_phase_, y, inp, kern[y]);
    return;
  }
  // INP moves down one row a cycle: row y sees the column of y cycles ago, the lane of its KERN value was delayed by
  // the feeder.
  const std::int64_t slot = cycle_ % rows;
  if (inp) std::copy_n(inp, x, columns_.begin() + slot * x);
  for (int y = 0; y < rows; ++y) {
    std::int64_t set = in_set_, product = in_phase_ - y;
    if (product < 0) {
      --set;
      product += plan.spacing;
    }
    if (set < 0 || set >= sets_per_round_ || product >= plan.m) continue;
    const std::int64_t column = (slot - y + rows) % rows;
    accumulate(plan, set, product, y, columns_.data() + column * x, kern[y]);
  }
}

void Array::accumulate(const Plan& plan, std::int64_t set, std::int64_t product, int row, const float* inp,
                       float kern) {
  const int x = plan.alpha.x;
  const std::int64_t element = (set % kSlots) * plan.alpha.y + row;
  float* const element_partials = partial_.data() + element * kPartials * x;
  if (product == 0) std::fill_n(element_partials, kPartials * x, 0.0F);
  float* const sums = element_partials + (product % kPartials) * x;
  for (int column = 0; column < x; ++column) sums[column] += inp[column] * kern;
}

void Array::result(const Plan& plan, float* token) const {
  const int x = plan.alpha.x;
  const std::int64_t element = (out_set_ % kSlots) * plan.alpha.y + out_phase_;
  const float* const p = partial_.data() + element * kPartials * x;
  for (int i = 0; i < x; ++i) token[i] = fp32::canonical((p[i] + p[x + i]) + (p[2 * x + i] + p[3 * x + i]));
}

}  // namespace weft::fpgpt

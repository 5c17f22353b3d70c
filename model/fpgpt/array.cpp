#include "model/fpgpt/array.h"

#include <algorithm>

namespace weft::fpgpt {

ArrayRounds array_rounds(const Plan& plan) {
  const std::int64_t beyond = plan.alpha.y + plan.alpha.format.final_add_cycles(), rounds = plan.groups * plan.passes;
  if (!plan.alpha.profile.overlap_drain) return {rounds, plan.sets, plan.sets * plan.spacing + beyond};
  const std::int64_t sets = plan.sets * rounds;
  return {1, sets, (sets - 1) * plan.spacing + plan.m + beyond};
}

Array::Array(const Plan& plan) {
  const ArrayRounds rounds = array_rounds(plan);
  rounds_left_ = rounds.rounds;
  sets_per_round_ = rounds.sets;
  cycles_per_round_ = rounds.cycles;
  out_delay_ = plan.m + plan.alpha.format.final_add_cycles();
  if (!plan.with_data) return;
  if (plan.alpha.format.is_fixed()) {
    data_.emplace<ArrayData<FixedPoint>>(plan);
  } else {
    data_.emplace<ArrayData<Fp32>>(plan);
  }
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
  Word* const token = emit ? out.push(now) : nullptr;
  if (plan.with_data) compute(plan, token, take_inp ? inp.front() : nullptr, take_kern ? kern.front() : nullptr);
  if (take_inp) inp.pop(now);
  if (take_kern) kern.pop(now);
  advance(plan);
  return Activity::Active;
}

// Reads the result before the cycle's products are added, because a new sum may begin in this cycle.
void Array::compute(const Plan& plan, Word* result, const Word* inp, const Word* kern) {
  if (auto* const fixed = std::get_if<ArrayData<FixedPoint>>(&data_)) return compute(*fixed, plan, result, inp, kern);
  if (auto* const fp32 = std::get_if<ArrayData<Fp32>>(&data_)) compute(*fp32, plan, result, inp, kern);
}

template <class Data>
void Array::compute(Data& data, const Plan& plan, Word* result, const Word* inp, const Word* kern) {
  if (result) overflows_ += data.result(plan, out_set_, out_phase_, result);
  if (kern) data.multiply(plan, {cycle_, in_set_, in_phase_, sets_per_round_}, inp, kern);
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
  out_delay_ = plan.m + plan.alpha.format.final_add_cycles();
  --rounds_left_;
}

std::int64_t Array::cycle_of(const Plan& plan, const Anchor& at) const {
  const std::int64_t of_set = at.set(plan) * plan.spacing + at.phase(plan);
  if (plan.alpha.profile.overlap_drain) return at.round * plan.sets * plan.spacing + of_set;
  return at.round * cycles_per_round_ + of_set;
}

void Array::seek(const Plan& plan, std::int64_t cycle) {
  const std::int64_t delay = plan.m + plan.alpha.format.final_add_cycles();
  rounds_left_ = array_rounds(plan).rounds - cycle / cycles_per_round_;
  cycle_ = cycle % cycles_per_round_;
  in_set_ = std::min(cycle_ / plan.spacing, sets_per_round_);
  in_phase_ = cycle_ - in_set_ * plan.spacing;
  out_delay_ = std::max<std::int64_t>(delay - cycle_, 0);
  const std::int64_t given = std::max<std::int64_t>(cycle_ - delay, 0);
  out_set_ = given / plan.spacing;
  out_phase_ = given % plan.spacing;
}

// With overlap_drain the array has one round, so positions count sets and cycles of the whole convolution.
void Array::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const bool overlap = plan.alpha.profile.overlap_drain;
  const std::int64_t first_set = (overlap ? at.round * plan.sets : 0) + at.set(plan), phase = at.phase(plan);
  state.from(rounds_left_, overlap ? 0 : plan.groups * plan.passes - at.round);
  state.from(cycle_, first_set * plan.spacing + phase);
  state.from(in_set_, first_set);
  state.from(in_phase_, phase);
  state.value(out_delay_);
  state.from(out_set_, first_set);
  state.from(out_phase_, phase);
}

}  // namespace weft::fpgpt

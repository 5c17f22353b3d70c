#include "model/fpgpt/out_constructor.h"

#include <algorithm>

#include "model/fpgpt/kern_feeder.h"
#include "model/fpgpt/numbers.h"

namespace weft::fpgpt {

OutConstructorFgi::OutConstructorFgi(const Plan& plan) : fill_groups_left_(plan.passes * plan.groups) {
  if (!plan.with_data) return;
  for (auto& half : words_) half.resize(static_cast<std::size_t>(plan.alpha.y * plan.sets * plan.alpha.x));
}

Activity OutConstructorFgi::step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
  const bool fill_pending = fill_groups_left_ > 0 && !full_[static_cast<std::size_t>(fill_half_)];
  const bool drain_pending = full_[static_cast<std::size_t>(drain_half_)];
  const bool filling = fill_pending && in.can_pop(now);
  const bool draining = drain_pending && out.can_push(now);
  if (filling) fill(now, plan, in);
  if (draining) drain(now, plan, out);
  if (filling || draining) return Activity::Active;
  if (drain_pending) return Activity::Blocked;
  return fill_pending ? Activity::Starved : Activity::Idle;
}

void OutConstructorFgi::fill(Cycles now, const Plan& plan, Fifo& in) {
  const auto half = static_cast<std::size_t>(fill_half_);
  if (plan.with_data) {
    std::copy_n(in.front(), plan.alpha.x, words_[half].begin() + (fill_row_ * plan.sets + fill_set_) * plan.alpha.x);
  }
  in.pop(now);
  if (++fill_row_ < plan.alpha.y) return;
  fill_row_ = 0;
  if (++fill_set_ < plan.sets) return;
  fill_set_ = 0;
  full_[half] = true;
  fill_half_ ^= 1;
  --fill_groups_left_;
}

void OutConstructorFgi::drain(Cycles now, const Plan& plan, Fifo& out) {
  const auto half = static_cast<std::size_t>(drain_half_);
  if (Word* const token = out.push(now)) {
    const int columns = plan.columns(drain_set_);
    std::copy_n(words_[half].begin() + (drain_row_ * plan.sets + drain_set_) * plan.alpha.x, columns, token);
    std::fill(token + columns, token + plan.alpha.x, Word{});
  }
  if (++drain_set_ < plan.sets) return;
  drain_set_ = 0;
  if (++drain_row_ < plan.rows(drain_group_)) return;
  drain_row_ = 0;
  full_[half] = false;
  drain_half_ ^= 1;
  if (++drain_group_ == plan.groups) drain_group_ = 0;
}

void OutConstructorFgi::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const std::int64_t rounds = plan.passes * plan.groups;
  state.from(fill_groups_left_, rounds - at.round);
  state.value(fill_set_);
  state.value(fill_row_);
  relative_halves(state, full_, drain_half_, fill_half_);
  state.value(drain_row_);
  state.value(drain_set_);
  if (!state.loading()) return;
  const std::int64_t drained = rounds - fill_groups_left_ - (full_[0] ? 1 : 0) - (full_[1] ? 1 : 0);
  drain_group_ = drained % plan.groups;
}

namespace {

// Adds a row of results to the stored sums (NUM-4, NUM-7); returns the number of sums that exceed 32 bits.
template <class Numbers>
std::int64_t add_rows(Word* sums, const Word* row, int words) {
  std::int64_t overflows = 0;
  for (int i = 0; i < words; ++i) sums[i] = Numbers::add(sums[i], row[i], overflows);
  return overflows;
}

}  // namespace

OutConstructorGw::OutConstructorGw(const Plan& plan) : drain_total_(plan.beta.n_out() * plan.beta.c_out() * plan.sets) {
  if (plan.with_data) words_.resize(static_cast<std::size_t>(drain_total_ * plan.alpha.x));
}

Activity OutConstructorGw::step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
  if (a_ < plan.beta.a) {
    if (!in.can_pop(now)) return Activity::Starved;
    fill(now, plan, in);
    return Activity::Active;
  }
  if (drained_ == drain_total_) return Activity::Idle;
  if (!out.can_push(now)) return Activity::Blocked;
  drain(now, plan, out);
  return Activity::Active;
}

void OutConstructorGw::relative(Relative& state, const Plan& plan, const Anchor& at) {
  std::int64_t round = (a_ * plan.beta.n_inp + channel_) * plan.groups + group_;
  state.from(round, at.round);
  state.value(set_);
  state.value(row_);
  state.value(drained_);
  if (!state.loading()) return;
  group_ = round % plan.groups;
  channel_ = round / plan.groups % plan.beta.n_inp;
  a_ = round / plan.groups / plan.beta.n_inp;
}

void OutConstructorGw::fill(Cycles now, const Plan& plan, Fifo& in) {
  if (plan.with_data && row_ < plan.rows(group_)) {
    const std::int64_t map = (group_ * plan.alpha.y + row_) * plan.beta.c_out() + channel_;
    Word* const sums = words_.data() + (map * plan.sets + set_) * plan.alpha.x;
    const Word* const row = in.front();
    if (a_ == 0) {
      std::copy_n(row, plan.alpha.x, sums);
    } else if (plan.alpha.format.is_fixed()) {
      overflows_ += add_rows<FixedPoint>(sums, row, plan.alpha.x);
    } else {
      overflows_ += add_rows<Fp32>(sums, row, plan.alpha.x);
    }
  }
  in.pop(now);
  if (++row_ < plan.alpha.y) return;
  row_ = 0;
  if (++set_ < plan.sets) return;
  set_ = 0;
  if (++group_ < plan.groups) return;
  group_ = 0;
  if (++channel_ < plan.beta.n_inp) return;
  channel_ = 0;
  ++a_;
}

void OutConstructorGw::drain(Cycles now, const Plan& plan, Fifo& out) {
  if (Word* const token = out.push(now)) {
    const int columns = plan.columns(drained_ % plan.sets);
    std::copy_n(words_.begin() + drained_ * plan.alpha.x, columns, token);
    std::fill(token + columns, token + plan.alpha.x, Word{});
  }
  ++drained_;
}

}  // namespace weft::fpgpt

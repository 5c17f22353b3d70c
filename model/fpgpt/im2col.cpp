#include "model/fpgpt/im2col.h"

#include <algorithm>

#include "model/fpgpt/kern_feeder.h"

namespace weft::fpgpt {

Im2col::Im2col(const Plan& plan)
    : groups_per_window_(ceil_div(plan.z_channel, plan.alpha.z)),
      fill_windows_(plan.inp.count()),
      emit_windows_(plan.inp.count()) {
  if (!plan.with_data) return;
  for (auto& half : words_) half.assign(static_cast<std::size_t>(groups_per_window_) * plan.alpha.z, Word{});
  lane_row_.resize(static_cast<std::size_t>(plan.alpha.x));
  lane_column_.resize(lane_row_.size());
  start_set(plan);
}

Activity Im2col::step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
  const bool emit_pending = full_[static_cast<std::size_t>(emit_half_)];
  const bool fill_pending = fill_windows_ > 0 && !full_[static_cast<std::size_t>(fill_half_)];
  const bool emitting = emit_pending && out.can_push(now);
  const bool filling = fill_pending && in.can_pop(now);
  if (filling) fill(now, plan, in);
  if (emitting) emit(now, plan, out);
  if (filling || emitting) return Activity::Active;
  if (emit_pending) return Activity::Blocked;
  return fill_pending ? Activity::Starved : Activity::Idle;
}

void Im2col::fill(Cycles now, const Plan& plan, Fifo& in) {
  const auto half = static_cast<std::size_t>(fill_half_);
  if (const Word* const token = in.front(); in.with_data()) {
    std::copy_n(token, plan.alpha.z, words_[half].begin() + fill_groups_ * plan.alpha.z);
  }
  in.pop(now);
  if (++fill_groups_ < groups_per_window_) return;
  fill_groups_ = 0;
  full_[half] = true;
  fill_half_ ^= 1;
  --fill_windows_;
}

void Im2col::emit(Cycles now, const Plan& plan, Fifo& out) {
  if (Word* const token = out.push(now)) column(plan, token);
  if (++emit_position_ < plan.positions) return;
  emit_position_ = 0;
  full_[static_cast<std::size_t>(emit_half_)] = false;
  emit_half_ ^= 1;
  --emit_windows_;
  if (!plan.with_data || ++emit_channel_ < plan.beta.c) return;
  emit_channel_ = 0;
  emit_set_ = (emit_set_ + 1) % plan.sets;
  start_set(plan);
}

// The halves are interchangeable: the one that is emitted next is restored as half 0.
void Im2col::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const std::int64_t left = plan.inp.count() - at.window(plan);
  state.from(fill_windows_, left);
  state.value(fill_groups_);
  state.from(emit_windows_, left);
  state.value(emit_position_);
  relative_halves(state, full_, emit_half_, fill_half_);
}

void Im2col::start_set(const Plan& plan) {
  for (int lane = 0; lane < plan.alpha.x; ++lane) {
    const std::int64_t output = emit_set_ * plan.alpha.x + lane;
    const auto i = static_cast<std::size_t>(lane);
    lane_row_[i] = output < plan.beta.out_map() ? static_cast<int>(output / plan.beta.w.out) : -1;
    lane_column_[i] = static_cast<int>(output % plan.beta.w.out);
  }
}

void Im2col::column(const Plan& plan, Word* token) const {
  const conv::Convolution& c = plan.beta;
  const int columns = c.w.kern_dilated();
  const int i = static_cast<int>(emit_position_ / columns), j = static_cast<int>(emit_position_ % columns);
  const std::vector<Word>& half = words_[static_cast<std::size_t>(emit_half_)];
  const Words start = plan.inp.start[static_cast<std::size_t>(emit_set_)];
  for (std::size_t lane = 0; lane < lane_row_.size(); ++lane) {
    token[lane] = Word{};
    if (lane_row_[lane] < 0) continue;
    const int y = c.h.sample(lane_row_[lane], i), x = c.w.sample(lane_column_[lane], j);
    if (y >= 0 && x >= 0) token[lane] = half[static_cast<std::size_t>(Words{y} * c.w.inp + x - start)];
  }
}

}  // namespace weft::fpgpt

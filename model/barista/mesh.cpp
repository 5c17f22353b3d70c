#include "model/barista/mesh.h"

#include <algorithm>

#include "kernels/fp32.h"

namespace weft::barista {

Mesh::Mesh(const Plan& plan) : tiles_left_(plan.tiles.k), outputs_left_(plan.tiles.outputs()) {
  if (!plan.with_data) return;
  const auto outputs = static_cast<std::size_t>(plan.alpha.c_tile_words());
  if (plan.alpha.format.is_fixed()) {
    sums_.assign(outputs, 0);
  } else {
    partial_.assign(static_cast<std::size_t>(plan.alpha.partials) * outputs, 0.0F);
  }
}

Activity Mesh::step(Cycles now, const Plan& plan, Fifo& a, Fifo& b, Fifo& c) {
  steady_ = false;
  if (phase_ == Phase::Waiting) {
    if (outputs_left_ == 0) return Activity::Idle;
    const bool has_a = a.can_pop(now);
    if (!has_a || !b.can_pop(now)) {
      missing_ = has_a ? 1 : 0;
      return Activity::Starved;
    }
    phase_ = Phase::Multiplying;
    event_ = now + plan.alpha.mesh_cycles() - 1;
    // The values do not depend on the cycle in which an element sees a product.
    if (plan.with_data) multiply(plan, a.front(), b.front());
  }
  if (now < event_) {
    steady_ = true;
    return Activity::Active;
  }
  if (phase_ == Phase::Multiplying) {
    a.pop(now);
    b.pop(now);
    phase_ = --tiles_left_ > 0 ? Phase::Waiting : Phase::Adding;
    event_ = now + plan.alpha.final_add_cycles();
    return Activity::Active;
  }
  if (!c.can_push(now)) return Activity::Blocked;
  Word* const token = c.push(now);
  if (plan.with_data) add_up(plan, token);
  phase_ = Phase::Waiting;
  tiles_left_ = plan.tiles.k;
  --outputs_left_;
  return Activity::Active;
}

void Mesh::multiply(const Plan& plan, const Word* a, const Word* b) {
  if (plan.alpha.format.is_fixed()) return multiply_fixed(plan, a, b);
  const int tr = plan.alpha.tr, tc = plan.alpha.tc, tp = plan.alpha.tp;
  for (int p = 0; p < tp; ++p) {
    float* const sums = partial_.data() + std::ptrdiff_t{p % plan.alpha.partials} * tr * tc;
    for (int row = 0; row < tr; ++row) {
      const float left = from_bits(a[row * tp + p].bits);
      for (int column = 0; column < tc; ++column) sums[row * tc + column] += left * from_bits(b[p * tc + column].bits);
    }
  }
}

// BAR-6: sums ((+0 + s_0) + s_1) + ... per output; each output starts from +0.
void Mesh::add_up(const Plan& plan, Word* token) {
  if (plan.alpha.format.is_fixed()) return add_up_fixed(token);
  const auto outputs = static_cast<std::ptrdiff_t>(plan.alpha.c_tile_words());
  for (std::ptrdiff_t i = 0; i < outputs; ++i) {
    float sum = 0.0F;
    for (int partial = 0; partial < plan.alpha.partials; ++partial) {
      sum += partial_[static_cast<std::size_t>(partial * outputs + i)];
    }
    token[i] = {bits(fp32::canonical(sum))};
  }
  std::fill(partial_.begin(), partial_.end(), 0.0F);
}

void Mesh::multiply_fixed(const Plan& plan, const Word* a, const Word* b) {
  const int tr = plan.alpha.tr, tc = plan.alpha.tc, tp = plan.alpha.tp;
  for (int p = 0; p < tp; ++p) {
    for (int row = 0; row < tr; ++row) {
      const std::int64_t left = static_cast<std::int32_t>(a[row * tp + p].bits);
      std::int64_t* const sums = sums_.data() + std::ptrdiff_t{row} * tc;
      for (int column = 0; column < tc; ++column) {
        sums[column] += left * static_cast<std::int32_t>(b[p * tc + column].bits);
      }
    }
  }
}

// BAR-10: the order of partial sums does not matter modulo 2^32.
void Mesh::add_up_fixed(Word* token) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const auto word = static_cast<std::uint32_t>(sums_[i]);
    overflows_ += static_cast<std::int32_t>(word) == sums_[i] ? 0 : 1;
    token[i] = {word};
  }
  std::fill(sums_.begin(), sums_.end(), 0);
}

Activity Drain::step(Cycles now, const Plan& plan, Fifo& tile, Fifo& row) {
  if (tiles_left_ == 0) return Activity::Idle;
  if (!tile.can_pop(now)) return Activity::Starved;
  if (!row.can_push(now)) return Activity::Blocked;
  if (Word* const token = row.push(now)) {
    std::copy_n(tile.front() + std::ptrdiff_t{row_} * plan.alpha.tc, plan.alpha.tc, token);
  }
  if (++row_ < plan.alpha.tr) return Activity::Active;
  row_ = 0;
  tile.pop(now);
  --tiles_left_;
  return Activity::Active;
}

Activity TileFill::step(Cycles now, Fifo& beat, Fifo& tile) {
  if (tiles_left_ == 0) return Activity::Idle;
  if (!tile.can_push(now)) return Activity::Blocked;
  if (!beat.can_pop(now)) return Activity::Starved;
  if (const Word* const words = beat.front()) words_.insert(words_.end(), words, words + beat.width());
  beat.pop(now);
  if (--beats_left_ > 0) return Activity::Active;
  if (Word* const token = tile.push(now)) std::copy_n(words_.begin(), tile.width(), token);
  words_.clear();
  beats_left_ = beats_;
  --tiles_left_;
  return Activity::Active;
}

}  // namespace weft::barista

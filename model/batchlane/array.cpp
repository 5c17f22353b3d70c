#include "model/batchlane/array.h"

#include <algorithm>

namespace weft::batchlane {

Array::Array(const Plan& plan)
    : workers_(static_cast<std::size_t>(plan.workers)), why_(workers_.size(), Wait::Channel) {
  seen_.fill(-1);
}

Activity Array::step(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers) {
  const std::array<std::int64_t, 5> seen{fifos.channel.pushed_before(now), fifos.strip.pushed_before(now),
                                         fifos.gradients.pushed_before(now), fifos.bank.popped_before(now),
                                         fifos.channel.popped_before(now)};
  if (seen != seen_ || (next_end_ >= 0 && now >= next_end_)) {
    seen_ = seen;
    look(now, plan, fifos, buffers);
  }
  const bool moved = release(now, plan, fifos);
  steady_ = !moved;
  if (moved || waiting_[static_cast<std::size_t>(Wait::None)] > 0) return Activity::Active;
  if (full_ || waiting_[static_cast<std::size_t>(Wait::Bank)] > 0) return Activity::Blocked;
  return waiting_[static_cast<std::size_t>(Wait::Done)] == plan.workers ? Activity::Idle : Activity::Starved;
}

// Starts the next work of every idle worker.
void Array::look(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers) {
  waiting_.fill(0);
  next_end_ = -1;
  finished_ = plan.steps();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Wait why = advance(now, plan, fifos, buffers, static_cast<int>(i));
    ++waiting_[static_cast<std::size_t>(why)];
    finished_ = std::min(finished_, workers_[i].step);
    if (why == Wait::None && (next_end_ < 0 || workers_[i].end < next_end_)) next_end_ = workers_[i].end;
  }
}

// PE-1: ends a completed step, skips steps in which the worker has no kernel, and begins the next with kernels.
Wait Array::advance(Cycles now, const Plan& plan, const ArrayFifos& fifos, Buffers& buffers, int index) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  if (worker.end > now) return Wait::None;
  if (worker.end >= 0) {
    if (plan.with_data) buffers.accumulate(plan, worker.step, index);
    ++worker.step;
    worker.end = -1;
  }
  for (; worker.step < plan.steps(); ++worker.step) {
    if (plan.kind == conv::Kind::GW) {
      if (seen_[2] <= plan.block_of(worker.step)) return Wait::Gradients;
    } else if (const std::int64_t unit = plan.unit_of(worker.step); worker.unit != unit) {
      if (seen_[3] < unit - 1) return Wait::Bank;  // PE-5
      worker.unit = unit;
      if (plan.with_data) buffers.clear(plan, unit, index);
    }
    if (seen_[0] <= worker.step) {
      return seen_[0] - seen_[4] >= fifos.channel.depth() ? Wait::Imbalance : Wait::Channel;
    }
    if (seen_[1] <= worker.step) return Wait::Strip;
    const Cycles cycles = plan.kept_of(worker.step, index) * plan.tile_of(worker.step).cycles;
    if (cycles == 0) continue;
    worker.end = now + cycles;
    return Wait::None;
  }
  return Wait::Done;
}

// PE-6, PE-7: releases at most one buffer and one result per cycle.
bool Array::release(Cycles now, const Plan& plan, const ArrayFifos& fifos) {
  bool moved = false;
  full_ = false;
  if (freed_ < finished_) {
    const bool gw = plan.kind == conv::Kind::GW, kernels = gw && plan.kernels_of(freed_) > 0;
    if (kernels && !fifos.partial.can_push(now)) {
      full_ = true;
    } else {
      if (kernels) fifos.partial.push(now);
      fifos.channel.pop(now);
      fifos.strip.pop(now);
      ++freed_;
      if (gw && freed_ % plan.streamed == 0) fifos.gradients.pop(now);
      moved = true;
    }
  }
  if (plan.kind != conv::Kind::GW && banks_ < plan.unit_of(finished_)) {
    fifos.bank.push(now);
    ++banks_;
    moved = true;
  }
  return moved;
}

}  // namespace weft::batchlane

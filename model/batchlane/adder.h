#pragma once

#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"

namespace weft::batchlane {

// Adds up the partial sums of a strip over the PEs of a group and the lanes (ADD-1): one strip at a time.
class Adder {
 public:
  Adder() = default;
  explicit Adder(const Plan& plan) {
    for (std::int64_t step = 0; plan.kind == conv::Kind::GW && step < plan.steps(); ++step) {
      left_ += plan.kernels_of(step) > 0 ? 1 : 0;
    }
  }

  Activity step(Cycles now, const Plan& plan, Fifo& partial, Fifo& sum) {
    if (left_ == 0) return Activity::Idle;
    if (last_ < 0) {
      if (!partial.can_pop(now)) return Activity::Starved;
      last_ = now + plan.adder_cycles() - 1;
    }
    if (now < last_) return Activity::Active;
    if (!sum.can_push(now)) return Activity::Blocked;
    partial.pop(now);
    sum.push(now);
    last_ = -1;
    --left_;
    return Activity::Active;
  }
  // Whether it is at a strip that it will be at in the next cycle too.
  bool steady(Cycles now) const { return last_ > now; }
  Cycles quiet_until(Cycles now) const { return last_ >= now ? last_ : kNever; }

 private:
  std::int64_t left_ = 0;  // strips
  Cycles last_ = -1;       // cycle of the strip it is at
};

}  // namespace weft::batchlane

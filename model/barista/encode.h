#pragma once

#include "model/barista/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/regroup.h"

namespace weft::barista {

// Rows of Tc words in, beats of the dense run of C out (BAR-8).
class Encode {
 public:
  Encode() = default;
  explicit Encode(const Plan& plan) : buffer_(plan.alpha.band - 1 + plan.alpha.tc, plan.with_data), beats_(plan.c) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
    if (beats_.done(plan.c)) return Activity::Idle;
    bool took = false, gave = false;
    const Activity activity =
        buffer_.step(now, beats_.lanes(), plan.alpha.tc, 0, beats_.first_lane(), in, out, took, gave);
    if (gave) beats_.advance(plan.c);
    return activity;
  }

 private:
  stream::RegroupBuffer buffer_;
  stream::WriteBeats beats_;
};

}  // namespace weft::barista

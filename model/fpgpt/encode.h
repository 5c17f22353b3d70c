#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/plan.h"
#include "model/stream/regroup.h"

namespace weft::fpgpt {

// Rows of up to X words in, beats out (A.3.4; CONTRACT.md, "Encode"): the words of a dense run follow each other
// without gaps, across maps and images.
class Encode {
 public:
  Encode() = default;
  explicit Encode(const Plan& plan) : buffer_(plan.out.band - 1 + plan.alpha.x, plan.with_data), beats_(plan.out) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
    if (beats_.done(plan.out)) return Activity::Idle;
    bool took = false, gave = false;
    const Activity activity =
        buffer_.step(now, beats_.lanes(), plan.columns(set_), 0, beats_.first_lane(), in, out, took, gave);
    if (took && ++set_ == plan.sets) set_ = 0;
    if (gave) beats_.advance(plan.out);
    return activity;
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at) {
    buffer_.relative(state);
    beats_.relative(state, plan.out, at.out_words(plan));
    state.value(set_);
  }

 private:
  stream::RegroupBuffer buffer_;
  stream::WriteBeats beats_;
  std::int64_t set_ = 0;  // X-set of the next row taken
};

}  // namespace weft::fpgpt

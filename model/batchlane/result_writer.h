#pragma once

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/transfer.h"

namespace weft::batchlane {

// Adds up the partial sums of a strip over the PEs of a group and the lanes (ADD-1), one strip at a time.
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
  // True if the next cycle works on the same strip.
  bool steady(Cycles now) const { return last_ > now; }
  Cycles quiet_until(Cycles now) const { return last_ >= now ? last_ : kNever; }

 private:
  std::int64_t left_ = 0;  // strips left
  Cycles last_ = -1;       // last cycle of the current strip; -1: none
};

// Writes the outputs of a bank, or in GW the sums of a strip, one transfer at a time (RW-1 to RW-3).
class ResultWriter {
 public:
  ResultWriter() = default;
  explicit ResultWriter(const Plan& plan) : transfer_(plan.alpha.result_port, Alpha::kBeatBytes) { skip_empty(plan); }

  bool busy() const { return transfer_.busy(); }
  bool wants(Cycles now, const Plan& plan, const Fifo& bank, const Fifo& sum) const {
    return !busy() && !done(plan) && source(plan, bank, sum).can_pop(now);
  }
  Activity step(Cycles now, const Plan& plan, bool granted, stream::WritePort& port, Fifo& bank, Fifo& sum,
                Buffers& buffers);
  Cycles quiet_until(Cycles now, const stream::WritePort& port) const { return transfer_.quiet_until(now, port); }
  bool done(const Plan& plan) const { return !busy() && at_ == end(plan); }

 private:
  static bool of_strips(const Plan& plan) { return plan.kind == conv::Kind::GW; }
  static std::int64_t end(const Plan& plan) { return of_strips(plan) ? plan.steps() : plan.units(); }
  template <class F>
  static F& source(const Plan& plan, F& bank, F& sum) {
    return of_strips(plan) ? sum : bank;
  }
  // GW: skips strips without kernels, which have no token.
  void skip_empty(const Plan& plan) {
    while (of_strips(plan) && at_ < plan.steps() && plan.kernels_of(at_) == 0) ++at_;
  }
  stream::Transfer next(const Plan& plan) const;
  void fill(const Plan& plan, stream::WritePort& port, Bytes offset, Buffers& buffers) const;

  stream::TransferWriter transfer_;
  std::int64_t at_ = 0;  // unit being written; in GW the step
  int output_ = 0;       // of the unit
};

}  // namespace weft::batchlane

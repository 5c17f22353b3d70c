#pragma once

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/transfer.h"

namespace weft::batchlane {

// Writes the outputs of a bank, in GW the sums of a strip, one transfer after the other (RW-1 to RW-3).
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
  // GW: no strip without kernels has a token.
  void skip_empty(const Plan& plan) {
    while (of_strips(plan) && at_ < plan.steps() && plan.kernels_of(at_) == 0) ++at_;
  }
  stream::Transfer next(const Plan& plan) const;
  void fill(const Plan& plan, stream::WritePort& port, Bytes offset, Buffers& buffers) const;

  stream::TransferWriter transfer_;
  std::int64_t at_ = 0;  // the unit, in GW the step, that is written
  int output_ = 0;       // of the unit
};

}  // namespace weft::batchlane

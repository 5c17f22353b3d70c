#pragma once

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/transfer.h"

namespace weft::batchlane {

// Reads the channels of every unit, and before them in GW the output gradients of its block (FR-1 to FR-4).
class FeatureReader {
 public:
  FeatureReader() = default;
  explicit FeatureReader(const Plan& plan) : transfer_(plan.alpha.feature_port, Alpha::kBeatBytes) {}

  bool busy() const { return transfer_.busy(); }
  bool done(const Plan& plan) const { return step_ == plan.steps(); }
  // Whether its next transfer has a buffer to go to.
  bool wants(Cycles now, const Plan& plan, const Fifo& channel, const Fifo& gradients) const;
  // `granted`: it may begin.
  Activity step(Cycles now, const Plan& plan, bool granted, stream::ReadPort& port, Fifo& channel, Fifo& gradients,
                Buffers& buffers);
  Cycles quiet_until(Cycles now, const stream::ReadPort& port) const { return transfer_.quiet_until(now, port); }

 private:
  // The next transfer is one of output gradients.
  bool loads_gradients(const Plan& plan) const {
    return plan.kind == conv::Kind::GW && step_ % plan.streamed == 0 && output_ < plan.outputs_of(plan.block_of(step_));
  }
  stream::Transfer next(const Plan& plan) const;
  void take(const Plan& plan, const stream::ReadPort& port, Buffers& buffers);
  void finish(Cycles now, const Plan& plan, Fifo& channel, Fifo& gradients);

  stream::TransferReader transfer_;
  std::int64_t step_ = 0;  // that is read next, or being read
  int of_group_ = 0;       // channel of the step that is read next (DN-4)
  int output_ = 0;         // GW: of its block, whose gradients are read next
  Bytes come_ = 0;         // bytes of whole beats of the transfer that have come
};

}  // namespace weft::batchlane

#pragma once

#include <vector>

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"
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

// Reads the kept kernels of each unit, one run of bytes a unit, and hands them on strip by strip (CR-1 to CR-4).
class CsbReader {
 public:
  CsbReader() = default;
  explicit CsbReader(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, stream::ReadPort& port, Fifo& strip, Buffers& buffers);
  Cycles quiet_until(Cycles now, const Plan& plan, const stream::ReadPort& port) const {
    const bool waits_for_place = step_ == plan.steps() || come_ >= plan.strip_end_address(plan.strip(step_));
    return waits_for_place ? kNever : std::max(now, port.data.next_visible());
  }

 private:
  void ask(const Plan& plan, stream::ReadPort& port);
  void start_request(const Plan& plan);
  void start_unit(const Plan& plan);
  void hand_on(const Plan& plan, Buffers& buffers);

  std::int64_t ask_unit_ = 0;  // that is asked for
  Address ask_next_ = 0;
  std::int64_t ask_left_ = 0;           // beats of it
  std::int64_t asked_ = 0, taken_ = 0;  // beats, since the start
  std::vector<std::int64_t> burst_ends_;

  std::int64_t step_ = 0;           // whose strip is handed on next
  Address come_ = 0;                // the address up to which the unit's kernels have come
  Address beats_from_ = 0;          // of the first beat of the unit
  std::vector<std::int8_t> bytes_;  // data mode: what has come of the unit, from there on
};

}  // namespace weft::batchlane

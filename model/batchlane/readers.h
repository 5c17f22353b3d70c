#pragma once

#include <vector>

#include "model/batchlane/buffers.h"
#include "model/batchlane/plan.h"
#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"
#include "model/stream/transfer.h"

namespace weft::batchlane {

// Reads the channels of every unit; in GW first the output gradients of the unit's block (FR-1 to FR-4).
class FeatureReader {
 public:
  FeatureReader() = default;
  explicit FeatureReader(const Plan& plan) : transfer_(plan.alpha.feature_port, Alpha::kBeatBytes) {}

  bool busy() const { return transfer_.busy(); }
  bool done(const Plan& plan) const { return step_ == plan.steps(); }
  // True if the next transfer has a free buffer.
  bool wants(Cycles now, const Plan& plan, const Fifo& channel, const Fifo& gradients) const;
  // `granted`: true if the reader may begin a transfer.
  Activity step(Cycles now, const Plan& plan, bool granted, stream::ReadPort& port, Fifo& channel, Fifo& gradients,
                Buffers& buffers);
  Cycles quiet_until(Cycles now, const stream::ReadPort& port) const { return transfer_.quiet_until(now, port); }

 private:
  // True if the next transfer reads output gradients.
  bool loads_gradients(const Plan& plan) const {
    return plan.kind == conv::Kind::GW && step_ % plan.streamed == 0 && output_ < plan.outputs_of(plan.block_of(step_));
  }
  stream::Transfer next(const Plan& plan) const;
  void take(const Plan& plan, const stream::ReadPort& port, Buffers& buffers);
  void finish(Cycles now, const Plan& plan, Fifo& channel, Fifo& gradients);

  stream::TransferReader transfer_;
  std::int64_t step_ = 0;  // step being read, or read next
  int of_group_ = 0;       // channel within the step that is read next (DN-4)
  int output_ = 0;         // GW: output of the block whose gradients are read next
  Bytes come_ = 0;         // bytes received of the transfer, in whole beats
};

// Reads the kept kernels, one contiguous run of bytes per unit, and passes them on strip by strip (CR-1 to CR-4).
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

  std::int64_t ask_unit_ = 0;  // unit being requested
  Address ask_next_ = 0;
  std::int64_t ask_left_ = 0;           // beats of the unit left to request
  std::int64_t asked_ = 0, taken_ = 0;  // beats since the start
  std::vector<std::int64_t> burst_ends_;

  std::int64_t step_ = 0;           // step whose strip is passed on next
  Address come_ = 0;                // end address of the kernels received of the unit
  Address beats_from_ = 0;          // address of the first beat of the unit
  std::vector<std::int8_t> bytes_;  // data mode: bytes received of the unit, starting at beats_from_
};

}  // namespace weft::batchlane

#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"
#include "model/engine/intern.h"
#include "model/fpgpt/exact/alignment_fingerprint.h"
#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/interval.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Runs a kernel by itself from the state `bytes` at `anchor` until im2col has emitted `windows` windows more, and fills
// `interval` but for `next`; returns the kernel as it is then. Throws Error if it makes no progress.
Kernel run_unconstrained(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor,
                         std::int64_t windows, WriteAnswer answer, Interval& interval);

// The intervals of convolutions that differ in where their tensors lie alone, and what the readers do in them: learnt
// when they are met first, from then on looked up.
class Memo {
 public:
  // What is sent is kept in `shared`, which outlives the memo.
  Memo(KernelStates& states, const engine::Channels& channels, engine::SharedPool& shared)
      : states_(states), channels_(channels), shared_(shared) {}

  // Whose intervals are asked for from now on.
  void begin(const Setting& setting, WriteAnswer answer) {
    setting_ = &setting;
    answer_ = answer;
    alignment_.begin(*setting.plan, setting.partition.rounds());
    distinct_ = 0;
    recorded_cycles_ = 0;
  }

  // The entry that begins at `sim`, `before` being the one that ended there, if there was one; nullptr if the end of
  // the convolution is too near. Where a entry was followed by another and the tensors look the same, it is followed by
  // it again.
  MemoEntry* after(const MemoEntry* before, const SimState& sim);

  std::int64_t distinct() const { return distinct_; }          // intervals that were learnt since begin() ...
  Cycles recorded_cycles() const { return recorded_cycles_; }  // ... and their cycles

  void evict();                // not the states, nor what is shared
  std::size_t memory() const;  // bytes that are remembered, about

 private:
  MemoEntry* find(const SimState& sim);
  const ReaderInterval* find_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  Key<2> key_of(const SimState& sim);
  Key<2> key_of(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  bool record(const SimState& sim);
  bool record_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  const engine::RequestTrace* trace_of(const MemoEntry& entry, std::size_t channel);
  // Whether the traces of single ports hold all that a walk sends.
  bool traces_hold_all() const { return setting_->is_ddr4() && !channels_.shared(); }

  const Setting* setting_ = nullptr;
  WriteAnswer answer_;
  KernelStates& states_;
  const engine::Channels& channels_;
  engine::SharedPool& shared_;

  AlignmentFingerprint alignment_;
  std::vector<std::unique_ptr<KernelInterval>> kernel_intervals_;
  KeyMap<2> kernel_interval_of_;
  // The same of the readers of INP and KERN.
  std::array<std::vector<std::unique_ptr<ReaderInterval>>, 2> reader_intervals_;
  std::array<KeyMap<2>, 2> reader_interval_of_;
  std::vector<std::unique_ptr<MemoEntry>> entries_;
  KeyMap<2> entry_of_;    // by its parts
  KeyMap<2> next_entry_;  // by the one before it, how all looks, and where in its span it begins
  // By the channel and its ports' traces.
  tsl::robin_map<Key<4>, const engine::RequestTrace*, KeyHash> trace_of_ports_;
  std::size_t recorded_bytes_ = 0;
  std::int64_t distinct_ = 0;
  Cycles recorded_cycles_ = 0;
};

}  // namespace weft::fpgpt::exact

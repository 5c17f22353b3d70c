#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/core/intern.h"
#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"
#include "model/fpgpt/exact/alignment_fingerprint.h"
#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/interval.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/exact/replay.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/states.h"

namespace weft::fpgpt::exact {

// Runs a kernel whose memory never stalls from the state `bytes` at `anchor` until im2col has emitted `windows` more
// windows. Fills `interval` except `next`; returns the kernel at the end. Throws Error if it makes no progress.
Kernel run_unconstrained(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor,
                         std::int64_t windows, WriteAnswer answer, Interval& interval);

// Memoised intervals of the kernel and requests of its readers, for convolutions that differ only in tensor addresses.
class Memo {
 public:
  // `shared`: stores the traces; must outlive the memo.
  Memo(KernelStates& states, const engine::Channels& channels, engine::SharedPool& shared)
      : states_(states), channels_(channels), shared_(shared) {}

  // Begins a convolution.
  void begin(const Setting& setting, WriteAnswer answer) {
    setting_ = &setting;
    answer_ = answer;
    alignment_.begin(*setting.plan, setting.partition.rounds());
    distinct_ = 0;
    recorded_cycles_ = 0;
  }

  // Returns the entry of the interval from `sim` on; nullptr too close to the end of the convolution.
  MemoEntry* find(const SimState& sim);

  std::int64_t distinct() const { return distinct_; }          // intervals recorded since begin()
  Cycles recorded_cycles() const { return recorded_cycles_; }  // cycles of these

  void evict();                // keeps states and traces
  std::size_t memory() const;  // approximate bytes

 private:
  const ReaderInterval* find_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  Key<2> key_of(const SimState& sim);
  Key<2> key_of(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  bool record(const SimState& sim);
  bool record_reader(std::size_t port, const SimState& sim, const KernelInterval& kernel);
  const engine::RequestTrace* trace_of(const MemoEntry& entry, std::size_t channel);
  // Returns true if a replay needs the traces of single ports only.
  bool traces_hold_all() const { return setting_->is_ddr4() && !channels_.shared(); }

  const Setting* setting_ = nullptr;
  WriteAnswer answer_;
  KernelStates& states_;
  const engine::Channels& channels_;
  engine::SharedPool& shared_;

  AlignmentFingerprint alignment_;
  std::vector<std::unique_ptr<KernelInterval>> kernel_intervals_;
  KeyMap<2> kernel_interval_of_;
  std::array<std::vector<std::unique_ptr<ReaderInterval>>, 2> reader_intervals_;  // INP, KERN
  std::array<KeyMap<2>, 2> reader_interval_of_;
  std::vector<std::unique_ptr<MemoEntry>> entries_;
  KeyMap<2> entry_of_;  // key: kernel interval, reader intervals
  tsl::robin_map<Key<4>, const engine::RequestTrace*, KeyHash> trace_of_ports_;  // key: channel, traces of its ports
  std::size_t recorded_bytes_ = 0;
  std::int64_t distinct_ = 0;
  Cycles recorded_cycles_ = 0;
};

}  // namespace weft::fpgpt::exact

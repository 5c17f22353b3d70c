#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/delivery.h"
#include "model/engine/return_queue.h"
#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/interval_partition.h"
#include "model/fpgpt/exact/memo_entry.h"
#include "model/fpgpt/exact/setting.h"
#include "model/fpgpt/exact/trace_bases.h"

namespace weft::fpgpt::exact {

// State of a simulation at an interval boundary.
struct SimState {
  Cycles now = 0;
  std::int64_t windows = 0;                // emitted by im2col
  std::uint32_t state = 0;                 // of the kernel
  std::array<std::uint32_t, 2> readers{};  // INP, KERN
  std::array<engine::ReturnQueue, 2> read;
  std::vector<Cycles> assumed;  // write responses not yet confirmed by the memory
  Cycles last_answer = -1;
  std::vector<engine::ChannelState> channels;

  Anchor anchor(const IntervalPartition& partition) const { return partition.anchor(now, windows); }
  // Returns the next boundary, `cycles` later.
  Anchor end(const IntervalPartition& partition, Cycles cycles) const {
    return partition.anchor(now + cycles, partition.next(windows));
  }
};

// Replays memoised intervals if the memory is fast enough for them.
class Replay {
 public:
  Replay(const Setting& setting, engine::Channels& channels)
      : setting_(setting), channels_(channels), bases_(*setting.plan), delivery_(kPorts) {}

  void begin(SimState sim) { at_ = std::move(sim); }
  const SimState& at() const { return at_; }
  SimState& at() { return at_; }  // for renumbering
  // Replays one interval from at() on. Returns false, and keeps at(), if the memory is too slow for it.
  bool advance(const MemoEntry& entry);
  // Changes by late responses in the last interval replayed.
  const LateResponses& late() const { return late_; }
  // Row hits, misses and conflicts of each port in all intervals replayed.
  const std::array<std::array<std::int64_t, 3>, kPorts>& rows() const { return rows_; }

  void evict() { bases_.evict(); }
  std::size_t memory() const { return bases_.memory(); }  // approximate bytes

 private:
  bool through_ddr4(const MemoEntry& entry);
  bool confirm_late(const MemoEntry& entry);
  void through_ideal(const MemoEntry& entry);

  const Setting& setting_;
  engine::Channels& channels_;
  TraceBases bases_;
  SimState at_, next_;
  engine::Delivery delivery_;
  LateResponses late_;
  std::array<std::array<std::int64_t, 3>, kPorts> rows_{};
};

}  // namespace weft::fpgpt::exact

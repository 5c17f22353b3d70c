#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/engine/delivery.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// Memoised effect of a whole trace with its deviations. Layout in the pool: a TraceSummary, a SummaryLane per lane, the
// stored runs of all lanes. Cycles are relative to the start of the trace.
struct TraceSummary {
  std::uint32_t state;  // of the channel after the trace
  std::int32_t refreshes;
};
// All write responses are stored. Of read beats only the first and last runs are stored, because they interact with the
// neighbouring traces; for the rest, a block that includes the last runs, the number of earlier beats is stored that
// guarantees that none is late.
struct SummaryLane {
  std::int32_t beats;                // read beats; 0 for responses
  std::int32_t late;                 // max(cycle of beat k - k)
  std::uint32_t first_runs, runs;    // stored runs: before the block, and in total
  std::int32_t block_beats;          // in the block
  std::int32_t last_beats;           // of the block, in stored runs; equals block_beats if all are stored
  std::int32_t begin, last;          // first and last cycle of the block
  std::uint32_t schedule;            // number of the schedule that required_lead is for
  std::int32_t required_lead;        // earlier beats by which the block is in time
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class TraceSummaries {
 public:
  using At = WordPool::At<TraceSummary>;

  // Records the effect of a trace from cycle `origin` on, which moved the channel from `before` to `after`. Enough read
  // beats are stored for the queues and schedules in `out`.
  At record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin, const ChannelState& before,
            const ChannelState& after, memory::Nck refi_nck, const Delivery& out);
  // Returns true if the stored beats determine the returns to `out`; otherwise replay the trace by its deviations.
  bool determines(const ChannelPorts& ports, At summary, Cycles origin, const Delivery& out) const;
  // Moves `channel` and delivers the returns; requires determines().
  void replay(const ChannelPorts& ports, At summary, Cycles origin, ChannelState& channel, memory::Nck refi_nck,
              Delivery& out) const;

  void evict() { pool_ = {}; }
  std::size_t memory() const { return pool_.memory(); }  // bytes

 private:
  SummaryLane record_responses(const ChannelPort& port, const PortDelivery& from, Cycles origin);
  SummaryLane record_reads(const ChannelPort& port, const PortDelivery& from, Cycles origin, const PortDelivery& to);
  bool determines(const SummaryLane& lane, WordPool::At<PackedRun> runs, Cycles origin, const PortDelivery& to) const;

  WordPool pool_;
};

}  // namespace weft::engine

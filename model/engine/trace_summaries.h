#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/engine/delivery.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// What a whole trace comes to, with its deviations. In the pool a TraceSummary is followed by
//   - for each lane a SummaryLane,
//   - the runs that are kept of the first lane, of the second, ...
// Cycles are from the start of the trace.
struct TraceSummary {
  std::uint32_t state;  // after it
  std::int32_t refreshes;
};
// Of write responses all runs are kept. Of read beats there are thousands, which mostly are in time and taken: one by
// one are kept the first, which may wait for those before them, and the last, which may be left. Of the others, a block
// that the last ones are part of, it is how many must come before them that they are in time.
struct SummaryLane {
  std::int32_t beats;                // read beats; of a lane of responses only runs and rows are told
  std::int32_t late;                 // max(cycle of beat k - k)
  std::uint32_t first_runs, runs;    // that are kept: of those before the block, and in all
  std::int32_t block_beats;          // in the block
  std::int32_t last_beats;           // of them, whose runs are kept: all, where it is as many
  std::int32_t begin, last;          // cycle of the first and the last beat of the block
  std::uint32_t schedule;            // for these ...
  std::int32_t required_lead;        // ... so many beats must come before the block
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class TraceSummaries {
 public:
  using At = WordPool::At<TraceSummary>;

  // What came of a trace from cycle `origin` on between two positions of the channel, if no beat had to wait for those
  // before them. Of reads so much is kept that it tells what comes to the ports as they are in `out`: with what has
  // come before, and with what they take in this trace.
  At record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin, const ChannelState& before,
            const ChannelState& after, memory::Nck refi_nck, const Delivery& out);
  // Whether what is kept tells what comes to the ports; mostly.
  bool determines(const ChannelPorts& ports, At summary, Cycles origin, const Delivery& out) const;
  // Moves `channel` and delivers, where it tells.
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

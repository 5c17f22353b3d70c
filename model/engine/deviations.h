#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/core/key_map.h"
#include "model/engine/delivery.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// Memoised effect of the few events after a refresh, until the channel is back on its refresh-free path. Layout in the
// pool: a Deviation, a DeviationLane per lane, the runs of all lanes. Cycles are relative to the first event.
struct Deviation {
  std::uint32_t state;  // of the channel after the events
  std::int32_t refreshes;
  std::uint32_t events;  // number of them
};
struct DeviationLane {
  std::int32_t beats;                // read beats or write responses
  std::uint32_t runs;                // PackedRuns
  std::int32_t late;                 // max(cycle of beat k - k)
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class Deviations {
 public:
  using At = WordPool::At<Deviation>;

  // Records the effect of `events` events from cycle `origin` on, which moved the channel from `before` to `after`.
  At record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin, std::size_t events,
            const ChannelState& before, const ChannelState& after, memory::Nck refi_nck);
  // Moves `channel` and delivers the returns; returns the number of events.
  std::size_t replay(const ChannelPorts& ports, At deviation, Cycles origin, ChannelState& channel,
                     memory::Nck refi_nck, Delivery& out) const;

  void prefetch(At deviation) const { pool_.prefetch(deviation); }

  void evict() { pool_ = {}; }
  std::size_t memory() const { return pool_.memory(); }  // bytes

 private:
  WordPool pool_;
};

}  // namespace weft::engine

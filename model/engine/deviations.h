#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/core/key_map.h"
#include "model/engine/delivery.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// What a few events of a trace come to. In the pool a Deviation is followed by
//   - for each lane a DeviationLane,
//   - the runs of the first lane, of the second, ...
// Cycles are from that of the first event.
struct Deviation {
  std::uint32_t state;  // after them
  std::int32_t refreshes;
  std::uint32_t events;  // how many
};
struct DeviationLane {
  std::int32_t beats;                // read beats or write responses, in ...
  std::uint32_t runs;                // ... so many runs
  std::int32_t late;                 // max(cycle of beat k - k)
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class Deviations {
 public:
  using At = WordPool::At<Deviation>;

  // What came of `events` events from cycle `origin` on between two positions of the channel, if no beat had to wait
  // for those before them.
  At record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin, std::size_t events,
            const ChannelState& before, const ChannelState& after, memory::Nck refi_nck);
  // Moves `channel` and delivers; returns the number of events.
  std::size_t replay(const ChannelPorts& ports, At deviation, Cycles origin, ChannelState& channel,
                     memory::Nck refi_nck, Delivery& out) const;

  void prefetch(At deviation) const { pool_.prefetch(deviation); }

  void evict() { pool_ = {}; }
  std::size_t memory() const { return pool_.memory(); }  // bytes

 private:
  WordPool pool_;
};

}  // namespace weft::engine

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/core/key_map.h"
#include "model/engine/delivery.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

// What a few events of a tape come to. In the pool a Detour is followed by
//   - for each lane a DetourLane,
//   - the runs of the first lane, of the second, ...
// Cycles are from that of the first event.
struct Detour {
  std::uint32_t state;  // after them
  std::int32_t refreshes;
  std::uint32_t events;  // how many
};
struct DetourLane {
  std::int32_t beats;                // read beats or write responses, in ...
  std::uint32_t runs;                // ... so many runs
  std::int32_t late;                 // max(cycle of beat k - k)
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class Detours {
 public:
  using At = WordPool::At<Detour>;

  // What came of `events` events from cycle `origin` on between two positions of the channel, if no beat had to wait
  // for those before them.
  At keep(const ChannelPorts& ports, const Delivery& alone, Cycles origin, std::size_t events,
          const ChannelPosition& before, const ChannelPosition& after, memory::Nck refi_nck);
  // Moves `position` and delivers; returns the number of events.
  std::size_t follow(const ChannelPorts& ports, At detour, Cycles origin, ChannelPosition& position,
                     memory::Nck refi_nck, Delivery& out) const;

  void prefetch(At detour) const { pool_.prefetch(detour); }

  void forget() { pool_ = {}; }
  std::size_t memory() const { return pool_.memory(); }  // bytes

 private:
  WordPool pool_;
};

}  // namespace weft::engine

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/engine/delivery.h"
#include "model/engine/key_map.h"
#include "model/engine/word_pool.h"
#include "model/memory/clock_ratio.h"

namespace weft::engine {

// Where a channel is.
struct ChannelPosition {
  std::uint32_t state = 0;
  std::int64_t row = 0;  // that rows are relative to: of the last address
  memory::Nck refresh_due = 0;
};

// What some events of a tape come to. In the pool an Effect is followed by
//   - a NextEffect,
//   - for each lane a LaneEffect,
//   - for each lane an Enough, of its runs,
//   - the runs of the first lane, of the second, ...
// Cycles are from that of the first event.
struct Effect {
  std::uint32_t state;  // after them
  std::int32_t refreshes;
  std::uint32_t events;  // how many
};
// Which effect came behind this one last, and the key by which it was found.
struct NextEffect {
  Key<2>::Halves key;
  std::uint32_t effect;
};
struct LaneEffect {
  std::int32_t beats;                // read beats or write responses, in ...
  std::uint32_t runs;                // ... so many runs
  std::int32_t late;                 // max(cycle of beat k - k)
  std::int32_t last;                 // cycle of the last beat
  std::array<std::int32_t, 3> rows;  // hits, misses, conflicts
};

class Effects {
 public:
  using At = WordPool::At<Effect>;

  // What came of `events` events from cycle `origin` on between two positions of the channel, if no beat had to wait
  // for those before them.
  At keep(const ChannelPorts& ports, const Delivery& alone, Cycles origin, std::size_t events,
          const ChannelPosition& before, const ChannelPosition& after, memory::Nck refi_nck);
  // Moves `position` and delivers; returns the number of events.
  std::size_t follow(const ChannelPorts& ports, At effect, Cycles origin, ChannelPosition& position,
                     memory::Nck refi_nck, Delivery& out);

  // The effect of `key` if it came behind `before` last, or KeyMap<2>::kNone.
  std::uint32_t next(At before, const Key<2>& key) const {
    const NextEffect next = pool_.get(before.behind<NextEffect>(1));
    return next.key == key.halves() ? next.effect : KeyMap<2>::kNone;
  }
  void set_next(At before, const Key<2>& key, At effect) {
    pool_.set(before.behind<NextEffect>(1), NextEffect{key.halves(), effect.word});
  }

  void prefetch(At effect) const { pool_.prefetch(effect); }

  // What was delivered must have been settled (Arrivals::settle()).
  void forget() { pool_ = {}; }
  std::size_t memory() const { return pool_.memory(); }  // bytes

 private:
  WordPool pool_;
};

}  // namespace weft::engine

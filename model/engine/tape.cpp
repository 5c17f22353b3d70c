#include "model/engine/tape.h"

#include <algorithm>

#include "model/engine/intern.h"

namespace weft::engine {

Tape Tape::of(Cycles cycles, const std::vector<const Transfers*>& ports, Bytes beat_bytes) {
  Tape tape;
  tape.cycles = cycles;
  tape.events.push_back({});
  for (const Transfers* transfers : ports) {
    const auto first_base = static_cast<std::uint16_t>(tape.bases.size());
    std::size_t used = 0;  // a base of nothing but data is none
    for (Event event : transfers->events) {
      if (event.transfer == Transfer::WriteBeat) {
        event.base = 0;
        event.offset = 0;
      } else {
        const std::int64_t last = event.offset + event.beats * beat_bytes - 1;
        if (event.base == used) {
          tape.bases.push_back(transfers->bases[used++]);
          tape.extents.push_back({event.offset, last});
        }
        event.base = static_cast<std::uint16_t>(event.base + first_base);
        Extent& extent = tape.extents[event.base];
        extent.first = std::min(extent.first, event.offset);
        extent.last = std::max(extent.last, last);
      }
      tape.events.push_back(event);
    }
  }
  std::stable_sort(tape.events.begin() + 1, tape.events.end(),
                   [](const Event& a, const Event& b) { return a.cycle < b.cycle; });
  std::int32_t addressed = -1;
  for (std::size_t i = 0; i < tape.events.size(); ++i) {
    tape.addressed.push_back(addressed);
    if (tape.events[i].has_address()) addressed = static_cast<std::int32_t>(i);
  }
  tape.addressed.push_back(addressed);
  if (addressed >= 0) {
    const Event& last = tape.events[static_cast<std::size_t>(addressed)];
    tape.last_base = last.base;
    tape.last_offset = last.offset;
  }
  return tape;
}

std::size_t Tape::memory() const {
  return sizeof(Tape) + events.capacity() * sizeof(Event) + addressed.capacity() * 4 +
         (sizeof(Base) + sizeof(Extent)) * bases.capacity() + 96;
}

std::size_t TapeHash::operator()(const Tape& tape) const {
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(tape.cycles));
  for (const Event& event : tape.events) {
    hash = mix(mix(hash, static_cast<std::uint64_t>(event.cycle)), static_cast<std::uint64_t>(event.offset));
  }
  return hash;
}

bool operator==(const Tape& a, const Tape& b) {
  return a.cycles == b.cycles && a.bases == b.bases && a.events == b.events;
}

}  // namespace weft::engine

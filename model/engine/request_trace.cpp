#include "model/engine/request_trace.h"

#include <algorithm>

#include "model/core/intern.h"

namespace weft::engine {

RequestTrace RequestTrace::of(Cycles cycles, const std::vector<const Transfers*>& ports, const BeatBytes& beat_bytes) {
  RequestTrace trace;
  trace.cycles = cycles;
  trace.events.push_back({});
  for (const Transfers* transfers : ports) {
    const auto first_base = static_cast<std::uint16_t>(trace.bases.size());
    std::size_t used = 0;  // bases with an address; data beats alone need none
    for (Event event : transfers->events) {
      if (event.transfer == Transfer::WriteBeat) {
        event.base = 0;
        event.offset = 0;
      } else {
        const std::int64_t last = event.offset + event.beats * beat_bytes.at(event.port) - 1;
        if (event.base == used) {
          trace.bases.push_back(transfers->bases[used++]);
          trace.extents.push_back({event.offset, last});
        }
        event.base = static_cast<std::uint16_t>(event.base + first_base);
        Extent& extent = trace.extents[event.base];
        extent.first = std::min(extent.first, event.offset);
        extent.last = std::max(extent.last, last);
      }
      trace.events.push_back(event);
    }
  }
  std::stable_sort(trace.events.begin() + 1, trace.events.end(),
                   [](const Event& a, const Event& b) { return a.cycle < b.cycle; });
  std::int32_t addressed = -1;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    trace.addressed.push_back(addressed);
    if (trace.events[i].has_address()) addressed = static_cast<std::int32_t>(i);
  }
  trace.addressed.push_back(addressed);
  if (addressed >= 0) {
    const Event& last = trace.events[static_cast<std::size_t>(addressed)];
    trace.last_base = last.base;
    trace.last_offset = last.offset;
  }
  return trace;
}

std::size_t RequestTrace::memory() const {
  return sizeof(RequestTrace) + events.capacity() * sizeof(Event) + addressed.capacity() * 4 +
         (sizeof(Base) + sizeof(Extent)) * bases.capacity() + 96;
}

std::size_t RequestTraceHash::operator()(const RequestTrace& trace) const {
  std::uint64_t hash = mix(0, static_cast<std::uint64_t>(trace.cycles));
  for (const Event& event : trace.events) {
    hash = mix(mix(hash, static_cast<std::uint64_t>(event.cycle)), static_cast<std::uint64_t>(event.offset));
  }
  return hash;
}

bool operator==(const RequestTrace& a, const RequestTrace& b) {
  return a.cycles == b.cycles && a.bases == b.bases && a.events == b.events;
}

}  // namespace weft::engine

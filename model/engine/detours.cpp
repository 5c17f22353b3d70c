#include "model/engine/detours.h"

#include <algorithm>

namespace weft::engine {

Detours::At Detours::keep(const ChannelPorts& ports, const Delivery& alone, Cycles origin, std::size_t events,
                          const ChannelPosition& before, const ChannelPosition& after, memory::Nck refi_nck) {
  const At detour =
      pool_.put(Detour{after.state, static_cast<std::int32_t>((after.refresh_due - before.refresh_due) / refi_nck),
                       static_cast<std::uint32_t>(events)});
  for (const ChannelPort& port : ports) {
    DetourLane lane{0, 0, kNotLate, {}};
    for (std::size_t kind = 0; kind < 3; ++kind) {
      lane.rows[kind] = static_cast<std::int32_t>(alone[port.port].rows[kind]);
    }
    for_each_run(port, alone[port.port], [&](Cycles first, std::int64_t count) {
      lane.late = std::max(lane.late, static_cast<std::int32_t>(first - origin) - lane.beats);
      lane.beats += static_cast<std::int32_t>(count);
      lane.runs += PackedRun::parts(count);
    });
    pool_.put(lane);
  }
  for (const ChannelPort& port : ports) {
    for_each_run(port, alone[port.port],
                 [&](Cycles first, std::int64_t count) { put_runs(pool_, first - origin, count); });
  }
  return detour;
}

// Where data comes faster than a port can take it, each beat follows the one before it in the next cycle, and only how
// many there are matters.
std::size_t Detours::follow(const ChannelPorts& ports, At at, Cycles origin, ChannelPosition& position,
                            memory::Nck refi_nck, Delivery& out) const {
  const Detour detour = pool_.get(at);
  const auto lanes = at.behind<DetourLane>(1);
  auto runs = lanes.behind<PackedRun>(ports.size());
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const DetourLane lane = pool_.get(lanes + j);
    PortDelivery& to = out[ports[j].port];
    for (std::size_t kind = 0; kind < 3; ++kind) to.rows[kind] += lane.rows[kind];
    const bool one_after_the_other =
        ports[j].direction == PortDirection::Read && lane.beats > 0 && to.read->last() + 1 >= origin + lane.late;
    if (one_after_the_other) {
      to.read->push(to.read->last() + 1, lane.beats);
    } else {
      for (std::uint32_t k = 0; k < lane.runs; ++k) deliver(pool_.get(runs + k), ports[j].direction, origin, to);
    }
    runs = runs + lane.runs;
  }
  position.state = detour.state;
  position.refresh_due += detour.refreshes * refi_nck;
  return detour.events;
}

}  // namespace weft::engine

#include "model/engine/deviations.h"

#include <algorithm>

namespace weft::engine {

Deviations::At Deviations::record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin,
                                  std::size_t events, const ChannelState& before, const ChannelState& after,
                                  memory::Nck refi_nck) {
  const At deviation =
      pool_.put(Deviation{after.state, static_cast<std::int32_t>((after.refresh_due - before.refresh_due) / refi_nck),
                          static_cast<std::uint32_t>(events)});
  for (const ChannelPort& port : ports) {
    DeviationLane lane{0, 0, kNotLate, {}};
    for (std::size_t kind = 0; kind < 3; ++kind) {
      lane.rows[kind] = static_cast<std::int32_t>(uncontended[port.port].rows[kind]);
    }
    for_each_run(port, uncontended[port.port], [&](Cycles first, std::int64_t count) {
      lane.late = std::max(lane.late, static_cast<std::int32_t>(first - origin) - lane.beats);
      lane.beats += static_cast<std::int32_t>(count);
      lane.runs += PackedRun::parts(count);
    });
    pool_.put(lane);
  }
  for (const ChannelPort& port : ports) {
    for_each_run(port, uncontended[port.port],
                 [&](Cycles first, std::int64_t count) { put_runs(pool_, first - origin, count); });
  }
  return deviation;
}

// Beats that arrive faster than the port can take them are visible back to back: only their number matters.
std::size_t Deviations::replay(const ChannelPorts& ports, At at, Cycles origin, ChannelState& channel,
                               memory::Nck refi_nck, Delivery& out) const {
  const Deviation deviation = pool_.get(at);
  const auto lanes = at.after<DeviationLane>(1);
  auto runs = lanes.after<PackedRun>(ports.size());
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const DeviationLane lane = pool_.get(lanes + j);
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
  channel.state = deviation.state;
  channel.refresh_due += deviation.refreshes * refi_nck;
  return deviation.events;
}

}  // namespace weft::engine

#include "model/engine/effects.h"

#include <algorithm>

namespace weft::engine {

namespace {

constexpr std::uint32_t kBlockRuns = 4;  // so many are worth not to be looked through

// Calls visit(first cycle, count) for the runs of what came back.
template <typename Visit>
void for_each_run(const ChannelPort& port, const PortDelivery& delivery, Visit visit) {
  if (port.direction == PortDirection::Read) {
    delivery.read->for_each(visit);
  } else {
    for (const Cycles answer : delivery.answers) visit(answer, std::int64_t{1});
  }
}

}  // namespace

Effects::At Effects::keep(const ChannelPorts& ports, const Delivery& alone, Cycles origin, std::size_t events,
                          const ChannelPosition& before, const ChannelPosition& after, memory::Nck refi_nck) {
  const At effect =
      pool_.put(Effect{after.state, static_cast<std::int32_t>((after.refresh_due - before.refresh_due) / refi_nck),
                       static_cast<std::uint32_t>(events)});
  pool_.put(NextEffect{{}, KeyMap<2>::kNone});
  for (const ChannelPort& port : ports) {
    LaneEffect lane{0, 0, kNotLate, 0, {}};
    for (std::size_t kind = 0; kind < 3; ++kind) {
      lane.rows[kind] = static_cast<std::int32_t>(alone[port.port].rows[kind]);
    }
    for_each_run(port, alone[port.port], [&](Cycles first, std::int64_t count) {
      lane.late = std::max(lane.late, static_cast<std::int32_t>(first - origin) - lane.beats);
      lane.beats += static_cast<std::int32_t>(count);
      lane.runs += static_cast<std::uint32_t>(ceil_div(count, PackedRun::kMostCount));
      lane.last = static_cast<std::int32_t>(first - origin + count - 1);
    });
    pool_.put(lane);
  }
  for (std::size_t lane = 0; lane < ports.size(); ++lane) pool_.put(Enough{});
  for (const ChannelPort& port : ports) {
    for_each_run(port, alone[port.port], [&](Cycles first, std::int64_t count) {
      for (std::int64_t more; count > 0; first += more, count -= more) {
        more = std::min(count, PackedRun::kMostCount);
        pool_.put(PackedRun::of(first - origin, more));
      }
    });
  }
  return effect;
}

// Where data comes faster than a port can take it, each beat follows the one before it in the next cycle, and only how
// many there are matters.
std::size_t Effects::follow(const ChannelPorts& ports, At at, Cycles origin, ChannelPosition& position,
                            memory::Nck refi_nck, Delivery& out) {
  const Effect effect = pool_.get(at);
  const auto lanes = at.behind<NextEffect>(1).behind<LaneEffect>(1);
  const auto enough = lanes.behind<Enough>(ports.size());
  auto runs = enough.behind<PackedRun>(ports.size());
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const LaneEffect lane = pool_.get(lanes + j);
    PortDelivery& to = out[ports[j].port];
    for (std::size_t kind = 0; kind < 3; ++kind) to.rows[kind] += lane.rows[kind];
    if (ports[j].direction == PortDirection::Write) {
      for (std::uint32_t k = 0; k < lane.runs; ++k) {
        const PackedRun run = pool_.get(runs + k);
        for (std::int64_t i = 0; i < run.count; ++i) to.answers.push_back(origin + run.first + i);
      }
    } else if (lane.beats > 0) {
      Arrivals& read = *to.read;
      if (read.last() + 1 >= origin + lane.late) {
        read.push(read.last() + 1, lane.beats);
      } else if (lane.runs >= kBlockRuns && origin + pool_.get(runs).first > read.last()) {
        read.push({&pool_, runs, enough + j, lane.runs, lane.beats, origin, origin + lane.last});
      } else {
        for (std::uint32_t k = 0; k < lane.runs; ++k) {
          const PackedRun run = pool_.get(runs + k);
          read.push(origin + run.first, run.count);
        }
      }
    }
    runs = runs + lane.runs;
  }
  position.state = effect.state;
  position.refresh_due += effect.refreshes * refi_nck;
  return effect.events;
}

}  // namespace weft::engine

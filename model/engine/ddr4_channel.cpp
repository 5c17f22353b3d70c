#include "model/engine/ddr4_channel.h"

#include <algorithm>
#include <limits>

namespace weft::engine {

using memory::Nck;

namespace {

constexpr Nck kNoRefresh = std::numeric_limits<Nck>::max();
constexpr Cycles kLongAgo = -(Cycles{1} << 40);
constexpr std::int32_t kNotLate = std::numeric_limits<std::int32_t>::min();

}  // namespace

Ddr4Channel::Ddr4Channel(const memory::MemoryConfig& config, int channel)
    : channel_(channel), map_(config.ddr4.map), refi_nck_(config.ddr4.timing.refi_nck), scratch_(config) {
  for (std::size_t port = 0; port < config.port_channel.size(); ++port) {
    if (config.port_channel[port] == channel) ports_.push_back(static_cast<int>(port));
  }
}

Ddr4Channel::Position Ddr4Channel::enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row) {
  std::string bytes;
  Relative state(bytes, false);
  memory.relative(state, channel_, now, static_cast<int>(row));
  return {states_.number(std::move(bytes)), row, memory.controller(channel_).refresh_due()};
}

void Ddr4Channel::leave(const Position& position, memory::Ddr4Memory& memory, Cycles now) {
  std::string bytes = states_.bytes(position.state);
  Relative state(bytes, true);
  memory.relative(state, channel_, now, static_cast<int>(position.row));
  memory.controller(channel_).set_refresh_due(position.refresh_due);
}

void Ddr4Channel::walk(Position& position, Cycles origin, const Tape& tape, const std::vector<Address>& bases,
                       Delivery& out) {
  const Place place{origin, tape, bases, position.row};
  const Trajectory& usual = trajectory(position.state, place);
  const std::size_t events = tape.events.size();
  std::size_t at = 0;
  std::uint32_t state = position.state;
  while (at < events) {
    // The first cycle by whose start the refresh has begun; up to there all is as usual.
    const Cycles due = scratch_.clocks().cycle_after(position.refresh_due) - origin;
    std::size_t disturbed = events;
    if (due <= tape.cycles) {
      const auto ends_after = [&](const Event& event, Cycles cycle) { return event.cycle < cycle; };
      const auto next = std::lower_bound(tape.events.begin() + static_cast<std::ptrdiff_t>(at) + 1, tape.events.end(),
                                         due, ends_after);
      disturbed = static_cast<std::size_t>(next - tape.events.begin()) - 1;
    }
    deliver(usual, at, disturbed, origin, out, tape);
    at = disturbed;
    state = usual.points[at].state;
    while (at < events) {
      const Outcome& outcome = outcomes_[step(state, place, at, position.refresh_due)];
      deliver(outcome, origin + tape.events[at].cycle, out);
      position.refresh_due += outcome.refreshes * refi_nck_;
      state = outcome.next;
      if (state == usual.points[++at].state) break;
    }
  }
  const std::int32_t last = tape.addressed.back();
  if (last >= 0) position.row = place.address(static_cast<std::size_t>(last)) >> memory::kRowBit;
  position.state = state;
}

const Ddr4Channel::Trajectory& Ddr4Channel::trajectory(std::uint32_t state, const Place& place) {
  constexpr Address kRowMask = (Address{1} << memory::kRowBit) - 1;
  std::uint32_t lie = 0;
  Address row = place.row << memory::kRowBit;
  for (const std::uint16_t base : place.tape.bases) {
    const Address address = place.bases[base];
    lie = lies_.number(lie, address - row);
    row = address & ~kRowMask;
  }
  const TapeKey key{std::uint64_t{place.tape.number} << 32 | state, lie};
  const auto found = trajectory_of_.find(key);
  if (found != trajectory_of_.end()) return *trajectories_[found->second];

  auto made = std::make_unique<Trajectory>();
  Point point{};
  point.state = state;
  point.late = {kNotLate, kNotLate};
  for (std::size_t i = 0; i < place.tape.events.size(); ++i) {
    point.outcome = step(point.state, place, i, kNoRefresh);
    made->points.push_back(point);
    const Outcome& outcome = outcomes_[point.outcome];
    const std::int32_t cycle = place.tape.events[i].cycle;
    for (std::uint32_t k = 0; k < outcome.arrivals; ++k) {
      const Arrival& arrival = arrivals_[outcome.first_arrival + k];
      const auto port = static_cast<std::size_t>(arrival.port);
      point.late[port] = std::max(point.late[port], cycle + arrival.first - point.beats[port]);
      point.beats[port] += arrival.count;
    }
    for (std::uint32_t k = 0; k < outcome.answers; ++k) {
      made->answers.push_back(cycle + answers_[outcome.first_answer + k]);
      ++point.answers;
    }
    for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
      for (std::size_t kind = 0; kind < 3; ++kind) point.rows[port][kind] += outcome.rows[port][kind];
    }
    point.state = outcome.next;
  }
  made->points.push_back(point);
  points_ += made->points.size();
  trajectory_of_.emplace(key, static_cast<std::uint32_t>(trajectories_.size()));
  trajectories_.push_back(std::move(made));
  return *trajectories_.back();
}

std::uint32_t Ddr4Channel::step(std::uint32_t state, const Place& place, std::size_t i, Nck refresh_due) {
  const Event& event = place.tape.events[i];
  const auto gap = static_cast<std::uint64_t>(place.gap(i));
  StepKey key{std::uint64_t{state} << 32 | gap, static_cast<std::uint64_t>(event.transfer), 0};
  if (event.transfer == Transfer::Read || event.transfer == Transfer::Write) {
    const Address address = place.address(i);
    const std::int64_t rows = (address >> memory::kRowBit) - place.row_before(i);
    const auto within = static_cast<std::uint64_t>(address & memory::bank_mask(map_));
    key.event |= std::uint64_t{event.beats} << 2 | within << 12 | static_cast<std::uint64_t>(rows) << 32;
  }
  key.event |= std::uint64_t{event.port} << 29;
  if (refresh_due != kNoRefresh) {
    const Cycles cycle = place.origin + event.cycle;
    const memory::ClockRatio& clocks = scratch_.clocks();
    if (refresh_due < clocks.first_edge(cycle + place.gap(i))) {
      key.refresh = (std::uint64_t{1} << 62) + static_cast<std::uint64_t>(refresh_due - clocks.first_edge(cycle));
    } else {
      refresh_due = kNoRefresh;
    }
  }
  const auto found = steps_.find(key);
  if (found != steps_.end()) return found->second;
  const std::uint32_t made = simulate(state, place, i, refresh_due);
  steps_.emplace(key, made);
  return made;
}

std::uint32_t Ddr4Channel::simulate(std::uint32_t number, const Place& place, std::size_t i, Nck refresh_due) {
  const Event& event = place.tape.events[i];
  const Cycles cycle = place.origin + event.cycle, end = cycle + place.gap(i);
  std::int64_t row = place.row_before(i);
  std::string bytes = states_.bytes(number);
  Relative before(bytes, true);
  scratch_.relative(before, channel_, cycle, static_cast<int>(row));
  scratch_.controller(channel_).set_refresh_due(refresh_due);
  for (const int port : ports_) {
    scratch_.returned(port).follow(kLongAgo, kLongAgo);
    memory::PortStats& stats = scratch_.returned(port).stats();
    stats.row_hits = stats.row_misses = stats.row_conflicts = 0;
  }
  const Address address = event.transfer == Transfer::None ? 0 : place.address(i);
  if (event.transfer == Transfer::Read) scratch_.send_read(event.port, cycle, address, event.beats);
  if (event.transfer == Transfer::Write) scratch_.send_write(event.port, cycle, address, event.beats);
  if (event.transfer == Transfer::WriteBeat) scratch_.send_write_beat(event.port, cycle);
  if (event.transfer == Transfer::Read || event.transfer == Transfer::Write) row = address >> memory::kRowBit;
  if (end > cycle) scratch_.settle(channel_, end);

  Outcome outcome;
  take_known(outcome, cycle);
  if (refresh_due != kNoRefresh) {
    outcome.refreshes =
        static_cast<std::int32_t>((scratch_.controller(channel_).refresh_due() - refresh_due) / refi_nck_);
  }
  std::string after;
  Relative state(after, false);
  scratch_.relative(state, channel_, end, static_cast<int>(row));
  outcome.next = states_.number(std::move(after));
  outcomes_.push_back(outcome);
  return static_cast<std::uint32_t>(outcomes_.size() - 1);
}

void Ddr4Channel::take_known(Outcome& outcome, Cycles origin) {
  outcome.first_arrival = static_cast<std::uint32_t>(arrivals_.size());
  outcome.first_answer = static_cast<std::uint32_t>(answers_.size());
  for (const int port : ports_) {
    Arrival run{port, 0, 0};
    const auto keep = [&] {
      if (run.count > 0) arrivals_.push_back(run);
    };
    for (Cycles visible; (visible = scratch_.next_read_beat(port)) != kNever;) {
      scratch_.take_read_beat(port, visible);
      const auto cycle = static_cast<std::int32_t>(visible - origin);
      if (run.count > 0 && run.first + run.count == cycle) {
        ++run.count;
        continue;
      }
      keep();
      run.first = cycle;
      run.count = 1;
    }
    keep();
    for (Cycles visible; (visible = scratch_.next_write_response(port)) != kNever;) {
      scratch_.take_write_response(port, visible);
      answers_.push_back(static_cast<std::int32_t>(visible - origin));
    }
    const memory::PortStats& stats = scratch_.returned(port).stats();
    outcome.rows[static_cast<std::size_t>(port)] = {static_cast<std::int16_t>(stats.row_hits),
                                                    static_cast<std::int16_t>(stats.row_misses),
                                                    static_cast<std::int16_t>(stats.row_conflicts)};
  }
  outcome.arrivals = static_cast<std::uint16_t>(arrivals_.size() - outcome.first_arrival);
  outcome.answers = static_cast<std::uint16_t>(answers_.size() - outcome.first_answer);
}

void Ddr4Channel::deliver(const Outcome& outcome, Cycles cycle, Delivery& out) const {
  for (std::uint32_t k = 0; k < outcome.arrivals; ++k) {
    const Arrival& arrival = arrivals_[outcome.first_arrival + k];
    out.read[static_cast<std::size_t>(arrival.port)]->push(cycle + arrival.first, arrival.count);
  }
  for (std::uint32_t k = 0; k < outcome.answers; ++k) out.answers.push_back(cycle + answers_[outcome.first_answer + k]);
  for (const int port : ports_) {
    const auto p = static_cast<std::size_t>(port);
    for (std::size_t kind = 0; kind < 3; ++kind) out.rows[p][kind] += outcome.rows[p][kind];
  }
}

// Events first .. last - 1 of a tape at once. Where data comes faster than a port can take it, each beat follows the one
// before it in the next cycle, and only how many there are matters.
void Ddr4Channel::deliver(const Trajectory& trajectory, std::size_t first, std::size_t last, Cycles origin,
                          Delivery& out, const Tape& tape) const {
  if (first == last) return;
  const Point& from = trajectory.points[first];
  const Point& to = trajectory.points[last];
  for (std::size_t port = 0; port < out.read.size(); ++port) {
    const std::int32_t beats = to.beats[port] - from.beats[port];
    if (beats == 0) continue;
    const Cycles next = out.read[port]->last() + 1;
    if (next - from.beats[port] >= origin + to.late[port]) {
      out.read[port]->push(next, beats);
      continue;
    }
    for (std::size_t i = first; i < last; ++i) {
      const Outcome& outcome = outcomes_[trajectory.points[i].outcome];
      for (std::uint32_t k = 0; k < outcome.arrivals; ++k) {
        const Arrival& arrival = arrivals_[outcome.first_arrival + k];
        if (static_cast<std::size_t>(arrival.port) != port) continue;
        out.read[port]->push(origin + tape.events[i].cycle + arrival.first, arrival.count);
      }
    }
  }
  for (std::int32_t k = from.answers; k < to.answers; ++k) {
    out.answers.push_back(origin + trajectory.answers[static_cast<std::size_t>(k)]);
  }
  for (const int port : ports_) {
    const auto p = static_cast<std::size_t>(port);
    for (std::size_t kind = 0; kind < 3; ++kind) out.rows[p][kind] += to.rows[p][kind] - from.rows[p][kind];
  }
}

std::size_t Ddr4Channel::memory() const {
  return states_.memory() + steps_.bucket_count() * 40 + outcomes_.capacity() * sizeof(Outcome) +
         arrivals_.capacity() * sizeof(Arrival) + points_ * sizeof(Point) + trajectory_of_.bucket_count() * 32 +
         lies_.size() * 48;
}

}  // namespace weft::engine

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
  const std::uint32_t number = trajectory(position.state, place);
  const Trajectory& usual = *trajectories_[number];
  if (position.refresh_due >= scratch_.clocks().first_edge(origin + tape.cycles)) {
    deliver(usual, 0, tape.events.size(), origin, out, tape);
    position.state = usual.points.back().state;
  } else {
    const Disturbed& known = disturbed(number, position, place);
    if (in_time(known.lanes, origin, out)) {
      for (std::size_t j = 0; j < ports_.size(); ++j) {
        const auto port = static_cast<std::size_t>(ports_[j]);
        const Lane& lane = known.lanes[j];
        for (std::size_t kind = 0; kind < 3; ++kind) out.rows[port][kind] += lane.rows[kind];
        if (lane.beats > 0) out.read[port]->push(out.read[port]->last() + 1, lane.beats);
      }
      for (const std::int32_t answer : known.answers) out.answers.push_back(origin + answer);
      position.state = known.state;
      position.refresh_due += known.refreshes * refi_nck_;
    } else {
      step_through(usual, position, place, out);
    }
  }
  const std::int32_t last = tape.addressed.back();
  if (last >= 0) position.row = place.address(static_cast<std::size_t>(last)) >> memory::kRowBit;
}

// Where data comes faster than a port can take it, each beat follows the one before it in the next cycle, and only how
// many there are matters.
bool Ddr4Channel::in_time(const std::vector<Lane>& lanes, Cycles origin, const Delivery& out) const {
  for (std::size_t j = 0; j < ports_.size(); ++j) {
    if (lanes[j].beats == 0) continue;
    if (out.read[static_cast<std::size_t>(ports_[j])]->last() + 1 < origin + lanes[j].late) return false;
  }
  return true;
}

const Ddr4Channel::Disturbed& Ddr4Channel::disturbed(std::uint32_t number, const Position& position,
                                                     const Place& place) {
  const Nck distance = position.refresh_due - scratch_.clocks().first_edge(place.origin);
  const TapeKey key{number, static_cast<std::uint64_t>(distance)};
  const auto found = disturbed_of_.find(key);
  if (found != disturbed_of_.end()) return disturbed_[found->second];

  for (std::size_t i = 0; i < scratch_arrivals_.size(); ++i) {
    scratch_arrivals_[i].reset(kLongAgo);
    scratch_delivery_.read[i] = &scratch_arrivals_[i];
  }
  scratch_delivery_.answers.clear();
  scratch_delivery_.rows = {};
  Position after = position;
  step_through(*trajectories_[number], after, place, scratch_delivery_);
  Disturbed made;
  made.state = after.state;
  made.refreshes = static_cast<std::int32_t>((after.refresh_due - position.refresh_due) / refi_nck_);
  for (const int port : ports_) {
    Lane lane{0, 0, kNotLate, {}};
    const auto p = static_cast<std::size_t>(port);
    for (std::size_t kind = 0; kind < 3; ++kind) {
      lane.rows[kind] = static_cast<std::int32_t>(scratch_delivery_.rows[p][kind]);
    }
    if (p < scratch_arrivals_.size()) {
      scratch_arrivals_[p].for_each([&](Cycles first, std::int64_t count) {
        lane.late = std::max(lane.late, static_cast<std::int32_t>(first - place.origin) - lane.beats);
        lane.beats += static_cast<std::int32_t>(count);
      });
    }
    made.lanes.push_back(lane);
  }
  for (const Cycles answer : scratch_delivery_.answers) {
    made.answers.push_back(static_cast<std::int32_t>(answer - place.origin));
  }
  disturbed_of_.emplace(key, static_cast<std::uint32_t>(disturbed_.size()));
  disturbed_.push_back(std::move(made));
  return disturbed_.back();
}

// As usual up to each refresh, and from where the channel is again in the state that it is in without one.
void Ddr4Channel::step_through(const Trajectory& usual, Position& position, const Place& place, Delivery& out) {
  const Tape& tape = place.tape;
  const std::size_t events = tape.events.size();
  std::size_t at = 0;
  while (at < events) {
    // The first cycle by whose start the refresh has begun.
    const Cycles due = scratch_.clocks().cycle_after(position.refresh_due) - place.origin;
    std::size_t first = events;
    if (due <= tape.cycles) {
      const auto before = [](const Event& event, Cycles cycle) { return event.cycle < cycle; };
      const auto next =
          std::lower_bound(tape.events.begin() + static_cast<std::ptrdiff_t>(at) + 1, tape.events.end(), due, before);
      first = static_cast<std::size_t>(next - tape.events.begin()) - 1;
    }
    deliver(usual, at, first, place.origin, out, tape);
    at = first;
    position.state = usual.points[at].state;
    while (at < events) {
      const Outcome& outcome = outcomes_[step(position.state, place, at, position.refresh_due)];
      deliver(outcome, place.origin + tape.events[at].cycle, out);
      position.refresh_due += outcome.refreshes * refi_nck_;
      position.state = outcome.next;
      if (position.state == usual.points[++at].state) break;
    }
  }
}

// Two places of a tape are alike if their addresses lie alike in the banks and their rows change at the same events. If
// the tape stays in one row the bits of a bank's address tell that; otherwise all bits below the row do.
std::uint32_t Ddr4Channel::trajectory(std::uint32_t state, const Place& place) {
  constexpr Address kInRow = (Address{1} << memory::kRowBit) - 1;
  const Address in_bank = map_ == memory::AddressMap::rbc ? kInRow : memory::bank_mask(map_);
  std::uint32_t lie = 0;
  Address row = place.row;
  for (const Tape::Extent& extent : place.tape.extents) {
    const Address base = place.bases[extent.base];
    const Address first = (base + extent.first) >> memory::kRowBit, last = (base + extent.last) >> memory::kRowBit;
    const bool one_row = first == last;
    lie = lies_.number(lie, (first - row) * 2 + (one_row ? 1 : 0));
    lie = lies_.number(lie, (base + extent.first) & (one_row ? in_bank : kInRow));
    row = first;
  }
  const TapeKey key{std::uint64_t{place.tape.number} << 32 | state, lie};
  const auto found = trajectory_of_.find(key);
  if (found != trajectory_of_.end()) return found->second;

  auto made = std::make_unique<Trajectory>();
  const std::size_t events = place.tape.events.size();
  made->points.reserve(events + 1);
  made->lanes.reserve((events + 1) * ports_.size());
  made->lanes.resize(ports_.size(), Lane{0, 0, kNotLate, {}});
  for (std::size_t i = 0; i < events; ++i) {
    made->points.push_back({state, step(state, place, i, kNoRefresh)});
    extend(*made, place.tape.events[i].cycle);
    state = outcomes_[made->points.back().outcome].next;
  }
  made->points.push_back({state, 0});
  points_ += made->points.size();
  trajectory_of_.emplace(key, static_cast<std::uint32_t>(trajectories_.size()));
  trajectories_.push_back(std::move(made));
  return static_cast<std::uint32_t>(trajectories_.size() - 1);
}

// By the step of the last point, which begins in `cycle` of the tape.
void Ddr4Channel::extend(Trajectory& trajectory, std::int32_t cycle) const {
  const Outcome& outcome = outcomes_[trajectory.points.back().outcome];
  for (std::size_t j = 0; j < ports_.size(); ++j) {
    Lane lane = trajectory.lanes[trajectory.lanes.size() - ports_.size()];
    for (std::uint32_t k = 0; k < outcome.arrivals; ++k) {
      const Arrival& arrival = arrivals_[outcome.first_arrival + k];
      if (arrival.port != ports_[j]) continue;
      lane.late = std::max(lane.late, cycle + arrival.first - lane.beats);
      lane.beats += arrival.count;
    }
    if (ports_[j] == fpgpt::port_id(fpgpt::Port::Out)) {
      for (std::uint32_t k = 0; k < outcome.answers; ++k) {
        trajectory.answers.push_back(cycle + answers_[outcome.first_answer + k]);
      }
      lane.answers += outcome.answers;
    }
    const auto& rows = outcome.rows[static_cast<std::size_t>(ports_[j])];
    for (std::size_t kind = 0; kind < 3; ++kind) lane.rows[kind] += rows[kind];
    trajectory.lanes.push_back(lane);
  }
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

// Events first .. last - 1 of a tape at once.
void Ddr4Channel::deliver(const Trajectory& trajectory, std::size_t first, std::size_t last, Cycles origin,
                          Delivery& out, const Tape& tape) const {
  if (first == last) return;
  for (std::size_t j = 0; j < ports_.size(); ++j) {
    const auto port = static_cast<std::size_t>(ports_[j]);
    const Lane& from = trajectory.lanes[first * ports_.size() + j];
    const Lane& to = trajectory.lanes[last * ports_.size() + j];
    for (std::size_t kind = 0; kind < 3; ++kind) out.rows[port][kind] += to.rows[kind] - from.rows[kind];
    for (std::int32_t k = from.answers; k < to.answers; ++k) {
      out.answers.push_back(origin + trajectory.answers[static_cast<std::size_t>(k)]);
    }
    const std::int32_t beats = to.beats - from.beats;
    if (beats == 0) continue;
    const Cycles next = out.read[port]->last() + 1;
    if (next - from.beats >= origin + to.late) {
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
}

void Ddr4Channel::forget_tapes() {
  trajectory_of_.clear();
  trajectories_.clear();
  points_ = 0;
  disturbed_of_.clear();
  disturbed_.clear();
}

std::size_t Ddr4Channel::memory() const {
  return states_.memory() + steps_.bucket_count() * 40 + outcomes_.capacity() * sizeof(Outcome) +
         arrivals_.capacity() * sizeof(Arrival) + points_ * (sizeof(Point) + sizeof(Lane) * ports_.size()) +
         trajectory_of_.bucket_count() * 32 + trajectories_.capacity() * 128 + disturbed_of_.bucket_count() * 32 +
         disturbed_.capacity() * (sizeof(Disturbed) + 32 + sizeof(Lane) * ports_.size()) + lies_.size() * 48;
}

}  // namespace weft::engine

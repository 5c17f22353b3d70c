#include "model/engine/ddr4_channel.h"

#include <algorithm>

namespace weft::engine {

using memory::Nck;

namespace {

constexpr std::uint32_t kNothing = KeyMap<2>::kNone;  // is known of a detour

ChannelPorts ports_of(const memory::MemoryConfig& config, int channel, const std::vector<PortDirection>& ports) {
  ChannelPorts own;
  for (std::size_t port = 0; port < ports.size(); ++port) {
    if (config.port_channel[port] == channel) own.push_back({port, ports[port]});
  }
  return own;
}

}  // namespace

Ddr4Channel::Ddr4Channel(const memory::MemoryConfig& config, int channel, const std::vector<PortDirection>& ports)
    : channel_(channel),
      steps_(config, channel, ports_of(config, channel, ports)),
      lies_(config.ddr4.map),
      detour_(ports.size()),
      passage_(ports.size()) {}

Ddr4Channel::Position Ddr4Channel::enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row) {
  return {steps_.enter(memory, now, row), row, memory.controller(channel_).refresh_due()};
}

void Ddr4Channel::leave(const Position& position, memory::Ddr4Memory& memory, Cycles now) const {
  steps_.leave(position.state, memory, now, position.row);
  memory.controller(channel_).set_refresh_due(position.refresh_due);
}

void Ddr4Channel::walk(Position& position, Cycles origin, const Tape& tape, const Bases& bases, Delivery& out) {
  const Lie lie = lies_.find(position.row, tape, bases);
  const Key<3> key{two(tape.number, position.state), lie.number,
                   two(steps_.refresh_within(position.refresh_due, origin, origin + tape.cycles),
                       static_cast<std::uint32_t>(steps_.clocks().phase(origin)))};
  const Passages::At known{passage_of_.find(key)};
  if (known.word != kNothing && passages_.tells(steps_.ports(), known, origin, out)) {
    passages_.follow(steps_.ports(), known, origin, position, steps_.refi_nck(), out);
  } else {
    addresses_.clear();
    bases.fill(tape, addresses_);
    const LaidTape place{origin, tape, addresses_, position.row};
    if (known.word != kNothing || tape.cycles > PackedRun::kMostFirst / 2) {
      walk_by_detours(lie, position, place, out);
    } else {
      walk_new(key, lie, position, place, out);
    }
  }
  position.row += lie.rows;
}

void Ddr4Channel::walk_new(const Key<3>& key, const Lie& lie, Position& position, const LaidTape& place,
                           Delivery& out) {
  Position after = position;
  walk_by_detours(lie, after, place, passage_.begin());
  const Passages::At made =
      passages_.keep(steps_.ports(), passage_.delivery(), place.origin, position, after, steps_.refi_nck(), out);
  passage_of_.number(key, made.word);
  passages_.follow(steps_.ports(), made, place.origin, position, steps_.refi_nck(), out);
}

void Ddr4Channel::walk_by_detours(const Lie& lie, Position& position, const LaidTape& place, Delivery& out) {
  Trajectory& usual = trajectories_.find(steps_, position.state, lie.number, place);
  expect_refreshes(usual, position, place);
  auto expected = expected_.begin();
  const std::size_t events = place.tape.events.size();
  for (std::size_t at = 0; at < events;) {
    std::uint32_t known = kNothing;
    if (position.state == trajectories_.state(usual, at)) {
      while (expected != expected_.end() && expected->due < position.refresh_due) ++expected;
      std::size_t met = events;
      if (expected != expected_.end()) {
        const bool there = expected->due == position.refresh_due && expected->at >= at;
        met = there ? expected->at : refreshed_at(at, position, place);
        if (there) known = expected->detour;
      }
      trajectories_.deliver(steps_.ports(), usual, at, met, place, out);
      position.state = trajectories_.state(usual, met);
      at = met;
      if (at == events) break;
    }
    const Detours::At way = known != kNothing ? Detours::At{known} : detour(usual, at, position, place);
    at += detours_.follow(steps_.ports(), way, place.origin + place.tape.events[at].cycle, position, steps_.refi_nck(),
                          out);
  }
}

// Mostly a channel is on its usual way again before the next refresh, so what will be looked up is known beforehand,
// and does not wait for one another.
void Ddr4Channel::expect_refreshes(Trajectory& usual, const Position& position, const LaidTape& place) {
  const std::vector<Event>& events = place.tape.events;
  expected_.clear();
  Position there = position;
  for (std::size_t at = 0;; there.refresh_due += steps_.refi_nck()) {
    at = refreshed_at(at, there, place);
    if (at == events.size()) break;
    expected_.push_back({at, there.refresh_due, Key<2>{}, kNothing});
    trajectories_.prefetch(usual, at);
    trajectories_.prefetch(usual, std::min(at + Trajectories::kFutureEvents, events.size() - 1));
  }
  for (Expected& each : expected_) {
    there.state = trajectories_.state(usual, each.at);
    there.refresh_due = each.due;
    each.key = key_of(usual, each.at, there, place);
    detour_of_.prefetch(each.key);
  }
  for (Expected& each : expected_) {
    each.detour = detour_of_.find(each.key);
    if (each.detour != kNothing) detours_.prefetch({each.detour});
  }
}

// The first cycle of a tape by whose start the next refresh has begun, or one behind its end.
Cycles Ddr4Channel::refresh_cycle(const Position& position, const LaidTape& place) const {
  const memory::ClockRatio& clocks = steps_.clocks();
  const Cycles behind = place.tape.cycles + 1;
  if (position.refresh_due >= clocks.first_edge(place.origin + place.tape.cycles)) return behind;
  return std::min(clocks.cycle_after(position.refresh_due) - place.origin, behind);
}

// The event from `at` on whose step the next refresh falls into, or the end of the tape.
std::size_t Ddr4Channel::refreshed_at(std::size_t at, const Position& position, const LaidTape& place) const {
  const Tape& tape = place.tape;
  const Cycles due = refresh_cycle(position, place);
  if (due > tape.cycles) return tape.events.size();
  const auto before = [](const Event& event, Cycles cycle) { return event.cycle < cycle; };
  const auto next =
      std::lower_bound(tape.events.begin() + static_cast<std::ptrdiff_t>(at) + 1, tape.events.end(), due, before);
  return static_cast<std::size_t>(next - tape.events.begin()) - 1;
}

Key<2> Ddr4Channel::key_of(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place) {
  const Tape& tape = place.tape;
  const std::size_t end = at + Trajectories::kFutureEvents;
  const Cycles last = end < tape.events.size() ? tape.events[end].cycle : tape.cycles;
  const std::uint32_t refresh =
      steps_.refresh_within(position.refresh_due, place.origin + tape.events[at].cycle, place.origin + last);
  return Key<2>{two(trajectories_.state(usual, at), position.state), two(trajectories_.future(usual, at), refresh)};
}

// What the channel does from an event on until it is on the usual way or the future of the event is over.
Detours::At Ddr4Channel::detour(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place) {
  const Key<2> key = key_of(usual, at, position, place);
  Detours::At way{detour_of_.find(key)};
  if (way.word == kNothing) {
    way = make_detour(usual, at, position, place);
    detour_of_.number(key, way.word);
  }
  return way;
}

Detours::At Ddr4Channel::make_detour(const Trajectory& usual, std::size_t at, Position position,
                                     const LaidTape& place) {
  const std::vector<Event>& events = place.tape.events;
  const std::size_t last = std::min(at + Trajectories::kFutureEvents, events.size());
  const Position before = position;
  std::size_t i = at;
  Delivery& out = detour_.begin();
  for (;;) {
    const Cycles cycle = place.origin + events[i].cycle;
    const std::uint32_t refresh = steps_.refresh_within(position.refresh_due, cycle, cycle + place.gap(i));
    const StepMemo::Outcome outcome = steps_.take(position.state, trajectories_.what(usual, i), refresh,
                                                  [&] { return step_at(place, i, position.refresh_due); });
    steps_.deliver(outcome, cycle, out);
    position.refresh_due += outcome.refreshes * steps_.refi_nck();
    position.state = outcome.next;
    ++i;
    if (i == last || position.state == trajectories_.state(usual, i) ||
        events[i].cycle - events[at].cycle >= PackedRun::kMostFirst / 2) {
      break;
    }
  }
  return detours_.keep(steps_.ports(), detour_.delivery(), place.origin + events[at].cycle, i - at, before, position,
                       steps_.refi_nck());
}

void Ddr4Channel::forget_passages() {
  passages_.forget();
  passage_of_ = {};
}

void Ddr4Channel::forget_tapes() {
  forget_passages();
  lies_.forget();
  trajectories_.forget();
}

void Ddr4Channel::forget_detours() {
  detours_.forget();
  detour_of_ = {};
}

std::size_t Ddr4Channel::memory() const {
  return steps_.memory() + lies_.memory() + trajectories_.memory() + detours_.memory() + passages_.memory() +
         memory_of(detour_of_) + memory_of(passage_of_);
}

}  // namespace weft::engine

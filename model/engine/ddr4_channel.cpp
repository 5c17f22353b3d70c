#include "model/engine/ddr4_channel.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace weft::engine {

using memory::Nck;

namespace {

constexpr Nck kNoRefresh = std::numeric_limits<Nck>::max();
constexpr std::int32_t kNotLate = std::numeric_limits<std::int32_t>::min();
constexpr std::uint32_t kRefreshBehind = 0x7FFFFFFF;  // a tape or a detour is over before the next refresh is due

// A refresh of an idle channel is over by then, or the rest of the step is simulated with it.
constexpr Cycles kRefreshCycles = 128;
constexpr std::array<Cycles, 5> kBusyCycles{4, 8, 16, 32, 64};  // after an event, tried in this order
constexpr std::uint32_t kBlockRuns = 4;                         // so many are worth not to be looked through
constexpr std::int64_t kOften = 4;  // a tape is met again at a distance to the refresh, once in so many times
constexpr std::int8_t kRestUnknown = 0, kRests = 1, kWorks = 2;

template <typename Value>
constexpr std::uint32_t kWords = sizeof(Value) / sizeof(std::uint32_t);
template <typename Value>
void put(const Value& value, std::vector<std::uint32_t>& words) {
  words.resize(words.size() + kWords<Value>);
  std::memcpy(words.data() + words.size() - kWords<Value>, &value, sizeof(Value));
}
template <typename Value>
Value words_at(const std::uint32_t* words) {
  Value value;
  std::memcpy(&value, words, sizeof(Value));
  return value;
}

}  // namespace

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
    const Transfer transfer = tape.events[i].transfer;
    if (transfer == Transfer::Read || transfer == Transfer::Write) addressed = static_cast<std::int32_t>(i);
  }
  tape.addressed.push_back(addressed);
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

Ddr4Channel::Ddr4Channel(const memory::MemoryConfig& config, int channel, bool sum_at_once)
    : channel_(channel),
      sum_at_once_(sum_at_once),
      map_(config.ddr4.map),
      refi_nck_(config.ddr4.timing.refi_nck),
      scratch_(config) {
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

void Ddr4Channel::walk(Position& position, Cycles origin, const Tape& tape, const Bases& bases, Delivery& out) {
  const Lie lie = lie_of(position.row, tape, bases);
  const memory::ClockRatio& clocks = scratch_.clocks();
  const Key<3> key{
      two(tape.number, position.state), lie.number,
      two(refresh_within(position, origin, origin + tape.cycles), static_cast<std::uint32_t>(clocks.phase(origin)))};
  const auto found = tapes_.passage_of.find(key);
  if (found != tapes_.passage_of.end()) {
    follow(found->second, origin, position, out);
  } else {
    bases_.clear();
    bases.fill(tape, bases_);
    walk_new(key, position, {origin, tape, bases_, position.row}, out);
  }
  position.row += lie.rows;
}

// Counts a visit and says whether what the tape comes to here is to be expected again: it was met at this distance to
// the refresh before, or mostly is. There are up to some thousand distances, and where all of them come before the
// first comes again a passage is in vain.
bool Ddr4Channel::comes_again(Trajectory& usual, const Position& position, const LaidTape& place) const {
  if (sum_at_once_) return true;
  const Cycles due = refresh_cycle(position, place);
  const auto distance = static_cast<std::size_t>(due > place.tape.cycles ? 0 : std::max<Cycles>(due, 0) + 1);
  if (usual.met.size() <= distance) usual.met.resize(distance + 1);
  const bool again = usual.met[distance];
  usual.met[distance] = true;
  ++usual.visits;
  usual.again += again ? 1 : 0;
  return again || usual.again > usual.visits / kOften;
}

void Ddr4Channel::walk_new(const Key<3>& key, Position& position, const LaidTape& place, Delivery& out) {
  Trajectory& usual = trajectory(position.state, key[1], place);
  if (place.tape.cycles > RunWords::kMostFirst / 2 || !comes_again(usual, position, place)) {
    walk_by_detours(usual, position, place, out);
    return;
  }
  Position after = position;
  passage_.reset();
  walk_by_detours(usual, after, place, passage_.delivery);
  const std::uint32_t made = keep(passage_, place.origin, place.tape.events.size(), position, after);
  tapes_.passage_of.emplace(key, made);
  follow(made, place.origin, position, out);
}

void Ddr4Channel::walk_by_detours(Trajectory& usual, Position& position, const LaidTape& place, Delivery& out) {
  const std::size_t events = place.tape.events.size();
  for (std::size_t at = 0; at < events;) {
    if (position.state == point(usual, at).state) {
      const std::size_t met = refreshed_at(at, position, place);
      deliver(usual, at, met, place, out);
      position.state = point(usual, met).state;
      at = met;
      if (at == events) break;
    }
    at += follow(detour(usual, at, position, place), place.origin + place.tape.events[at].cycle, position, out);
  }
}

// How many edges after the start of cycle `from` the next refresh falls due, if that is before cycle `to`.
std::uint32_t Ddr4Channel::refresh_within(const Position& position, Cycles from, Cycles to) const {
  const memory::ClockRatio& clocks = scratch_.clocks();
  if (position.refresh_due >= clocks.first_edge(to)) return kRefreshBehind;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(position.refresh_due - clocks.first_edge(from)));
}

// The first cycle of a tape by whose start the next refresh has begun, or one behind its end.
Cycles Ddr4Channel::refresh_cycle(const Position& position, const LaidTape& place) const {
  const memory::ClockRatio& clocks = scratch_.clocks();
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

// What the next events are, how their addresses lie and how far they are apart.
std::uint32_t Ddr4Channel::future(Trajectory& usual, std::size_t at) {
  std::uint32_t& number = usual.futures[at];
  if (number != 0) return number;
  Key<kDetourEvents / 2> future{};
  const std::size_t events = std::min(kDetourEvents, usual.futures.size() - at);
  for (std::size_t i = 0; i < events; ++i) future[i / 2] |= std::uint64_t{point(usual, at + i).what} << (i % 2 * 32);
  number = futures_.emplace(future, static_cast<std::uint32_t>(futures_.size()) + 1).first->second;
  return number;
}

// What the channel does from an event on until it is on the usual way or kDetourEvents have passed.
std::uint32_t Ddr4Channel::detour(Trajectory& usual, std::size_t at, const Position& position, const LaidTape& place) {
  const Tape& tape = place.tape;
  const std::size_t end = at + kDetourEvents;
  const Cycles last = end < tape.events.size() ? tape.events[end].cycle : tape.cycles;
  const std::uint32_t refresh = refresh_within(position, place.origin + tape.events[at].cycle, place.origin + last);
  const Key<2> key{two(point(usual, at).state, position.state), two(future(usual, at), refresh)};
  const auto found = tapes_.detour_of.find(key);
  if (found != tapes_.detour_of.end()) return found->second;
  const std::uint32_t made = make_detour(usual, at, position, place);
  tapes_.detour_of.emplace(key, made);
  return made;
}

void Ddr4Channel::Alone::reset() {
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i].reset(kLongAgo);
    delivery.read[i] = &read[i];
  }
  delivery.answers.clear();
  delivery.rows = {};
}

std::uint32_t Ddr4Channel::make_detour(const Trajectory& usual, std::size_t at, Position position,
                                       const LaidTape& place) {
  const std::vector<Event>& events = place.tape.events;
  const std::size_t last = std::min(at + kDetourEvents, events.size());
  const Position before = position;
  detour_.reset();
  std::size_t i = at;
  do {
    const Outcome& outcome = outcomes_[take(position.state, step_at(place, i, position.refresh_due))];
    deliver(outcome, place.origin + events[i].cycle, detour_.delivery);
    position.refresh_due += outcome.refreshes * refi_nck_;
    position.state = outcome.next;
    ++i;
  } while (i < last && position.state != point(usual, i).state &&
           events[i].cycle - events[at].cycle < RunWords::kMostFirst / 2);
  return keep(detour_, place.origin + events[at].cycle, i - at, before, position);
}

std::uint32_t Ddr4Channel::keep(const Alone& alone, Cycles origin, std::size_t events, const Position& before,
                                const Position& after) {
  std::vector<std::uint32_t>& words = tapes_.effects;
  const auto effect = static_cast<std::uint32_t>(words.size());
  const auto add = [&words](std::int64_t word) { words.push_back(static_cast<std::uint32_t>(word)); };
  const auto answers = static_cast<std::uint32_t>(alone.delivery.answers.size());
  put(Effect{after.state, static_cast<std::int32_t>((after.refresh_due - before.refresh_due) / refi_nck_),
             static_cast<std::uint32_t>(events), answers},
      words);
  for (const int port : ports_) {
    const auto p = static_cast<std::size_t>(port);
    LaneEffect of_lane{{0, kNotLate, {}, 0}, 0, 0, 0};
    Lane& lane = of_lane.lane;
    for (std::size_t kind = 0; kind < 3; ++kind)
      lane.rows[kind] = static_cast<std::int32_t>(alone.delivery.rows[p][kind]);
    if (p < alone.read.size()) {
      alone.read[p].for_each([&](Cycles first, std::int64_t count) {
        lane.late = std::max(lane.late, static_cast<std::int32_t>(first - origin) - lane.beats);
        lane.beats += static_cast<std::int32_t>(count);
        lane.runs += static_cast<std::uint32_t>(ceil_div(count, RunWords::kMostCount));
        of_lane.last = static_cast<std::int32_t>(first - origin + count - 1);
      });
    }
    put(of_lane, words);
  }
  for (const int port : ports_) {
    const auto p = static_cast<std::size_t>(port);
    if (p >= alone.read.size()) continue;
    alone.read[p].for_each([&](Cycles first, std::int64_t count) {
      for (std::int64_t more; count > 0; first += more, count -= more) {
        more = std::min(count, RunWords::kMostCount);
        add(RunWords::word(first - origin, more));
      }
    });
  }
  for (const Cycles answer : alone.delivery.answers) add(answer - origin);
  return effect;
}

// Where data comes faster than a port can take it, each beat follows the one before it in the next cycle, and only how
// many there are matters. Returns the number of events.
std::size_t Ddr4Channel::follow(std::uint32_t at, Cycles origin, Position& position, Delivery& out) {
  const std::uint32_t* const pool = tapes_.effects.data();
  const auto effect = words_at<Effect>(pool + at);
  std::uint32_t lane_at = at + kWords<Effect>;
  std::uint32_t run = lane_at + static_cast<std::uint32_t>(ports_.size()) * kWords<LaneEffect>;
  for (const int port : ports_) {
    const auto of_lane = words_at<LaneEffect>(pool + lane_at);
    const Lane& lane = of_lane.lane;
    const std::uint32_t end = run + lane.runs;
    const auto p = static_cast<std::size_t>(port);
    for (std::size_t kind = 0; kind < 3; ++kind) out.rows[p][kind] += lane.rows[kind];
    if (lane.beats > 0) {
      Arrivals& read = *out.read[p];
      if (read.last() + 1 >= origin + lane.late) {
        read.push(read.last() + 1, lane.beats);
      } else if (lane.runs >= kBlockRuns && origin + RunWords::first(pool[run]) > read.last()) {
        constexpr std::uint32_t kTakes = offsetof(LaneEffect, takes) / sizeof(std::uint32_t);
        read.push({&tapes_.effects, run, lane.runs, lane_at + kTakes, lane_at + kTakes + 1, lane.beats, origin,
                   origin + of_lane.last});
      } else {
        for (; run < end; ++run) read.push(origin + RunWords::first(pool[run]), RunWords::count(pool[run]));
      }
    }
    run = end;
    lane_at += kWords<LaneEffect>;
  }
  for (std::uint32_t k = 0; k < effect.answers; ++k) {
    out.answers.push_back(origin + static_cast<std::int32_t>(pool[run + k]));
  }
  position.state = effect.state;
  position.refresh_due += effect.refreshes * refi_nck_;
  return effect.events;
}

Ddr4Channel::Lie Ddr4Channel::lie_of(std::int64_t row, const Tape& tape, const Bases& bases) {
  if (tape.bases.size() < 2) {
    bases_.assign(tape.bases.size(), bases.first);
    return lie_of({0, tape, bases_, row});
  }
  const Key<3> key{tape.number, bases.spread, static_cast<std::uint64_t>(bases.first - (row << memory::kRowBit))};
  const auto found = tapes_.lie_of.find(key);
  if (found != tapes_.lie_of.end()) return tapes_.lies[found->second];
  bases_.clear();
  bases.fill(tape, bases_);
  tapes_.lie_of.emplace(key, static_cast<std::uint32_t>(tapes_.lies.size()));
  tapes_.lies.push_back(lie_of({0, tape, bases_, row}));
  return tapes_.lies.back();
}

// Two places of a tape are alike if their addresses lie alike in the banks and their rows change at the same events. If
// the tape stays in one row the bits of a bank's address tell that; otherwise all bits below the row do.
Ddr4Channel::Lie Ddr4Channel::lie_of(const LaidTape& place) {
  constexpr Address kInRow = (Address{1} << memory::kRowBit) - 1;
  const Address in_bank = map_ == memory::AddressMap::rbc ? kInRow : memory::bank_mask(map_);
  std::uint32_t lie = 0;
  std::int64_t value = 0;
  Address row = place.row;
  for (std::size_t i = 0; i < place.bases.size(); ++i) {
    const Tape::Extent& extent = place.tape.extents[i];
    const Address base = place.bases[i];
    const Address first = (base + extent.first) >> memory::kRowBit, last = (base + extent.last) >> memory::kRowBit;
    const bool one_row = first == last;
    const Address within = (base + extent.first) & (one_row ? in_bank : kInRow);
    value = ((first - row) * (kInRow + 1) + within) * 2 + (one_row ? 1 : 0);
    if (place.bases.size() > 1) lie = lies_.number(lie, value);
    row = first;
  }
  const std::int32_t end = place.tape.addressed.back();
  const std::int64_t rows = end < 0 ? 0 : (place.address(static_cast<std::size_t>(end)) >> memory::kRowBit) - place.row;
  if (place.bases.size() == 1) return {static_cast<std::uint64_t>(value) * 2, rows};
  return {std::uint64_t{lie} * 2 + 1, rows};
}

Ddr4Channel::Trajectory& Ddr4Channel::trajectory(std::uint32_t state, std::uint64_t lie, const LaidTape& place) {
  const auto phase = static_cast<std::uint32_t>(scratch_.clocks().phase(place.origin));
  const Key<2> key{two(place.tape.number, phase), lie};
  const auto found = tapes_.trajectory_of.find(key);
  if (found != tapes_.trajectory_of.end()) return *tapes_.trajectories[found->second];

  auto made = std::make_unique<Trajectory>();
  const std::size_t events = place.tape.events.size();
  made->futures.resize(events);
  for (std::size_t first = 0; first < events; first += kChunkEvents) {
    made->chunks.push_back(chunk(state, first, std::min(kChunkEvents, events - first), place));
    state = tapes_.chunks[made->chunks.back()]->points.back().state;
  }
  tapes_.bytes += sizeof(Trajectory) + 192 + made->chunks.capacity() * 4 + made->futures.capacity() * 4;
  tapes_.trajectory_of.emplace(key, static_cast<std::uint32_t>(tapes_.trajectories.size()));
  tapes_.trajectories.push_back(std::move(made));
  return *tapes_.trajectories.back();
}

std::uint32_t Ddr4Channel::chunk(std::uint32_t state, std::size_t first, std::size_t events, const LaidTape& place) {
  Key<1 + kChunkEvents / 2> key{two(state, static_cast<std::uint32_t>(events))};
  whats_.clear();
  for (std::size_t i = 0; i < events; ++i) {
    const Step step = step_at(place, first + i, kNoRefresh);
    const Key<2> event{event_key(step), static_cast<std::uint64_t>(step.gap)};
    whats_.push_back(events_.emplace(event, static_cast<std::uint32_t>(events_.size()) + 1).first->second);
    key[1 + i / 2] |= std::uint64_t{whats_.back()} << (i % 2 * 32);
  }
  const auto found = tapes_.chunk_of.find(key);
  if (found != tapes_.chunk_of.end()) return found->second;

  auto made = std::make_unique<Chunk>();
  const std::int32_t origin = place.tape.events[first].cycle;
  made->points.reserve(events + 1);
  made->lanes.reserve((events + 1) * ports_.size());
  made->lanes.resize(ports_.size(), Lane{0, kNotLate, {}, 0});
  for (std::size_t i = 0; i < events; ++i) {
    made->points.push_back({state, whats_[i], static_cast<std::uint32_t>(made->answers.size())});
    const Outcome& outcome = outcomes_[take(state, step_at(place, first + i, kNoRefresh))];
    extend(*made, outcome, place.tape.events[first + i].cycle - origin);
    state = outcome.next;
  }
  made->points.push_back({state, 0, static_cast<std::uint32_t>(made->answers.size())});
  tapes_.bytes += sizeof(Chunk) + 128 + made->points.size() * (sizeof(Point) + sizeof(Lane) * ports_.size()) +
                  (made->runs[0].capacity() + made->runs[1].capacity()) * sizeof(Arrival) +
                  made->answers.capacity() * 4;
  const auto number = static_cast<std::uint32_t>(tapes_.chunks.size());
  tapes_.chunk_of.emplace(key, number);
  tapes_.chunks.push_back(std::move(made));
  return number;
}

// By the step of the last point, which begins in `cycle` of the chunk.
void Ddr4Channel::extend(Chunk& chunk, const Outcome& outcome, std::int32_t cycle) const {
  for (std::size_t j = 0; j < ports_.size(); ++j) {
    Lane lane = chunk.lanes[chunk.lanes.size() - ports_.size()];
    for (std::uint32_t k = 0; k < outcome.arrivals; ++k) {
      const Arrival& arrival = arrivals_[outcome.first_arrival + k];
      if (arrival.port != ports_[j]) continue;
      lane.late = std::max(lane.late, cycle + arrival.first - lane.beats);
      lane.beats += arrival.count;
      chunk.runs[static_cast<std::size_t>(arrival.port)].push_back(
          {arrival.port, cycle + arrival.first, arrival.count});
      ++lane.runs;
    }
    if (ports_[j] == fpgpt::port_id(fpgpt::Port::Out)) {
      for (std::uint32_t k = 0; k < outcome.answers; ++k) {
        chunk.answers.push_back(cycle + answers_[outcome.first_answer + k]);
      }
    }
    const auto& rows = outcome.rows[static_cast<std::size_t>(ports_[j])];
    for (std::size_t kind = 0; kind < 3; ++kind) lane.rows[kind] += rows[kind];
    chunk.lanes.push_back(lane);
  }
}

Ddr4Channel::Step Ddr4Channel::step_at(const LaidTape& place, std::size_t i, Nck refresh_due) {
  const Event& event = place.tape.events[i];
  Step step{event, place.origin + event.cycle, place.gap(i), 0, place.row_before(i), refresh_due};
  if (step.has_address()) step.address = place.address(i);
  return step;
}

// An event and how its address lies in bank and row.
std::uint64_t Ddr4Channel::event_key(const Step& step) const {
  std::uint64_t key = static_cast<std::uint64_t>(step.event.transfer) | std::uint64_t{step.event.port} << 29;
  if (step.has_address()) {
    const auto within = static_cast<std::uint64_t>(step.address & memory::bank_mask(map_));
    const auto rows = static_cast<std::uint64_t>(step.row() - step.row_before);
    key |= std::uint64_t{step.event.beats} << 2 | within << 12 | rows << 32;
  }
  return key;
}

std::uint32_t Ddr4Channel::take(std::uint32_t state, Step step) {
  Key<3> key{two(state, static_cast<std::uint32_t>(step.gap)), event_key(step), 0};
  if (step.refresh_due != kNoRefresh) {
    const memory::ClockRatio& clocks = scratch_.clocks();
    if (step.refresh_due < clocks.first_edge(step.cycle + step.gap)) {
      key[2] = (std::uint64_t{1} << 62) + static_cast<std::uint64_t>(step.refresh_due - clocks.first_edge(step.cycle));
    } else {
      step.refresh_due = kNoRefresh;
    }
  }
  const auto found = steps_.find(key);
  if (found != steps_.end()) return found->second;
  const std::uint32_t made = step.refresh_due != kNoRefresh ? through_rest(state, step) : simulate(state, step);
  steps_.emplace(key, made);
  return made;
}

// A state at the start of `cycle` that one idle cycle does not change, no number of idle cycles changes: it is all of
// the channel but for its refresh.
bool Ddr4Channel::at_rest(std::uint32_t state, Cycles cycle, std::int64_t row) {
  if (rests_.size() <= state) rests_.resize(states_.size(), kRestUnknown);
  if (rests_[state] == kRestUnknown) {
    const Outcome& next = outcomes_[take(state, {{}, cycle, 1, 0, row, kNoRefresh})];
    const bool rests = next.next == state && next.arrivals == 0 && next.answers == 0;
    if (rests_.size() <= state) rests_.resize(states_.size(), kRestUnknown);
    rests_[state] = rests ? kRests : kWorks;
  }
  return rests_[state] == kRests;
}

// A step with a refresh. If the channel is at rest when the refresh falls due, the step is made of that up to then and
// of what the refresh does to a channel at rest, wherever in the step it was due.
std::uint32_t Ddr4Channel::through_rest(std::uint32_t state, const Step& step) {
  const memory::ClockRatio& clocks = scratch_.clocks();
  const Cycles end = step.cycle + step.gap;
  const auto due_in = [&](Nck due) { return clocks.cycle_after(due) - 1; };
  for (const Cycles busy : kBusyCycles) {
    if (step.cycle + busy > due_in(step.refresh_due)) break;
    Step first = step;
    first.gap = busy;
    first.refresh_due = kNoRefresh;
    Outcome whole = outcomes_[take(state, first)];
    if (!at_rest(whole.next, step.cycle + busy, step.row())) continue;
    Step rest{{}, 0, 0, 0, step.row(), step.refresh_due};
    for (Cycles now = due_in(rest.refresh_due); now < end; now = std::max(now, due_in(rest.refresh_due))) {
      rest.cycle = now;
      rest.gap = std::min(end - now, kRefreshCycles);
      Outcome next = outcomes_[take(whole.next, rest)];
      if (rest.gap < end - now && !at_rest(next.next, now + rest.gap, step.row())) {
        rest.gap = end - now;
        next = outcomes_[simulate(whole.next, rest)];
      }
      whole.next = next.next;
      whole.refreshes += next.refreshes;
      rest.refresh_due += next.refreshes * refi_nck_;
      now += rest.gap;
    }
    outcomes_.push_back(whole);
    return static_cast<std::uint32_t>(outcomes_.size() - 1);
  }
  return simulate(state, step);
}

std::uint32_t Ddr4Channel::simulate(std::uint32_t number, const Step& step) {
  const Event& event = step.event;
  const Cycles end = step.cycle + step.gap;
  std::string bytes = states_.bytes(number);
  Relative before(bytes, true);
  scratch_.relative(before, channel_, step.cycle, static_cast<int>(step.row_before));
  scratch_.controller(channel_).set_refresh_due(step.refresh_due);
  for (const int port : ports_) {
    scratch_.returned(port).follow(kLongAgo, kLongAgo);
    memory::PortStats& stats = scratch_.returned(port).stats();
    stats.row_hits = stats.row_misses = stats.row_conflicts = 0;
  }
  if (event.transfer == Transfer::Read) scratch_.send_read(event.port, step.cycle, step.address, event.beats);
  if (event.transfer == Transfer::Write) scratch_.send_write(event.port, step.cycle, step.address, event.beats);
  if (event.transfer == Transfer::WriteBeat) scratch_.send_write_beat(event.port, step.cycle);
  if (end > step.cycle) scratch_.settle(channel_, end);

  Outcome outcome;
  take_known(outcome, step.cycle);
  if (step.refresh_due != kNoRefresh) {
    outcome.refreshes =
        static_cast<std::int32_t>((scratch_.controller(channel_).refresh_due() - step.refresh_due) / refi_nck_);
  }
  std::string after;
  Relative state(after, false);
  scratch_.relative(state, channel_, end, static_cast<int>(step.row()));
  outcome.next = states_.number(std::move(after));
  outcomes_.push_back(outcome);
  ++simulated_;
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
void Ddr4Channel::deliver(const Trajectory& usual, std::size_t first, std::size_t last, const LaidTape& place,
                          Delivery& out) const {
  while (first < last) {
    const std::size_t chunk = first / kChunkEvents, begin = chunk * kChunkEvents;
    const std::size_t end = std::min(begin + kChunkEvents, last);
    deliver(*tapes_.chunks[usual.chunks[chunk]], first - begin, end - begin,
            place.origin + place.tape.events[begin].cycle, out);
    first = end;
  }
}

void Ddr4Channel::deliver(const Chunk& chunk, std::size_t first, std::size_t last, Cycles origin, Delivery& out) const {
  for (std::size_t j = 0; j < ports_.size(); ++j) {
    const auto port = static_cast<std::size_t>(ports_[j]);
    const Lane& from = chunk.lanes[first * ports_.size() + j];
    const Lane& to = chunk.lanes[last * ports_.size() + j];
    for (std::size_t kind = 0; kind < 3; ++kind) out.rows[port][kind] += to.rows[kind] - from.rows[kind];
    const std::int32_t beats = to.beats - from.beats;
    if (beats == 0) continue;
    Arrivals& read = *out.read[port];
    if (read.last() + 1 - from.beats >= origin + to.late) {
      read.push(read.last() + 1, beats);
      continue;
    }
    for (std::uint32_t k = from.runs; k < to.runs; ++k) {
      const Arrival& run = chunk.runs[port][k];
      read.push(origin + run.first, run.count);
    }
  }
  for (std::uint32_t k = chunk.points[first].answers; k < chunk.points[last].answers; ++k) {
    out.answers.push_back(origin + chunk.answers[k]);
  }
}

void Ddr4Channel::forget_tapes() {
  tapes_ = {};
}

std::size_t Ddr4Channel::memory() const {
  const auto of = [](const auto& pool) { return pool.capacity() * sizeof(pool.front()); };
  return states_.memory() + memory_of(steps_) + of(outcomes_) + of(arrivals_) + of(answers_) + lies_.memory() +
         memory_of(events_) + memory_of(futures_) + memory_of(tapes_.lie_of) + of(tapes_.lies) +
         memory_of(tapes_.trajectory_of) + memory_of(tapes_.chunk_of) + tapes_.bytes + memory_of(tapes_.detour_of) +
         memory_of(tapes_.passage_of) + of(tapes_.effects);
}

}  // namespace weft::engine

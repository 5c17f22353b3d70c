#include "model/engine/step_memo.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::engine {

using memory::Nck;

namespace {

constexpr Cycles kLongCycles = 256;  // most channels are idle this long after an event

int id(const ChannelPort& port) {
  return static_cast<int>(port.port);
}

}  // namespace

Step step_at(const PlacedTrace& placed, std::size_t i, Nck refresh_due) {
  const Event& event = placed.trace.events[i];
  Step step{event, placed.origin + event.cycle, placed.gap(i), 0, placed.row_before(i), refresh_due};
  if (event.has_address()) step.address = placed.address(i);
  return step;
}

StepMemo::StepMemo(const memory::MemoryConfig& config, int channel, ChannelPorts ports)
    : channel_(channel),
      ports_(std::move(ports)),
      map_(config.ddr4.map),
      refi_nck_(config.ddr4.timing.refi_nck),
      scratch_(config) {}

std::uint32_t StepMemo::enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row) {
  std::string bytes;
  Relative state(bytes, false);
  memory.relative(state, channel_, now, static_cast<int>(row));
  return states_.number(std::move(bytes));
}

void StepMemo::leave(std::uint32_t number, memory::Ddr4Memory& memory, Cycles now, std::int64_t row) const {
  std::string bytes = states_.bytes(number);
  Relative state(bytes, true);
  memory.relative(state, channel_, now, static_cast<int>(row));
}

std::uint64_t StepMemo::event_word(const Step& step) const {
  std::uint64_t event = static_cast<std::uint64_t>(step.event.transfer) | std::uint64_t{step.event.port} << 29;
  if (step.event.has_address()) {
    const auto within = static_cast<std::uint64_t>(step.address & memory::bank_mask(map_));
    const auto rows = static_cast<std::uint64_t>(step.row() - step.row_before);
    event |= std::uint64_t{step.event.beats} << 2 | within << 12 | rows << 32;
  }
  return event;
}

std::uint32_t StepMemo::make(const Key<2>& key, std::uint32_t state, Step step) {
  const bool refreshed = static_cast<std::uint32_t>(key[1]) != kNoRefreshWithin;
  if (!refreshed) step.refresh_due = kNoRefresh;
  std::uint32_t made = find_idle(idle_key(state, step), step);
  if (made == kUnknown) made = refreshed ? simulate_idle_refresh(state, step) : simulate(state, step);
  steps_.number(key, made);
  return made;
}

// Returns the number of the outcome. Equal outcomes share a number, unless an unequal one has taken their hash.
std::uint32_t StepMemo::keep(const Outcome& outcome) {
  std::uint64_t back = outcome.returns;
  for (const Return& run : returns(outcome)) {
    back = mix(back, two(static_cast<std::uint32_t>(run.first), static_cast<std::uint32_t>(run.count)));
  }
  for (std::size_t lane = 0; lane < ports_.size(); ++lane) {
    for (const std::int16_t count : rows(outcome, lane)) back = mix(back, static_cast<std::uint64_t>(count));
  }
  const auto own = static_cast<std::uint32_t>(outcomes_.size());
  const Key<2> key{two(outcome.next, static_cast<std::uint32_t>(outcome.refreshes)), back};
  const std::uint32_t known = outcome_of_.number(key, own);
  if (known != own && same(outcome, outcomes_[known])) return known;
  outcomes_.push_back(outcome);
  return own;
}

bool StepMemo::same(const Outcome& a, const Outcome& b) const {
  const auto equal = [](const Return& x, const Return& y) {
    return x.lane == y.lane && x.first == y.first && x.count == y.count;
  };
  const Rows *const rows_of_a = rows_.data() + a.first_rows, *const rows_of_b = rows_.data() + b.first_rows;
  return a.next == b.next && a.refreshes == b.refreshes && a.returns == b.returns &&
         std::equal(returns(a).begin(), returns(a).end(), returns(b).begin(), equal) &&
         std::equal(rows_of_a, rows_of_a + ports_.size(), rows_of_b);
}

Key<2> StepMemo::idle_key(std::uint32_t state, const Step& step) {
  const std::uint32_t event = events_.number(Key<1>{event_word(step)}, static_cast<std::uint32_t>(events_.size()));
  const Cycles end = step.cycle + step.gap;
  return Key<2>{two(state, event), two(static_cast<std::uint32_t>(clocks().phase(end)),
                                       refresh_within(step.refresh_due, step.cycle, end))};
}

// Returns the outcome if it is known from a step with another gap, otherwise kUnknown.
std::uint32_t StepMemo::find_idle(const Key<2>& key, const Step& step) const {
  const std::uint32_t known = idle_outcome_of_.find(key);
  if (known == kUnknown || step.gap < idle_outcomes_[known].cycles) return kUnknown;
  const Outcome& outcome = outcomes_[idle_outcomes_[known].outcome];
  const bool next_refresh = step.refresh_due != kNoRefresh && step.refresh_due + outcome.refreshes * refi_nck_ <
                                                                  clocks().first_edge(step.cycle + step.gap);
  return next_refresh ? kUnknown : idle_outcomes_[known].outcome;
}

// Makes the outcome of a step with a refresh. If the channel is idle when the refresh is due, the outcome combines the
// step until then with a refresh of an idle channel, whatever the distance.
std::uint32_t StepMemo::simulate_idle_refresh(std::uint32_t state, const Step& step) {
  const auto due_in = [&](Nck due) { return clocks().cycle_after(due) - 1; };
  const Cycles end = step.cycle + step.gap;
  Step before = step;
  before.gap = due_in(step.refresh_due) - step.cycle;
  before.refresh_due = kNoRefresh;
  if (before.gap <= 0) return simulate(state, step);
  const Key<2> key = idle_key(state, before);
  if (idle_outcome_of_.find(key) == kUnknown) {
    Step to_rest = before;
    to_rest.gap += ceil_div(kLongCycles, clocks().period()) * clocks().period();
    simulate(state, to_rest);
  }
  const std::uint32_t until_due = find_idle(key, before);
  if (until_due == kUnknown) return simulate(state, step);

  Outcome whole = outcomes_[until_due];
  Step rest{{}, step.cycle + before.gap, 0, 0, step.row(), step.refresh_due};
  while (rest.cycle < end) {
    const Cycles next = due_in(rest.refresh_due + refi_nck_);
    rest.gap = (next > rest.cycle ? std::min(next, end) : end) - rest.cycle;
    const Outcome refreshed = take(whole.next, rest);
    whole.next = refreshed.next;
    whole.refreshes += refreshed.refreshes;
    rest.refresh_due += refreshed.refreshes * refi_nck_;
    rest.cycle += rest.gap;
  }
  return keep(whole);
}

std::uint32_t StepMemo::simulate(std::uint32_t number, const Step& step) {
  const Event& event = step.event;
  const Cycles end = step.cycle + step.gap;
  // Most steps follow the one simulated last.
  const Simulated from{number, step.cycle, step.row_before};
  if (!(from == last_)) {
    bytes_ = states_.bytes(number);
    Relative before(bytes_, true);
    scratch_.relative(before, channel_, step.cycle, static_cast<int>(step.row_before));
  }
  scratch_.controller(channel_).set_refresh_due(step.refresh_due);
  for (const ChannelPort& port : ports_) {
    scratch_.returned(id(port)).follow(kLongAgo, kLongAgo);
    memory::PortStats& stats = scratch_.returned(id(port)).stats();
    stats.row_hits = stats.row_misses = stats.row_conflicts = 0;
  }
  if (event.transfer == Transfer::Read) scratch_.send_read(event.port, step.cycle, step.address, event.beats);
  if (event.transfer == Transfer::Write) scratch_.send_write(event.port, step.cycle, step.address, event.beats);
  if (event.transfer == Transfer::WriteBeat) scratch_.send_write_beat(event.port, step.cycle);
  if (end > step.cycle) scratch_.settle(channel_, end);

  Outcome outcome = returned(step.cycle);
  if (step.refresh_due != kNoRefresh) {
    outcome.refreshes =
        static_cast<std::int32_t>((scratch_.controller(channel_).refresh_due() - step.refresh_due) / refi_nck_);
  }
  const Cycles rests = scratch_.controller(channel_).refresh_due() < clocks().first_edge(end)
                           ? kNever
                           : scratch_.rests_from(channel_, end);
  bytes_.clear();
  Relative state(bytes_, false);
  scratch_.relative(state, channel_, end, static_cast<int>(step.row()));
  outcome.next = states_.number(bytes_);
  last_ = {outcome.next, end, step.row()};
  ++simulated_;
  const std::uint32_t made = keep(outcome);
  if (outcomes_[made].first_rows != outcome.first_rows) {  // an equal outcome exists
    returns_.resize(outcome.first_return);
    rows_.resize(outcome.first_rows);
  }
  if (rests != kNever) {
    const std::uint32_t known =
        idle_outcome_of_.number(idle_key(number, step), static_cast<std::uint32_t>(idle_outcomes_.size()));
    if (known == idle_outcomes_.size()) idle_outcomes_.push_back({std::max<Cycles>(rests - step.cycle, 0), made});
  }
  return made;
}

// Takes the returns from the scratch memory.
StepMemo::Outcome StepMemo::returned(Cycles origin) {
  Outcome outcome;
  outcome.first_return = static_cast<std::uint32_t>(returns_.size());
  outcome.first_rows = static_cast<std::uint32_t>(rows_.size());
  for (std::size_t lane = 0; lane < ports_.size(); ++lane) {
    const int port = id(ports_[lane]);
    Return run{static_cast<std::int32_t>(lane), 0, 0};
    const auto add = [&](Cycles visible) {
      const auto cycle = static_cast<std::int32_t>(visible - origin);
      if (run.count > 0 && run.first + run.count == cycle) {
        ++run.count;
        return;
      }
      if (run.count > 0) returns_.push_back(run);
      run.first = cycle;
      run.count = 1;
    };
    for (Cycles visible; (visible = scratch_.next_read_beat(port)) != kNever;) {
      scratch_.take_read_beat(port, visible);
      add(visible);
    }
    for (Cycles visible; (visible = scratch_.next_write_response(port)) != kNever;) {
      scratch_.take_write_response(port, visible);
      add(visible);
    }
    if (run.count > 0) returns_.push_back(run);
    const memory::PortStats& stats = scratch_.returned(port).stats();
    rows_.push_back({static_cast<std::int16_t>(stats.row_hits), static_cast<std::int16_t>(stats.row_misses),
                     static_cast<std::int16_t>(stats.row_conflicts)});
  }
  outcome.returns = static_cast<std::uint32_t>(returns_.size()) - outcome.first_return;
  return outcome;
}

void StepMemo::deliver(const Outcome& outcome, Cycles cycle, Delivery& out) const {
  for (const Return& run : returns(outcome)) {
    const ChannelPort& port = ports_[static_cast<std::size_t>(run.lane)];
    engine::deliver(run, port.direction, cycle, out[port.port]);
  }
  for (std::size_t lane = 0; lane < ports_.size(); ++lane) {
    for (std::size_t kind = 0; kind < 3; ++kind) out[ports_[lane].port].rows[kind] += rows(outcome, lane)[kind];
  }
}

std::size_t StepMemo::memory() const {
  const auto of = [](const auto& pool) { return pool.capacity() * sizeof(pool.front()); };
  return states_.memory() + memory_of(timed_events_) + memory_of(events_) + memory_of(steps_) +
         memory_of(idle_outcome_of_) + memory_of(outcome_of_) + of(idle_outcomes_) + of(outcomes_) + of(returns_) +
         of(rows_);
}

}  // namespace weft::engine

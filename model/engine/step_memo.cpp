#include "model/engine/step_memo.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::engine {

using memory::Nck;

namespace {

// A refresh of an idle channel is over by then, or the rest of the step is simulated with it.
constexpr Cycles kRefreshCycles = 128;
constexpr std::array<Cycles, 5> kBusyCycles{4, 8, 16, 32, 64};  // after an event, tried in this order

int id(const ChannelPort& port) {
  return static_cast<int>(port.port);
}

}  // namespace

Step step_at(const LaidTape& place, std::size_t i, Nck refresh_due) {
  const Event& event = place.tape.events[i];
  Step step{event, place.origin + event.cycle, place.gap(i), 0, place.row_before(i), refresh_due};
  if (event.has_address()) step.address = place.address(i);
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

std::uint32_t StepMemo::what(const Step& step) {
  std::uint64_t event = static_cast<std::uint64_t>(step.event.transfer) | std::uint64_t{step.event.port} << 29;
  if (step.event.has_address()) {
    const auto within = static_cast<std::uint64_t>(step.address & memory::bank_mask(map_));
    const auto rows = static_cast<std::uint64_t>(step.row() - step.row_before);
    event |= std::uint64_t{step.event.beats} << 2 | within << 12 | rows << 32;
  }
  const Key<2> key{event, static_cast<std::uint64_t>(step.gap)};
  return whats_.number(key, static_cast<std::uint32_t>(whats_.size()) + 1);
}

std::uint32_t StepMemo::make(const Key<2>& key, std::uint32_t state, Step step) {
  const bool refreshed = static_cast<std::uint32_t>(key[1]) != kNoRefreshWithin;
  if (!refreshed) step.refresh_due = kNoRefresh;
  const std::uint32_t made = refreshed ? through_rest(state, step) : simulate(state, step);
  steps_.number(key, made);
  return made;
}

std::uint32_t StepMemo::keep(const Outcome& outcome) {
  outcomes_.push_back(outcome);
  return static_cast<std::uint32_t>(outcomes_.size() - 1);
}

// A state at the start of `cycle` that one idle cycle does not change, no number of idle cycles changes: it is all of
// the channel but for its refresh.
bool StepMemo::at_rest(std::uint32_t state, Cycles cycle, std::int64_t row) {
  if (rests_.size() <= state) rests_.resize(states_.size(), Rest::Unknown);
  if (rests_[state] == Rest::Unknown) {
    const Outcome next = take(state, {{}, cycle, 1, 0, row, kNoRefresh});
    const bool rests = next.next == state && next.returns == 0;
    if (rests_.size() <= state) rests_.resize(states_.size(), Rest::Unknown);
    rests_[state] = rests ? Rest::Rests : Rest::Works;
  }
  return rests_[state] == Rest::Rests;
}

// A step with a refresh. If the channel is at rest when the refresh falls due, the step is made of that up to then and
// of what the refresh does to a channel at rest, wherever in the step it was due.
std::uint32_t StepMemo::through_rest(std::uint32_t state, const Step& step) {
  const Cycles end = step.cycle + step.gap;
  const auto due_in = [&](Nck due) { return clocks().cycle_after(due) - 1; };
  for (const Cycles busy : kBusyCycles) {
    if (step.cycle + busy > due_in(step.refresh_due)) break;
    Step first = step;
    first.gap = busy;
    first.refresh_due = kNoRefresh;
    Outcome whole = take(state, first);
    if (!at_rest(whole.next, step.cycle + busy, step.row())) continue;
    Step rest{{}, 0, 0, 0, step.row(), step.refresh_due};
    for (Cycles now = due_in(rest.refresh_due); now < end; now = std::max(now, due_in(rest.refresh_due))) {
      rest.cycle = now;
      rest.gap = std::min(end - now, kRefreshCycles);
      Outcome next = take(whole.next, rest);
      if (rest.gap < end - now && !at_rest(next.next, now + rest.gap, step.row())) {
        rest.gap = end - now;
        next = outcomes_[simulate(whole.next, rest)];
      }
      whole.next = next.next;
      whole.refreshes += next.refreshes;
      rest.refresh_due += next.refreshes * refi_nck_;
      now += rest.gap;
    }
    return keep(whole);
  }
  return simulate(state, step);
}

std::uint32_t StepMemo::simulate(std::uint32_t number, const Step& step) {
  const Event& event = step.event;
  const Cycles end = step.cycle + step.gap;
  // Mostly a step follows the one that was simulated last.
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
  bytes_.clear();
  Relative state(bytes_, false);
  scratch_.relative(state, channel_, end, static_cast<int>(step.row()));
  outcome.next = states_.number(bytes_);
  last_ = {outcome.next, end, step.row()};
  ++simulated_;
  return keep(outcome);
}

// Takes what the scratch memory has for the ports.
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
  return states_.memory() + memory_of(whats_) + memory_of(steps_) + of(outcomes_) + of(returns_) + of(rows_);
}

}  // namespace weft::engine

#include "model/engine/ddr4_channel.h"

#include <algorithm>

namespace weft::engine {

using memory::Nck;

namespace {

constexpr std::uint32_t kUnknown = KeyMap<2>::kNone;

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
      signatures_(config.ddr4.map),
      deviation_returns_(ports.size()),
      summary_returns_(ports.size()) {}

ChannelState Ddr4Channel::enter(memory::Ddr4Memory& memory, Cycles now, std::int64_t row) {
  return {steps_.enter(memory, now, row), row, memory.controller(channel_).refresh_due()};
}

void Ddr4Channel::leave(const ChannelState& channel, memory::Ddr4Memory& memory, Cycles now) const {
  steps_.leave(channel.state, memory, now, channel.row);
  memory.controller(channel_).set_refresh_due(channel.refresh_due);
}

void Ddr4Channel::replay(ChannelState& channel, Cycles origin, const RequestTrace& trace, const Bases& bases,
                         Delivery& out) {
  const MappingSignature signature = signatures_.find(channel.row, trace, bases);
  const Key<3> key{two(trace.number, channel.state), signature.number,
                   two(steps_.refresh_within(channel.refresh_due, origin, origin + trace.cycles),
                       static_cast<std::uint32_t>(steps_.clocks().phase(origin)))};
  const TraceSummaries::At known{summary_of_.find(key)};
  if (known.word != kUnknown && summaries_.determines(steps_.ports(), known, origin, out)) {
    summaries_.replay(steps_.ports(), known, origin, channel, steps_.refi_nck(), out);
  } else {
    addresses_.clear();
    bases.fill(trace, addresses_);
    const PlacedTrace placed{origin, trace, addresses_, channel.row};
    if (known.word != kUnknown || trace.cycles > PackedRun::kMostFirst / 2) {
      replay_by_deviations(signature, channel, placed, out);
    } else {
      replay_new(key, signature, channel, placed, out);
    }
  }
  channel.row += signature.row_delta;
}

void Ddr4Channel::replay_new(const Key<3>& key, const MappingSignature& signature, ChannelState& channel,
                             const PlacedTrace& placed, Delivery& out) {
  ChannelState after = channel;
  replay_by_deviations(signature, after, placed, summary_returns_.begin());
  const TraceSummaries::At made = summaries_.record(steps_.ports(), summary_returns_.delivery(), placed.origin, channel,
                                                    after, steps_.refi_nck(), out);
  summary_of_.number(key, made.word);
  summaries_.replay(steps_.ports(), made, placed.origin, channel, steps_.refi_nck(), out);
}

void Ddr4Channel::replay_by_deviations(const MappingSignature& signature, ChannelState& channel,
                                       const PlacedTrace& placed, Delivery& out) {
  BaselinePath& path = paths_.find(steps_, channel.state, signature.number, placed);
  expect_refreshes(path, channel, placed);
  auto expected = expected_.begin();
  const std::size_t events = placed.trace.events.size();
  for (std::size_t at = 0; at < events;) {
    std::uint32_t known = kUnknown;
    if (channel.state == paths_.state(path, at)) {
      while (expected != expected_.end() && expected->due < channel.refresh_due) ++expected;
      std::size_t met = events;
      if (expected != expected_.end()) {
        const bool present = expected->due == channel.refresh_due && expected->at >= at;
        met = present ? expected->at : refreshed_at(at, channel, placed);
        if (present) known = expected->deviation;
      }
      paths_.deliver(steps_.ports(), path, at, met, placed, out);
      channel.state = paths_.state(path, met);
      at = met;
      if (at == events) break;
    }
    const Deviations::At deviation =
        known != kUnknown ? Deviations::At{known} : find_deviation(path, at, channel, placed);
    at += deviations_.replay(steps_.ports(), deviation, placed.origin + placed.trace.events[at].cycle, channel,
                             steps_.refi_nck(), out);
  }
}

// Finds the refreshes of a trace and prefetches their deviations, assuming that the channel is back on the baseline
// path before each refresh, as it mostly is. So the look-ups overlap.
void Ddr4Channel::expect_refreshes(BaselinePath& path, const ChannelState& channel, const PlacedTrace& placed) {
  const std::vector<Event>& events = placed.trace.events;
  expected_.clear();
  ChannelState there = channel;
  for (std::size_t at = 0;; there.refresh_due += steps_.refi_nck()) {
    at = refreshed_at(at, there, placed);
    if (at == events.size()) break;
    expected_.push_back({at, there.refresh_due, Key<2>{}, kUnknown});
    paths_.prefetch(path, at);
    paths_.prefetch(path, std::min(at + BaselinePaths::kFutureEvents, events.size() - 1));
  }
  for (Expected& each : expected_) {
    there.state = paths_.state(path, each.at);
    there.refresh_due = each.due;
    each.key = key_of(path, each.at, there, placed);
    deviation_of_.prefetch(each.key);
  }
  for (Expected& each : expected_) {
    each.deviation = deviation_of_.find(each.key);
    if (each.deviation != kUnknown) deviations_.prefetch({each.deviation});
  }
}

// Returns the first cycle of the trace whose start follows the refresh; cycles + 1 if there is none.
Cycles Ddr4Channel::refresh_cycle(const ChannelState& channel, const PlacedTrace& placed) const {
  const memory::ClockRatio& clocks = steps_.clocks();
  const Cycles past_end = placed.trace.cycles + 1;
  if (channel.refresh_due >= clocks.first_edge(placed.origin + placed.trace.cycles)) return past_end;
  return std::min(clocks.cycle_after(channel.refresh_due) - placed.origin, past_end);
}

// Returns the event, from `at` on, whose step contains the next refresh, or the number of events.
std::size_t Ddr4Channel::refreshed_at(std::size_t at, const ChannelState& channel, const PlacedTrace& placed) const {
  const RequestTrace& trace = placed.trace;
  const Cycles due = refresh_cycle(channel, placed);
  if (due > trace.cycles) return trace.events.size();
  const auto before = [](const Event& event, Cycles cycle) { return event.cycle < cycle; };
  const auto next =
      std::lower_bound(trace.events.begin() + static_cast<std::ptrdiff_t>(at) + 1, trace.events.end(), due, before);
  return static_cast<std::size_t>(next - trace.events.begin()) - 1;
}

Key<2> Ddr4Channel::key_of(BaselinePath& path, std::size_t at, const ChannelState& channel, const PlacedTrace& placed) {
  const RequestTrace& trace = placed.trace;
  const std::size_t end = at + BaselinePaths::kFutureEvents;
  const Cycles last = end < trace.events.size() ? trace.events[end].cycle : trace.cycles;
  const std::uint32_t refresh =
      steps_.refresh_within(channel.refresh_due, placed.origin + trace.events[at].cycle, placed.origin + last);
  return Key<2>{two(paths_.state(path, at), channel.state), two(paths_.future(path, at), refresh)};
}

// Returns the deviation from event `at` on, up to the baseline path or the end of the event's future.
Deviations::At Ddr4Channel::find_deviation(BaselinePath& path, std::size_t at, const ChannelState& channel,
                                           const PlacedTrace& placed) {
  const Key<2> key = key_of(path, at, channel, placed);
  Deviations::At deviation{deviation_of_.find(key)};
  if (deviation.word == kUnknown) {
    deviation = simulate_deviation(path, at, channel, placed);
    deviation_of_.number(key, deviation.word);
  }
  return deviation;
}

Deviations::At Ddr4Channel::simulate_deviation(const BaselinePath& path, std::size_t at, ChannelState channel,
                                               const PlacedTrace& placed) {
  const std::vector<Event>& events = placed.trace.events;
  const std::size_t last = std::min(at + BaselinePaths::kFutureEvents, events.size());
  const ChannelState before = channel;
  std::size_t i = at;
  Delivery& out = deviation_returns_.begin();
  for (;;) {
    const Cycles cycle = placed.origin + events[i].cycle;
    const std::uint32_t refresh = steps_.refresh_within(channel.refresh_due, cycle, cycle + placed.gap(i));
    const StepMemo::Outcome outcome = steps_.take(channel.state, paths_.timed_event(path, i), refresh,
                                                  [&] { return step_at(placed, i, channel.refresh_due); });
    steps_.deliver(outcome, cycle, out);
    channel.refresh_due += outcome.refreshes * steps_.refi_nck();
    channel.state = outcome.next;
    ++i;
    if (i == last || channel.state == paths_.state(path, i) ||
        events[i].cycle - events[at].cycle >= PackedRun::kMostFirst / 2) {
      break;
    }
  }
  return deviations_.record(steps_.ports(), deviation_returns_.delivery(), placed.origin + events[at].cycle, i - at,
                            before, channel, steps_.refi_nck());
}

void Ddr4Channel::evict_summaries() {
  summaries_.evict();
  summary_of_ = {};
}

void Ddr4Channel::evict_traces() {
  evict_summaries();
  signatures_.evict();
  paths_.evict();
}

void Ddr4Channel::evict_deviations() {
  deviations_.evict();
  deviation_of_ = {};
}

std::size_t Ddr4Channel::memory() const {
  return steps_.memory() + signatures_.memory() + paths_.memory() + deviations_.memory() + summaries_.memory() +
         memory_of(deviation_of_) + memory_of(summary_of_);
}

}  // namespace weft::engine

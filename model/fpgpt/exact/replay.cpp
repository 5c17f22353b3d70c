#include "model/fpgpt/exact/replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/fpgpt/exact/answered_writes.h"

namespace weft::fpgpt::exact {

using engine::Run;

bool Replay::advance(const MemoEntry& entry) {
  const Interval& interval = entry.kernel->interval;
  next_.read = at_.read;
  next_.channels = at_.channels;
  next_.assumed = at_.assumed;
  next_.last_answer = at_.last_answer;
  next_.now = at_.now + interval.cycles;
  for (const Run& run : interval.answers) {
    for (std::int64_t i = 0; i < run.count; ++i) next_.assumed.push_back(at_.now + run.first + i);
  }
  if (!setting_.is_ddr4()) {
    through_ideal(entry);
  } else if (!through_ddr4(entry)) {
    return false;
  }
  for (std::size_t port = 0; port < 2; ++port) {
    const engine::ConsumptionSchedule& schedule = *entry.kernel->schedules[port];
    if (!next_.read[port].in_time(at_.now, schedule)) return false;
    next_.read[port].take(schedule.taken());
  }
  next_.windows = setting_.partition.next(at_.windows);
  next_.state = interval.next;
  for (std::size_t i = 0; i < 2; ++i) next_.readers[i] = entry.readers[i]->ahead.next;
  std::swap(at_, next_);
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (std::size_t kind = 0; kind < 3; ++kind) rows_[port][kind] += delivery_[port].rows[kind];
  }
  return true;
}

bool Replay::through_ddr4(const MemoEntry& entry) {
  const std::int64_t round = at_.anchor(setting_.partition).round;
  clear(delivery_);
  for (std::size_t i = 0; i < 2; ++i) {
    delivery_[i].read = &next_.read[i];
    delivery_[i].schedule = entry.kernel->schedules[i];
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const engine::RequestTrace& trace = *entry.traces[i];
    channels_[i].replay(next_.channels[i], at_.now, trace, bases_.of(trace, round), delivery_);
  }
  // Either the responses are as assumed and complete, or some are late and the kernel does not wait for them.
  late_ = {};
  return confirm(delivery_[static_cast<std::size_t>(Port::Out)].answers, next_.now, next_.assumed, next_.last_answer) ||
         confirm_late(entry);
}

// Late responses must come before the end of the interval.
bool Replay::confirm_late(const MemoEntry& entry) {
  const Interval& interval = entry.kernel->interval;
  std::vector<Cycles> given = delivery_[static_cast<std::size_t>(Port::Out)].answers;
  if (given.empty() || given.size() > next_.assumed.size()) return false;
  Cycles last = next_.last_answer;
  for (Cycles& visible : given) last = visible = std::max(visible, last + 1);
  for (std::size_t i = 0; i < next_.assumed.size(); ++i) {
    const bool in_interval = next_.assumed[i] < next_.now;
    if (i < given.size() ? (given[i] < next_.now) != in_interval || (!in_interval && given[i] != next_.assumed[i])
                         : in_interval) {
      return false;
    }
  }
  // All responses of the interval in order, ending with the assumed ones.
  std::vector<Cycles> assumed;
  for (const Cycles cycle : interval.pending) assumed.push_back(at_.now + cycle);
  for (const Run& run : interval.answers) {
    for (std::int64_t i = 0; i < run.count; ++i) assumed.push_back(at_.now + run.first + i);
  }
  std::vector<Cycles> actual = assumed;
  std::copy(given.begin(), given.end(), actual.end() - static_cast<std::ptrdiff_t>(next_.assumed.size()));
  const std::optional<LateResponses> late = late_responses(*entry.kernel->out, at_.now, interval.outstanding,
                                                           setting_.plan->alpha.out_port.outstanding, assumed, actual);
  if (!late) return false;
  late_ = *late;
  next_.last_answer = given.back();
  next_.assumed.erase(next_.assumed.begin(), next_.assumed.begin() + static_cast<std::ptrdiff_t>(given.size()));
  return true;
}

void Replay::through_ideal(const MemoEntry& entry) {
  for (std::size_t port = 0; port < 2; ++port) {
    for (const engine::Event& event : entry.readers[port]->ahead.transfers.events) {
      next_.read[port].push(at_.now + event.cycle + 1 + setting_.memory.ideal_latency_cycles, event.beats);
    }
  }
  if (!next_.assumed.empty()) next_.last_answer = next_.assumed.back();
  next_.assumed.clear();
}

}  // namespace weft::fpgpt::exact

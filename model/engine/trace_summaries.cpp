#include "model/engine/trace_summaries.h"

#include <algorithm>

namespace weft::engine {

namespace {

// Returns how many of the last `beats` beats the port leaves, if it takes all earlier ones first.
std::int64_t left_of(std::int64_t beats, const PortDelivery& to) {
  return to.schedule ? std::clamp<std::int64_t>(to.read->size() + beats - to.schedule->taken(), 0, beats) : beats;
}

// Returns true if the beats become visible back to back after the earlier ones.
bool one_after_the_other(const SummaryLane& lane, Cycles origin, const PortDelivery& to) {
  return to.read->last() + 1 >= origin + lane.late;
}

bool all_runs_are_kept(const SummaryLane& lane) {
  return lane.block_beats == lane.last_beats;
}

// Cycle of the last beat while runs are appended.
class Last {
 public:
  explicit Last(Cycles last) : last_(last) {}
  bool waits(Cycles first) const { return first <= last_; }
  void add(Cycles first, std::int64_t count) { last_ = std::max(first, last_ + 1) + count - 1; }

 private:
  Cycles last_;
};

}  // namespace

TraceSummaries::At TraceSummaries::record(const ChannelPorts& ports, const Delivery& uncontended, Cycles origin,
                                          const ChannelState& before, const ChannelState& after, memory::Nck refi_nck,
                                          const Delivery& out) {
  const At summary = pool_.put(
      TraceSummary{after.state, static_cast<std::int32_t>((after.refresh_due - before.refresh_due) / refi_nck)});
  const auto lanes = summary.after<SummaryLane>(1);
  for (std::size_t j = 0; j < ports.size(); ++j) pool_.put(SummaryLane{});
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const PortDelivery& from = uncontended[ports[j].port];
    SummaryLane lane = ports[j].direction == PortDirection::Read
                           ? record_reads(ports[j], from, origin, out[ports[j].port])
                           : record_responses(ports[j], from, origin);
    for (std::size_t kind = 0; kind < 3; ++kind) lane.rows[kind] = static_cast<std::int32_t>(from.rows[kind]);
    pool_.set(lanes + j, lane);
  }
  return summary;
}

SummaryLane TraceSummaries::record_responses(const ChannelPort& port, const PortDelivery& from, Cycles origin) {
  SummaryLane lane{};
  for_each_run(port, from, [&](Cycles first, std::int64_t count) {
    lane.runs += PackedRun::parts(count);
    put_runs(pool_, first - origin, count);
  });
  return lane;
}

SummaryLane TraceSummaries::record_reads(const ChannelPort& port, const PortDelivery& from, Cycles origin,
                                         const PortDelivery& to) {
  SummaryLane lane{};
  lane.late = kNotLate;
  for_each_run(port, from, [&](Cycles first, std::int64_t count) {
    lane.late = std::max(lane.late, static_cast<std::int32_t>(first - origin) - lane.beats);
    lane.beats += static_cast<std::int32_t>(count);
  });
  if (lane.beats == 0) return lane;
  const std::int64_t left = left_of(lane.beats, to);
  Last last(to.read->last());
  RequiredLead required_lead(to.schedule);
  std::int64_t beats_after = lane.beats;
  for_each_run(port, from, [&](Cycles first, std::int64_t count) {
    const auto cycle = static_cast<std::int32_t>(first - origin);
    beats_after -= count;
    if (lane.block_beats == 0 && last.waits(first)) {
      last.add(first, count);
      lane.first_runs += PackedRun::parts(count);
    } else {
      if (lane.block_beats == 0) lane.begin = cycle;
      lane.block_beats += static_cast<std::int32_t>(count);
      lane.last = static_cast<std::int32_t>(cycle + count - 1);
      required_lead.add(cycle, count);
      if (beats_after >= left) return;
      lane.last_beats += static_cast<std::int32_t>(count);
    }
    lane.runs += PackedRun::parts(count);
    put_runs(pool_, cycle, count);
  });
  if (to.schedule) lane.schedule = to.schedule->number;
  lane.required_lead = static_cast<std::int32_t>(required_lead.beats());
  return lane;
}

bool TraceSummaries::determines(const SummaryLane& lane, WordPool::At<PackedRun> runs, Cycles origin,
                                const PortDelivery& to) const {
  if (all_runs_are_kept(lane) || one_after_the_other(lane, origin, to)) return true;
  if (!to.schedule || to.schedule->number != lane.schedule || left_of(lane.beats, to) > lane.last_beats) return false;
  Last last(to.read->last());
  for (std::uint32_t k = 0; k < lane.first_runs; ++k) {
    const PackedRun run = pool_.get(runs + k);
    last.add(origin + run.first, run.count);
  }
  return !last.waits(origin + lane.begin);
}

bool TraceSummaries::determines(const ChannelPorts& ports, At summary, Cycles origin, const Delivery& out) const {
  const auto lanes = summary.after<SummaryLane>(1);
  auto runs = lanes.after<PackedRun>(ports.size());
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const SummaryLane lane = pool_.get(lanes + j);
    if (!determines(lane, runs, origin, out[ports[j].port])) return false;
    runs = runs + lane.runs;
  }
  return true;
}

void TraceSummaries::replay(const ChannelPorts& ports, At at, Cycles origin, ChannelState& channel,
                            memory::Nck refi_nck, Delivery& out) const {
  const TraceSummary summary = pool_.get(at);
  const auto lanes = at.after<SummaryLane>(1);
  auto runs = lanes.after<PackedRun>(ports.size());
  for (std::size_t j = 0; j < ports.size(); ++j) {
    const SummaryLane lane = pool_.get(lanes + j);
    PortDelivery& to = out[ports[j].port];
    for (std::size_t kind = 0; kind < 3; ++kind) to.rows[kind] += lane.rows[kind];
    if (lane.beats > 0 && one_after_the_other(lane, origin, to)) {
      to.read->push(to.read->last() + 1, lane.beats);
    } else {
      const bool whole = all_runs_are_kept(lane);
      const std::uint32_t uncontended = whole ? lane.runs : lane.first_runs;
      for (std::uint32_t k = 0; k < uncontended; ++k) deliver(pool_.get(runs + k), ports[j].direction, origin, to);
      if (!whole) {
        to.read->push(ReturnQueue::Block{&pool_, runs + uncontended, lane.runs - uncontended, lane.block_beats,
                                         lane.required_lead, origin, origin + lane.last});
      }
    }
    runs = runs + lane.runs;
  }
  channel.state = summary.state;
  channel.refresh_due += summary.refreshes * refi_nck;
}

}  // namespace weft::engine

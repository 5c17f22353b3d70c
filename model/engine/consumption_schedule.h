#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/core/intern.h"
#include "model/core/units.h"
#include "model/engine/request_trace.h"

namespace weft::engine {

// `count` beats or responses, one per cycle from cycle `first` on.
struct Run {
  Cycles first;
  std::int64_t count;
  friend bool operator==(const Run& a, const Run& b) { return a.first == b.first && a.count == b.count; }
};

// Appends a run that begins after the end of `runs`.
inline void append(std::vector<Run>& runs, Cycles first, std::int64_t count) {
  if (!runs.empty() && runs.back().first + runs.back().count == first) {
    runs.back().count += count;
  } else {
    runs.push_back({first, count});
  }
}

// Cycles of an interval in which a port consumes beats. The port needs the first beat from cycle 0 on, and each other
// one from the cycle after the beat before was consumed.
class ConsumptionSchedule {
 public:
  // `more`: the port needs another beat after the last consumed one.
  ConsumptionSchedule(std::vector<Run> runs, Cycles cycles, bool more) : runs_(std::move(runs)), cycles_(cycles) {
    Cycles next = 0;
    for (const Run& run : runs_) {
      deadlines_.push_back(static_cast<std::int32_t>(next));
      for (std::int64_t i = 1; i < run.count; ++i) deadlines_.push_back(static_cast<std::int32_t>(run.first + i));
      next = run.first + run.count;
    }
    taken_ = static_cast<std::int64_t>(deadlines_.size());
    if (more && next < cycles) deadlines_.push_back(static_cast<std::int32_t>(next));
    runs_.shrink_to_fit();
    deadlines_.shrink_to_fit();
  }
  std::uint32_t number = 0;  // unique in its SharedPool
  const std::vector<Run>& runs() const { return runs_; }
  Cycles cycles() const { return cycles_; }
  std::int64_t taken() const { return taken_; }
  // Returns for each beat the first cycle in which the port needs it.
  const std::vector<std::int32_t>& deadlines() const { return deadlines_; }
  std::size_t memory() const {
    return sizeof(ConsumptionSchedule) + runs_.size() * sizeof(Run) + deadlines_.size() * 4 + 24;
  }
  // Compares the cycles; ignores the numbers.
  friend bool operator==(const ConsumptionSchedule& a, const ConsumptionSchedule& b) {
    return a.cycles_ == b.cycles_ && a.runs_ == b.runs_ && a.deadlines_ == b.deadlines_;
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::int32_t> deadlines_;
  Cycles cycles_;
  std::int64_t taken_ = 0;
};

// Smallest number of earlier beats for which every run arrives before it is consumed. At most one beat is consumed per
// cycle, so checking the first beat of a run is enough.
class RequiredLead {
 public:
  explicit RequiredLead(const ConsumptionSchedule* schedule) : schedule_(schedule) {}  // nullptr: no requirement
  // Adds the next run, which arrives from cycle `first` of the schedule on.
  void add(Cycles first, std::int64_t count) {
    if (!schedule_) return;
    const std::vector<std::int32_t>& deadlines = schedule_->deadlines();
    while (beats_ + runs_ < deadlines.size() && deadlines[beats_ + runs_] < first) ++beats_;
    runs_ += static_cast<std::size_t>(count);
  }
  std::int64_t beats() const { return static_cast<std::int64_t>(beats_); }

 private:
  const ConsumptionSchedule* schedule_;
  std::size_t runs_ = 0;  // beats in the runs added
  std::size_t beats_ = 0;
};

struct ConsumptionScheduleHash {
  std::size_t operator()(const ConsumptionSchedule& schedule) const {
    std::uint64_t hash = mix(0, static_cast<std::uint64_t>(schedule.cycles()));
    for (const Run& run : schedule.runs()) {
      hash = mix(hash, static_cast<std::uint64_t>(run.first) << 32 ^ static_cast<std::uint64_t>(run.count));
    }
    return hash;
  }
};

// Pool of schedules and traces that intervals share. Equal values are stored once and have one number. Numbers are not
// reused after eviction, because memo keys contain them.
class SharedPool {
 public:
  const ConsumptionSchedule* keep(ConsumptionSchedule schedule) { return keep(schedules_, std::move(schedule)); }
  const RequestTrace* keep(RequestTrace trace) { return keep(traces_, std::move(trace)); }

  void evict() {
    schedules_.clear();
    traces_.clear();
    bytes_ = 0;
    ++evictions_;
  }
  int evictions() const { return evictions_; }   // calls of evict()
  std::size_t memory() const { return bytes_; }  // approximate bytes

 private:
  template <typename Pool, typename Value>
  const Value* keep(Pool& pool, Value value) {
    value.number = ++numbered_;
    const auto [found, added] = pool.insert(std::move(value));
    if (added) bytes_ += found->memory();
    return &*found;
  }

  std::unordered_set<ConsumptionSchedule, ConsumptionScheduleHash> schedules_;
  std::unordered_set<RequestTrace, RequestTraceHash> traces_;
  std::uint32_t numbered_ = 0;
  int evictions_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace weft::engine

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/core/units.h"
#include "model/engine/intern.h"

namespace weft::engine {

inline constexpr Cycles kLongAgo = -(Cycles{1} << 40);

// `count` things, one a cycle from cycle `first` on.
struct Run {
  Cycles first;
  std::int64_t count;
  friend bool operator==(const Run& a, const Run& b) { return a.first == b.first && a.count == b.count; }
};

// Appends to `runs`, which are in order.
inline void append(std::vector<Run>& runs, Cycles first, std::int64_t count) {
  if (!runs.empty() && runs.back().first + runs.back().count == first) {
    runs.back().count += count;
  } else {
    runs.push_back({first, count});
  }
}

// The cycles of a stretch in which a port takes beats. A beat is looked for from the cycle after the one before it was
// taken, the first from the start, and one that is not taken likewise.
class Takes {
 public:
  // `more`: there are beats to look for after those that are taken.
  Takes(std::vector<Run> runs, Cycles cycles, bool more) : runs_(std::move(runs)), cycles_(cycles) {
    Cycles next = 0;
    for (const Run& run : runs_) {
      needs_.push_back(static_cast<std::int32_t>(next));
      for (std::int64_t i = 1; i < run.count; ++i) needs_.push_back(static_cast<std::int32_t>(run.first + i));
      next = run.first + run.count;
    }
    taken_ = static_cast<std::int64_t>(needs_.size());
    if (more && next < cycles) needs_.push_back(static_cast<std::int32_t>(next));
    runs_.shrink_to_fit();
    needs_.shrink_to_fit();
  }
  std::uint32_t number = 0;  // of its own
  const std::vector<Run>& runs() const { return runs_; }
  Cycles cycles() const { return cycles_; }
  std::int64_t taken() const { return taken_; }
  // The cycle in which each beat is looked for first.
  const std::vector<std::int32_t>& needs() const { return needs_; }
  std::size_t memory() const { return sizeof(Takes) + runs_.size() * sizeof(Run) + needs_.size() * 4 + 24; }
  // The same cycles.
  friend bool operator==(const Takes& a, const Takes& b) {
    return a.cycles_ == b.cycles_ && a.runs_ == b.runs_ && a.needs_ == b.needs_;
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::int32_t> needs_;
  Cycles cycles_;
  std::int64_t taken_ = 0;
};
struct TakesHash {
  std::size_t operator()(const Takes& takes) const {
    std::uint64_t hash = mix(0, static_cast<std::uint64_t>(takes.cycles()));
    for (const Run& run : takes.runs()) {
      hash = mix(hash, static_cast<std::uint64_t>(run.first) << 32 ^ static_cast<std::uint64_t>(run.count));
    }
    return hash;
  }
};

// When the beats (or responses) on their way to a port become visible: in order, at most one a cycle. Those that the
// port has not taken yet, and the cycle of the last one.
class Arrivals {
 public:
  void reset(Cycles last) {
    runs_.clear();
    head_ = 0;
    last_ = last;
  }
  // What `runs` holds, the last thing ever being that of cycle `last`.
  template <typename Queue>
  void load(const Queue& queue, Cycles last) {
    reset(last);
    queue.for_each_run([this](Cycles first, std::int64_t count) { append(runs_, first, count); });
  }
  Cycles last() const { return last_; }
  std::int64_t size() const {
    std::int64_t total = 0;
    for (std::size_t i = head_; i < runs_.size(); ++i) total += runs_[i].count;
    return total;
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = head_; i < runs_.size(); ++i) visit(runs_[i].first, runs_[i].count);
  }

  // Thing i of the run is there from first + i on, unless it has to wait for those before it.
  void push(Cycles first, std::int64_t count) {
    const Cycles visible = std::max(first, last_ + 1);
    append(runs_, visible, count);
    last_ = visible + count - 1;
  }

  // Whether the next things are there when they are looked for, in cycles from `origin` on. No two are looked for in
  // the same cycle, so that a run is in time if its first thing is.
  bool in_time(Cycles origin, const Takes& takes) const {
    const std::vector<std::int32_t>& needs = takes.needs();
    std::size_t before = 0;
    for (std::size_t at = head_; before < needs.size(); ++at) {
      if (at == runs_.size() || runs_[at].first > origin + needs[before]) return false;
      before += static_cast<std::size_t>(runs_[at].count);
    }
    return true;
  }
  void take(std::int64_t count) {
    while (count > 0) {
      Run& run = runs_[head_];
      const std::int64_t together = std::min(count, run.count);
      run.first += together;
      run.count -= together;
      count -= together;
      if (run.count == 0) ++head_;
    }
    if (head_ < kCompact) return;
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

 private:
  static constexpr std::size_t kCompact = 64;

  std::vector<Run> runs_;
  std::size_t head_ = 0;
  Cycles last_ = -1;
};

}  // namespace weft::engine

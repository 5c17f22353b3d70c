#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "model/core/units.h"
#include "model/engine/intern.h"

namespace weft::engine {

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

// The cycles in which things, in order, are looked for first.
class Needs {
 public:
  explicit Needs(std::vector<Run> runs) : runs_(std::move(runs)) {
    for (const Run& run : runs_) {
      earliest_ = std::min(earliest_, run.first - count_);
      count_ += run.count;
    }
    runs_.shrink_to_fit();
  }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t count() const { return count_; }
  // If thing k is there in cycle `earliest` + k, each is there when it is looked for.
  Cycles earliest() const { return earliest_; }
  std::size_t memory() const { return sizeof(Needs) + runs_.capacity() * sizeof(Run) + 24; }
  friend bool operator==(const Needs& a, const Needs& b) { return a.runs_ == b.runs_; }

 private:
  std::vector<Run> runs_;
  std::int64_t count_ = 0;
  Cycles earliest_ = std::numeric_limits<Cycles>::max();
};
struct NeedsHash {
  std::size_t operator()(const Needs& needs) const {
    std::uint64_t hash = 0;
    for (const Run& run : needs.runs()) hash = mix(hash, static_cast<std::uint64_t>(run.first) << 24 ^ run.count);
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

  // Whether the next things are there when they are looked for, in cycles from `origin` on.
  bool in_time(Cycles origin, const Needs& needs) const {
    return all_early(origin + needs.earliest(), needs.count()) || each_in_time(origin, needs.runs());
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

  // Whether thing k of the next `count` is there in cycle first + k.
  bool all_early(Cycles first, std::int64_t count) const {
    std::int64_t before = 0;
    for (std::size_t at = head_; before < count; ++at) {
      if (at == runs_.size() || runs_[at].first > first + before) return false;
      before += runs_[at].count;
    }
    return true;
  }
  bool each_in_time(Cycles origin, const std::vector<Run>& needs) const {
    std::size_t at = head_;
    std::int64_t used = 0;  // of run `at`
    for (const Run& need : needs) {
      for (std::int64_t done = 0; done < need.count;) {
        if (at == runs_.size()) return false;
        if (runs_[at].first + used > origin + need.first + done) return false;
        const std::int64_t together = std::min(need.count - done, runs_[at].count - used);
        done += together;
        used += together;
        if (used == runs_[at].count) {
          ++at;
          used = 0;
        }
      }
    }
    return true;
  }

  std::vector<Run> runs_;
  std::size_t head_ = 0;
  Cycles last_ = -1;
};

}  // namespace weft::engine

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
      need(next, 1);
      need(run.first + 1, run.count - 1);
      next = run.first + run.count;
      taken_ += run.count;
    }
    if (more && next < cycles) need(next, 1);
    runs_.shrink_to_fit();
    needs_.shrink_to_fit();
  }
  std::uint32_t number = 0;  // of its own
  const std::vector<Run>& runs() const { return runs_; }
  Cycles cycles() const { return cycles_; }
  std::int64_t taken() const { return taken_; }
  // The cycles in which the beats are looked for first ...
  const std::vector<Run>& needs() const { return needs_; }
  // ... and if beat k of all of these is there in cycle `earliest` + k, each is there when it is looked for.
  std::int64_t needed() const { return needed_; }
  Cycles earliest() const { return earliest_; }
  std::size_t memory() const { return sizeof(Takes) + (runs_.size() + needs_.size()) * sizeof(Run) + 24; }
  // The same cycles.
  friend bool operator==(const Takes& a, const Takes& b) {
    return a.cycles_ == b.cycles_ && a.runs_ == b.runs_ && a.needs_ == b.needs_;
  }

 private:
  void need(Cycles first, std::int64_t count) {
    if (count == 0) return;
    earliest_ = std::min(earliest_, first - needed_);
    needed_ += count;
    append(needs_, first, count);
  }

  std::vector<Run> runs_, needs_;
  Cycles cycles_;
  std::int64_t taken_ = 0, needed_ = 0;
  Cycles earliest_ = std::numeric_limits<Cycles>::max();
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

  // Whether the next things are there when they are looked for, in cycles from `origin` on.
  bool in_time(Cycles origin, const Takes& takes) const {
    return all_early(origin + takes.earliest(), takes.needed()) || each_in_time(origin, takes.needs());
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

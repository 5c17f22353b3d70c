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

// Runs of beats in a pool of words, those of a port that follow each other in what a tape comes to.
struct RunWords {
  static constexpr int kCountBits = 12;
  static constexpr std::int64_t kMostFirst = std::int64_t{1} << (32 - kCountBits);
  static constexpr std::int64_t kMostCount = (std::int64_t{1} << kCountBits) - 1;
  static std::uint32_t word(Cycles first, std::int64_t count) {
    return static_cast<std::uint32_t>(first << kCountBits | count);
  }
  static Cycles first(std::uint32_t word) { return word >> kCountBits; }
  static std::int64_t count(std::uint32_t word) { return word & kMostCount; }
};

// When the beats (or responses) on their way to a port become visible: in order, at most one a cycle. Those that the
// port has not taken yet, and the cycle of the last one. The last of them may be a block that lies in a pool: it is
// only looked through where it is taken in part.
class Arrivals {
 public:
  // `size` runs of `beats` beats in all from cycle `origin` on, and what was found out of them: if `enough` beats or
  // more come before them they are in time for Takes `takes`.
  struct Block {
    std::vector<std::uint32_t>* pool = nullptr;
    std::uint32_t first = 0, size = 0;    // in the pool
    std::uint32_t takes = 0, enough = 0;  // where these words are in the pool
    std::int64_t beats = 0;
    Cycles origin = 0, last = 0;
  };

  void reset(Cycles last) {
    runs_.clear();
    head_ = 0;
    last_ = last;
    block_.pool = nullptr;
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
    for_each([&total](Cycles, std::int64_t count) { total += count; });
    return total;
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = head_; i < runs_.size(); ++i) visit(runs_[i].first, runs_[i].count);
    for (std::uint32_t i = 0; i < block_size(); ++i)
      visit(block_.origin + RunWords::first(at(i)), RunWords::count(at(i)));
  }

  // Thing i of the run is there from first + i on, unless it has to wait for those before it.
  void push(Cycles first, std::int64_t count) {
    settle();
    const Cycles visible = std::max(first, last_ + 1);
    append(runs_, visible, count);
    last_ = visible + count - 1;
  }
  // All of the block comes after cycle last().
  void push(const Block& block) {
    settle();
    block_ = block;
    last_ = block.last;
  }
  // Keeps nothing in a pool any more.
  void settle() {
    for (std::uint32_t i = 0; i < block_size(); ++i) {
      append(runs_, block_.origin + RunWords::first(at(i)), RunWords::count(at(i)));
    }
    block_.pool = nullptr;
  }

  // Whether the next things are there when they are looked for, in cycles from `origin` on. No two are looked for in
  // the same cycle, so that a run is in time if its first thing is.
  bool in_time(Cycles origin, const Takes& takes) {
    const std::vector<std::int32_t>& needs = takes.needs();
    if (block_.pool && block_.origin != origin) settle();
    std::size_t before = 0;
    for (std::size_t i = head_; before < needs.size(); ++i) {
      if (i == runs_.size()) return block_in_time(before, takes);
      if (runs_[i].first > origin + needs[before]) return false;
      before += static_cast<std::size_t>(runs_[i].count);
    }
    return true;
  }
  void take(std::int64_t count) {
    while (count > 0) {
      if (head_ == runs_.size()) {
        take_of_block(count);
        break;
      }
      Run& run = runs_[head_];
      const std::int64_t together = std::min(count, run.count);
      run.first += together;
      run.count -= together;
      count -= together;
      if (run.count == 0) ++head_;
    }
    if (head_ < kCompact && head_ < runs_.size()) return;
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

 private:
  static constexpr std::size_t kCompact = 64;

  std::uint32_t block_size() const { return block_.pool ? block_.size : 0; }
  std::uint32_t at(std::uint32_t i) const { return (*block_.pool)[block_.first + i]; }

  // Run i of the block, of which k beats come before, is in time if at least so many beats come before the block that
  // its first is beat j or later, the first one that is looked for when it is there.
  bool block_in_time(std::size_t before, const Takes& takes) {
    const std::vector<std::int32_t>& needs = takes.needs();
    if (before + static_cast<std::size_t>(block_.pool ? block_.beats : 0) < needs.size()) return false;
    std::uint32_t& of_takes = (*block_.pool)[block_.takes];
    std::uint32_t& enough = (*block_.pool)[block_.enough];
    if (of_takes != takes.number) {
      std::int64_t most = 0, k = 0;
      std::size_t j = 0;
      for (std::uint32_t i = 0; i < block_.size; ++i) {
        while (j < needs.size() && needs[j] < RunWords::first(at(i))) ++j;
        most = std::max(most, static_cast<std::int64_t>(j) - k);
        k += RunWords::count(at(i));
      }
      of_takes = takes.number;
      enough = static_cast<std::uint32_t>(most);
    }
    return before >= enough;
  }
  // What is left is mostly little, and looked for from the end.
  void take_of_block(std::int64_t count) {
    const Block block = block_;
    std::int64_t left = block.beats - count;
    std::uint32_t i = block.size;
    while (left > 0) left -= RunWords::count(at(--i));
    for (std::int64_t taken = -left; i < block.size; ++i, taken = 0) {
      append(runs_, block.origin + RunWords::first(at(i)) + taken, RunWords::count(at(i)) - taken);
    }
    block_.pool = nullptr;
  }

  std::vector<Run> runs_;
  std::size_t head_ = 0;
  Cycles last_ = -1;
  Block block_;
};

}  // namespace weft::engine

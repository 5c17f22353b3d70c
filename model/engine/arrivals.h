#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/core/units.h"
#include "model/engine/takes.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

inline constexpr Cycles kLongAgo = -(Cycles{1} << 40);

// When the beats (or responses) on their way to a port become visible: in order, at most one a cycle. Those that the
// port has not taken yet, and the cycle of the last one. The last of them may be a block that lies in a pool: it is
// only looked through where it is taken in part.
class Arrivals {
 public:
  // `size` runs of `beats` beats in all from cycle `origin` on, and what was found out of them.
  struct Block {
    WordPool* pool = nullptr;
    WordPool::At<PackedRun> runs;
    WordPool::At<Enough> enough;
    std::uint32_t size = 0;
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
    for (std::uint32_t i = 0; i < block_size(); ++i) visit(block_.origin + block_run(i).first, block_run(i).count);
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
    for (std::uint32_t i = 0; i < block_size(); ++i)
      append(runs_, block_.origin + block_run(i).first, block_run(i).count);
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
  PackedRun block_run(std::uint32_t i) const { return block_.pool->get(block_.runs + i); }

  // Run i of the block, of which k beats come before, is in time if at least so many beats come before the block that
  // its first is beat j or later, the first one that is looked for when it is there.
  bool block_in_time(std::size_t before, const Takes& takes) {
    const std::vector<std::int32_t>& needs = takes.needs();
    if (!block_.pool || before + static_cast<std::size_t>(block_.beats) < needs.size()) return false;
    Enough enough = block_.pool->get(block_.enough);
    if (enough.takes != takes.number) {
      std::int64_t most = 0, k = 0;
      std::size_t j = 0;
      for (std::uint32_t i = 0; i < block_.size; ++i) {
        while (j < needs.size() && needs[j] < block_run(i).first) ++j;
        most = std::max(most, static_cast<std::int64_t>(j) - k);
        k += block_run(i).count;
      }
      enough = {takes.number, static_cast<std::uint32_t>(most)};
      block_.pool->set(block_.enough, enough);
    }
    return before >= enough.beats;
  }
  // What is left is mostly little, and looked for from the end. All runs before the block are taken, and nothing is
  // appended to them.
  void take_of_block(std::int64_t count) {
    runs_.clear();
    head_ = 0;
    std::int64_t left = block_.beats - count;
    std::uint32_t i = block_.size;
    while (left > 0) left -= block_run(--i).count;
    for (std::int64_t taken = -left; i < block_.size; ++i, taken = 0) {
      append(runs_, block_.origin + block_run(i).first + taken, block_run(i).count - taken);
    }
    block_.pool = nullptr;
  }

  std::vector<Run> runs_;
  std::size_t head_ = 0;
  Cycles last_ = -1;
  Block block_;
};

}  // namespace weft::engine

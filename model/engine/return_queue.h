#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/core/units.h"
#include "model/engine/consumption_schedule.h"
#include "model/engine/word_pool.h"

namespace weft::engine {

inline constexpr Cycles kLongAgo = -(Cycles{1} << 40);

// Beats or responses on their way to a port, in order; at most one becomes visible per cycle. The last of them may be a
// Block, of which only the final runs are stored: call in_time() and take() before anything else.
class ReturnQueue {
 public:
  // Beats of a trace from `origin`, the start of the schedule. The stored runs contain all beats that the schedule
  // leaves.
  struct Block {
    const WordPool* pool = nullptr;
    WordPool::At<PackedRun> runs;    // stored, the last ones of the block
    std::uint32_t size = 0;          // of these runs
    std::int64_t beats = 0;          // in the whole block
    std::int64_t required_lead = 0;  // see RequiredLead
    Cycles origin = 0, last = 0;
  };

  void reset(Cycles last) {
    runs_.clear();
    head_ = 0;
    last_ = last;
    block_.pool = nullptr;
  }
  // Loads the contents of `queue`. `last`: cycle of the last beat that it ever held.
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
  // A block is not visited.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = head_; i < runs_.size(); ++i) visit(runs_[i].first, runs_[i].count);
  }

  // Appends a run. Beat i becomes visible in cycle first + i, later if earlier beats delay it.
  void push(Cycles first, std::int64_t count) {
    const Cycles visible = std::max(first, last_ + 1);
    append(runs_, visible, count);
    last_ = visible + count - 1;
  }
  // Appends a block, which begins after cycle last().
  void push(const Block& block) {
    block_ = block;
    last_ = block.last;
  }

  // Returns true if each beat arrives by its deadline; `origin` is the start of the schedule.
  bool in_time(Cycles origin, const ConsumptionSchedule& schedule) const {
    const std::vector<std::int32_t>& deadlines = schedule.deadlines();
    std::size_t before = 0;
    for (std::size_t i = head_; before < deadlines.size(); ++i) {
      if (i == runs_.size()) return block_in_time(before, schedule);
      if (runs_[i].first > origin + deadlines[before]) return false;
      before += static_cast<std::size_t>(runs_[i].count);
    }
    return true;
  }
  void take(std::int64_t count) {
    while (count > 0) {
      if (head_ == runs_.size()) {
        take_from_block(count);
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

  PackedRun block_run(std::uint32_t i) const { return block_.pool->get(block_.runs + i); }

  bool block_in_time(std::size_t before, const ConsumptionSchedule& schedule) const {
    if (!block_.pool || before + static_cast<std::size_t>(block_.beats) < schedule.deadlines().size()) return false;
    return static_cast<std::int64_t>(before) >= block_.required_lead;
  }
  // Most of the block is taken, so that the search begins at its end. All runs before the block are taken.
  void take_from_block(std::int64_t count) {
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

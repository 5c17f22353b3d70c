#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "model/core/relative.h"
#include "model/core/units.h"
#include "model/memory/memory.h"
#include "model/memory/ring.h"

namespace weft::memory {

// What every memory needs for one port on its way back to the kernel: read beats in order, at most one becoming visible
// per kernel cycle unless the port is a DMA engine's, write responses likewise, and the cycle accounts of PortStats.
// Beats the kernel does not take wait here without limit: a kernel must have room for what it asks for, as a port that
// promises in-order return implies.
class PortReturn {
 public:
  using Slot = Ring<int>::Index;

  // `parts`: of the data of a slot, each told by a data_ready() of its own. `paced`: one beat a kernel cycle, at most.
  explicit PortReturn(int parts = 1, bool paced = true) : parts_(parts), pace_(paced ? 1 : 0) {}

  // Announces the next `beats` beats of read data; their cycle is told later by data_ready().
  Slot expect_beats(int beats) { return reads_.push({-1, beats, parts_}); }

  // The beats of `slot` are there from kernel cycle `cycle` on, as soon as those before them have been visible; if they
  // come in parts, when the last of these is there.
  void data_ready(Slot slot, Cycles cycle) {
    Beats& ready = reads_.at(slot);
    ready.visible = std::max(ready.visible, cycle);
    --ready.missing;
    while (resolved_ != reads_.end_index() && reads_.at(resolved_).missing == 0) {
      Beats& next = reads_.at(resolved_++);
      next.visible = std::max(next.visible, last_read_visible_ + pace_);
      last_read_visible_ = next.visible + pace_ * (next.count - 1);
    }
  }
  // The next `beats` beats, which come in one part, are there from `cycle` on, likewise.
  void beats_ready(int beats, Cycles cycle) {
    if (resolved_ != reads_.end_index()) return data_ready(expect_beats(beats), cycle);
    const Cycles next = last_read_visible_ + pace_;
    if (cycle <= next && !reads_.empty()) {
      last_read_visible_ += pace_ * beats;
      reads_.back().count += beats;
      return;
    }
    const Cycles visible = std::max(cycle, next);
    last_read_visible_ = visible + pace_ * (beats - 1);
    // Field by field: were it put together first, it would be read as a whole before its parts are written.
    Beats& ready = reads_.add();
    ++resolved_;
    ready.visible = visible;
    ready.count = beats;
    ready.missing = 0;
  }
  void write_answered(Cycles cycle) {
    last_response_visible_ = std::max(cycle, last_response_visible_ + pace_);
    responses_.push(last_response_visible_);
  }

  Cycles next_read_beat() const {
    return reads_.begin_index() == resolved_ ? kNever : reads_.front().visible + pace_ * taken_of_front_;
  }
  Cycles next_write_response() const { return responses_.empty() ? kNever : responses_.front(); }

  // The first cycle after `cycle` in which something known becomes visible.
  Cycles next_visible_after(Cycles cycle) const {
    Cycles next = kNever;
    if (reads_.begin_index() != resolved_ && last_read_visible_ > cycle) next = std::max(cycle + 1, next_read_beat());
    if (!responses_.empty() && last_response_visible_ > cycle) {
      next = std::min(next, std::max(cycle + 1, next_write_response()));
    }
    return next;
  }

  void begin_read(Cycles cycle, int beats) {
    begin(cycle);
    beats_asked_ += beats;
    ++stats_.read_bursts;
    read_ends_.push(beats_asked_);
  }
  void begin_write(Cycles cycle) {
    begin(cycle);
    ++stats_.write_bursts;
  }
  void count_write_beat(Cycles cycle) {
    ++stats_.write_beats;
    moved_beat(cycle);
  }
  void take_read_beat(Cycles cycle) {
    if (next_read_beat() > cycle) throw std::logic_error("a read beat was taken before it was visible");
    ++stats_.read_beats;
    moved_beat(cycle);
    if (++taken_of_front_ == reads_.front().count) {
      taken_of_front_ = 0;
      reads_.pop();
    }
    // A burst that nothing of was announced when this was restored has no end here.
    if (!read_ends_.empty() && stats_.read_beats == read_ends_.front()) {
      read_ends_.pop();
      end(cycle);
    }
  }
  // Takes the beats that are known, each in the cycle in which it becomes visible, and calls visit(first, count) for
  // those that follow each other; of a port to which nothing is written, and on which one beat comes a cycle.
  template <typename Visit>
  void take_known_beats(const Visit& visit) {
    for (; reads_.begin_index() != resolved_; reads_.pop()) {
      const Cycles first = next_read_beat();
      const int count = reads_.front().count - std::exchange(taken_of_front_, 0);
      visit(first, count);
      stats_.read_beats += count;
      stats_.busy_cycles += count;
      last_moved_ = first + count - 1;
    }
    // Only the last burst that ends here can be the last that is under way.
    for (; !read_ends_.empty() && read_ends_.front() <= stats_.read_beats; read_ends_.pop()) end(last_moved_);
  }
  void take_write_response(Cycles cycle) {
    if (next_write_response() > cycle) throw std::logic_error("a write response was taken before it was visible");
    responses_.pop();
    end(cycle);
  }

  // What is still on its way; everything that has become known has been taken. `writes`: write bursts not answered.
  // The wait cycles of stats() start anew with a restore.
  void relative(Relative& state, Cycles now, std::size_t writes);
  Slot first_slot() const { return reads_.begin_index(); }
  Slot last_slot() const { return reads_.end_index() - 1; }
  // The cycles in which the last known beat and response became visible: those to come follow them.
  void follow(Cycles last_read, Cycles last_response) {
    last_read_visible_ = last_read;
    last_response_visible_ = last_response;
  }

  Cycles pace() const { return pace_; }            // from one beat to the next, at least
  bool idle() const { return outstanding_ == 0; }  // no burst is under way
  Cycles last_read() const { return last_read_visible_; }
  Cycles last_response() const { return last_response_visible_; }

  PortStats& stats() { return stats_; }
  const PortStats& stats() const { return stats_; }

  // The accounts up to and including `cycle`.
  PortStats stats_at(Cycles cycle) const {
    PortStats result = stats_;
    Cycles outstanding = outstanding_cycles_;
    if (outstanding_ > 0) outstanding += std::max<Cycles>(0, cycle + 1 - outstanding_from_);
    result.wait_cycles = std::max<Cycles>(0, outstanding - stats_.busy_cycles);
    return result;
  }

 private:
  struct Beats {
    Cycles visible;  // of the first of them, if no part is missing
    int count;
    int missing;
  };

  void begin(Cycles cycle) {
    if (outstanding_++ == 0) outstanding_from_ = std::max(cycle, outstanding_until_);
  }
  void end(Cycles cycle) {
    if (--outstanding_ > 0) return;
    outstanding_cycles_ += cycle + 1 - outstanding_from_;
    outstanding_until_ = cycle + 1;
  }
  void moved_beat(Cycles cycle) {
    if (cycle == last_moved_) return;
    last_moved_ = cycle;
    ++stats_.busy_cycles;
  }

  int parts_;
  int pace_;  // kernel cycles between two beats, at least
  Ring<Beats> reads_;
  Slot resolved_ = 0;  // the beats before this slot have their cycle
  int taken_of_front_ = 0;
  Cycles last_read_visible_ = -1;
  Ring<Cycles> responses_;
  Cycles last_response_visible_ = -1;

  // Bursts are outstanding from the cycle of their handshake to that of their last beat or response, both included.
  std::int64_t outstanding_ = 0;
  Cycles outstanding_from_ = 0;
  Cycles outstanding_until_ = 0;
  Cycles outstanding_cycles_ = 0;
  Cycles last_moved_ = -1;
  std::int64_t beats_asked_ = 0;
  Ring<std::int64_t> read_ends_;  // the value of beats_asked_ after each unfinished read burst
  PortStats stats_;
};

[[noreturn]] void refuse_burst(PortId port, Address address, int beats, Bytes beat_bytes, Bytes capacity);

// Throws weft::Error if a burst is not one AXI allows: aligned to the beat, at least one beat, inside one 4 KB page
// and, if `capacity` is not 0, inside the memory.
inline void check_burst(PortId port, Address address, int beats, Bytes beat_bytes, Bytes capacity) {
  constexpr Bytes kPage = 4096;
  const Address last = address + beats * beat_bytes - 1;
  const bool in_page = address >= 0 && (address ^ last) < kPage && last >= 0;
  if (beats < 1 || !in_page || (address & (beat_bytes - 1)) != 0 || (capacity != 0 && last >= capacity)) {
    refuse_burst(port, address, beats, beat_bytes, capacity);
  }
}

}  // namespace weft::memory

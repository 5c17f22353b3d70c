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

// Return path of one port to the kernel, common to all memories: read beats in order, at most one becoming visible per
// kernel cycle unless the port is a DMA engine's, write responses by the same rule, and the cycle counts of PortStats.
// Beats that the kernel does not take wait here without limit: a kernel must have room for the data it requests, as a
// port that promises in-order return implies.
class PortReturn {
 public:
  using Slot = Ring<int>::Index;

  // `parts`: parts of a slot's data, each with its own data_ready(). `paced`: at most one beat per kernel cycle.
  explicit PortReturn(int parts = 1, bool paced = true) : parts_(parts), pace_(paced ? 1 : 0) {}

  // Announces the next `beats` beats of read data; data_ready() gives their cycle later.
  Slot expect_beats(int beats) { return reads_.push({-1, beats, parts_}); }

  // Makes the beats of `slot` visible from kernel cycle `cycle` on, after all earlier beats; if they come in parts,
  // when the last part is ready.
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
  void write_answered(Cycles cycle) {
    last_response_visible_ = std::max(cycle, last_response_visible_ + pace_);
    responses_.push(last_response_visible_);
  }

  Cycles next_read_beat() const {
    return reads_.begin_index() == resolved_ ? kNever : reads_.front().visible + pace_ * taken_of_front_;
  }
  Cycles next_write_response() const { return responses_.empty() ? kNever : responses_.front(); }

  // Returns the first cycle after `cycle` in which something known becomes visible.
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
    // A burst has no end here if none of its data was announced when this was restored.
    if (!read_ends_.empty() && stats_.read_beats == read_ends_.front()) {
      read_ends_.pop();
      end(cycle);
    }
  }
  // Takes the known beats, each in the cycle in which it becomes visible, and calls visit(first, count) for consecutive
  // ones. Only for a port without writes that gets one beat per cycle.
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
    // Only the last burst that ends here can be the last that is outstanding.
    for (; !read_ends_.empty() && read_ends_.front() <= stats_.read_beats; read_ends_.pop()) end(last_moved_);
  }
  void take_write_response(Cycles cycle) {
    if (next_write_response() > cycle) throw std::logic_error("a write response was taken before it was visible");
    responses_.pop();
    end(cycle);
  }

  // Saves or restores the data in flight; everything known must have been taken. `writes`: write bursts not answered.
  // The wait cycles of stats() start anew with a restore.
  void relative(Relative& state, Cycles now, std::size_t writes);
  Slot first_slot() const { return reads_.begin_index(); }
  Slot last_slot() const { return reads_.end_index() - 1; }
  // Sets the cycles in which the last known beat and response became visible: later ones follow them.
  void follow(Cycles last_read, Cycles last_response) {
    last_read_visible_ = last_read;
    last_response_visible_ = last_response;
  }

  Cycles pace() const { return pace_; }            // smallest distance from one beat to the next
  bool idle() const { return outstanding_ == 0; }  // no burst is outstanding
  Cycles last_read() const { return last_read_visible_; }
  Cycles last_response() const { return last_response_visible_; }

  PortStats& stats() { return stats_; }
  const PortStats& stats() const { return stats_; }

  // Counts up to and including `cycle`.
  PortStats stats_at(Cycles cycle) const {
    PortStats result = stats_;
    Cycles outstanding = outstanding_cycles_;
    if (outstanding_ > 0) outstanding += std::max<Cycles>(0, cycle + 1 - outstanding_from_);
    result.wait_cycles = std::max<Cycles>(0, outstanding - stats_.busy_cycles);
    return result;
  }

 private:
  struct Beats {
    Cycles visible;  // cycle of the first beat, if no part is missing
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
  int pace_;  // smallest number of kernel cycles between two beats
  Ring<Beats> reads_;
  Slot resolved_ = 0;  // the beats before this slot have a known cycle
  int taken_of_front_ = 0;
  Cycles last_read_visible_ = -1;
  Ring<Cycles> responses_;
  Cycles last_response_visible_ = -1;

  // A burst is outstanding from the cycle of its handshake to that of its last beat or response, both included.
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

// Throws weft::Error if AXI does not allow a burst: aligned to the beat, at least one beat, inside one 4 KB page and,
// if `capacity` is not 0, inside the memory.
inline void check_burst(PortId port, Address address, int beats, Bytes beat_bytes, Bytes capacity) {
  constexpr Bytes kPage = 4096;
  const Address last = address + beats * beat_bytes - 1;
  const bool in_page = address >= 0 && (address ^ last) < kPage && last >= 0;
  if (beats < 1 || !in_page || (address & (beat_bytes - 1)) != 0 || (capacity != 0 && last >= capacity)) {
    refuse_burst(port, address, beats, beat_bytes, capacity);
  }
}

}  // namespace weft::memory

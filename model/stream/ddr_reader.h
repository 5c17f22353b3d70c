#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"
#include "model/stream/range_loop.h"

namespace weft::stream {

// The words of a RangeLoop as its reader delivers them, beat by beat: how many words of each beat belong to the range.
class BeatWords {
 public:
  BeatWords() = default;
  explicit BeatWords(const RangeLoop& loop) { start(loop); }
  bool done(const RangeLoop& loop) const { return cursor_.done(loop); }
  int offset() const { return offset_; }  // of the range's first word in the current beat
  int count() const { return count_; }    // words of the range in the current beat
  void advance(const RangeLoop& loop) {
    left_ -= count_;
    if (left_ > 0) {
      offset_ = 0;
      count_ = static_cast<int>(left_ < loop.band ? left_ : loop.band);
      return;
    }
    cursor_.advance(loop);
    if (!cursor_.done(loop)) start(loop);
  }
  std::int64_t index(const RangeLoop& loop) const { return cursor_.index(loop); }  // of the current range
  void relative(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
    cursor_.relative(state, loop, first_range);
    state.value(left_);
    state.value(offset_);
    state.value(count_);
  }

 private:
  void start(const RangeLoop& loop) {
    left_ = loop.words;
    offset_ = cursor_.offset(loop);
    count_ = static_cast<int>(left_ < loop.band - offset_ ? left_ : loop.band - offset_);
  }

  RangeCursor cursor_;
  Words left_ = 0;
  int offset_ = 0, count_ = 0;
};

// One beat in, its words of the range out, moved to lane 0, every cycle (A.1.2; A.2.3 in the wide variant; CONTRACT.md,
// "Decode").
class Decode {
 public:
  Decode() = default;
  explicit Decode(const RangeLoop& loop) : words_(loop) {}
  Activity step(Cycles now, const RangeLoop& loop, Fifo& in, Fifo& out);
  std::int64_t range_index(const RangeLoop& loop) const { return words_.index(loop); }
  void relative(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
    words_.relative(state, loop, first_range);
  }

 private:
  BeatWords words_;
};

// Fetches the ranges of a RangeLoop in bursts and hands on the beats that hold words of a range (A.1.1, A.2.2, A.2.6;
// CONTRACT.md, "Reader"). The start of the next range is always known in time (the thesis' precompute unit).
class DdrReader {
 public:
  DdrReader() = default;
  DdrReader(const RangeLoop& loop, const PortConfig& port, Bytes beat_bytes);

  Activity step(Cycles now, const RangeLoop& loop, ReadPort& port, Fifo& out);
  // The earliest cycle >= now at which step() may answer otherwise than in now - 1, when it was not active, while `out`
  // does not change.
  Cycles quiet_until(Cycles now, const RangeLoop& loop, const ReadPort& port, const Fifo& out) const;
  // True if a burst is asked for as soon as the port is ready. It depends on no FIFO: what is asked for, and when,
  // follows from the cycles in which beats are taken, by which the exact rung runs a reader alone
  // (fpgpt/exact/read_ahead.h).
  bool may_ask(const RangeLoop& loop, const ReadPort& port) const {
    return !request_.done(loop) && port.outstanding < config_.outstanding;
  }
  // How many beats from the next one on are in the midst of their burst, while no burst can be asked for: if one comes
  // a cycle and each is taken, only what is left to come changes with them. pass() takes so many or fewer at once, with
  // room for them behind the reader and without their words.
  std::int64_t beats_alike(const RangeLoop& loop, const ReadPort& port) const {
    return may_ask(loop, port) || receive_.done(loop) ? 0 : burst_left_ - 1;
  }
  void pass(std::int64_t beats, ReadPort& port);
  // How many beats from the next one on are discarded and do not end their range.
  std::int64_t discards(const RangeLoop& loop) const {
    return useful_left_ > 0 || receive_.done(loop) ? 0 : receive_left_ - 1;
  }
  bool done(const RangeLoop& loop) const { return receive_.done(loop); }
  // The number of the range that is asked for next, loop.count() when all have been.
  std::int64_t request_index(const RangeLoop& loop) const { return request_.index(loop); }
  // The number of the range whose beats come next, loop.count() when all have: never after the one that is asked for.
  std::int64_t receive_index(const RangeLoop& loop) const { return receive_.index(loop); }
  // The number of the range that the beat to be handed on next belongs to, loop.count() when all have been: the blocks
  // behind the reader have seen the ranges up to it.
  std::int64_t handed_on_index(const RangeLoop& loop) const {
    return receive_.index(loop) + (useful_left_ == 0 && !receive_.done(loop) ? 1 : 0);
  }
  // The whole state; and of it, what beats that come are for, which is all that the blocks behind the reader notice
  // while beats are there.
  void relative(Relative& state, const RangeLoop& loop, std::int64_t first_range);
  void relative_receiving(Relative& state, const RangeLoop& loop, std::int64_t first_range);

 private:
  void send(const RangeLoop& loop, ReadPort& port);
  void receive(Cycles now, const RangeLoop& loop, ReadPort& port, Fifo& out);
  void start_receive(const RangeLoop& loop);
  Address address(const RangeCursor& range, std::int64_t left, const RangeLoop& loop) const;

  PortConfig config_;
  Bytes beat_bytes_ = 64;
  RangeCursor request_, receive_;
  Address request_address_ = 0;
  std::int64_t request_left_ = 0;  // beats of the current range still to be asked for
  Address receive_address_ = 0;
  std::int64_t receive_left_ = 0;  // beats of the current range still to come ...
  std::int64_t useful_left_ = 0;   // ... and those of them that are handed on
  int burst_left_ = 0;             // beats of the burst under way still to come
};

}  // namespace weft::stream

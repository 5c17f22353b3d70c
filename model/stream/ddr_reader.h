#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ports.h"
#include "model/stream/range_loop.h"

namespace weft::stream {

// Beats of a RangeLoop as its reader delivers them: the position and number of the range's words in each beat.
class BeatWords {
 public:
  BeatWords() = default;
  explicit BeatWords(const RangeLoop& loop) { start(loop); }
  bool done(const RangeLoop& loop) const { return cursor_.done(loop); }
  int offset() const { return offset_; }  // lane of the range's first word in the current beat
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
  std::int64_t index(const RangeLoop& loop) const { return cursor_.index(loop); }  // number of the current range
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

// Takes one beat per cycle and gives its words of the range, moved to lane 0 (A.1.2; A.2.3 in the wide variant;
// CONTRACT.md, "Decode").
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

// Fetches the ranges of a RangeLoop in bursts and passes on the beats that hold words of a range (A.1.1, A.2.2, A.2.6;
// CONTRACT.md, "Reader"). The start of the next range is always known in time (precompute unit of the thesis).
class DdrReader {
 public:
  DdrReader() = default;
  DdrReader(const RangeLoop& loop, const PortConfig& port, Bytes beat_bytes);

  Activity step(Cycles now, const RangeLoop& loop, ReadPort& port, Fifo& out);
  // The earliest cycle >= now in which step() may act differently than in now - 1, given that it was not active in now
  // - 1 and `out` does not change.
  Cycles quiet_until(Cycles now, const RangeLoop& loop, const ReadPort& port, const Fifo& out) const;
  // True if a burst is requested as soon as the port is ready. Independent of FIFOs: the bursts and their times follow
  // from the cycles in which beats are taken. So the exact rung can run a reader alone (fpgpt/exact/read_ahead.h).
  bool may_ask(const RangeLoop& loop, const ReadPort& port) const {
    return !request_.done(loop) && port.outstanding < config_.outstanding;
  }
  // Returns how many of the next beats are inside their burst while no burst can be requested. If one arrives per cycle
  // and each is taken, only the remaining beats change. pass() takes up to this many at once, without their words;
  // `out` must have room for them.
  std::int64_t beats_alike(const RangeLoop& loop, const ReadPort& port) const {
    return may_ask(loop, port) || receive_.done(loop) ? 0 : burst_left_ - 1;
  }
  void pass(std::int64_t beats, ReadPort& port);
  bool done(const RangeLoop& loop) const { return receive_.done(loop); }
  // Number of the range that is requested next; loop.count() if all have been.
  std::int64_t request_index(const RangeLoop& loop) const { return request_.index(loop); }
  // Number of the range whose beats arrive next, at most request_index(); loop.count() if all have arrived.
  std::int64_t receive_index(const RangeLoop& loop) const { return receive_.index(loop); }
  // Number of the range of the next beat to be passed on; loop.count() if all have been. The blocks after the reader
  // have seen the ranges before it.
  std::int64_t handed_on_index(const RangeLoop& loop) const {
    return receive_.index(loop) + (useful_left_ == 0 && !receive_.done(loop) ? 1 : 0);
  }
  // Saves the complete state; or only the use of arriving beats, which is all that the blocks after the reader observe
  // while beats are available.
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
  std::int64_t request_left_ = 0;  // beats of the current range left to request
  Address receive_address_ = 0;
  std::int64_t receive_left_ = 0;  // beats of the current range left to arrive ...
  std::int64_t useful_left_ = 0;   // ... and those of them to be passed on
  int burst_left_ = 0;             // beats of the current burst left to arrive
};

}  // namespace weft::stream

#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
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

}  // namespace weft::stream

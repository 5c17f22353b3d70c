#pragma once

#include <algorithm>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/stream/ddr_reader.h"

namespace weft::stream {

// Regrouping of words (CONTRACT.md, "Regrouping"). In each cycle a block takes a token iff it holds fewer words than
// the next group needs, and emits the group iff it then holds enough. If it should emit and cannot, nothing moves.
class RegroupBuffer {
 public:
  RegroupBuffer() = default;
  // `capacity`: maximum words held, that is largest group - 1 + largest token.
  RegroupBuffer(int capacity, bool with_data) {
    if (with_data) words_.resize(static_cast<std::size_t>(capacity));
  }

  // The next group has `need` words. The token at the head of `in` has `count` words from lane `offset` on. The group
  // is written to lanes `lane` and up of the new token of `out`, other lanes zero. Sets `took` and `gave` when active.
  Activity step(Cycles now, int need, int count, int offset, int lane, Fifo& in, Fifo& out, bool& took, bool& gave) {
    const bool take = held_ < need;
    const bool give = held_ + (take ? count : 0) >= need;
    if (take && !in.can_pop(now)) return Activity::Starved;
    if (give && !out.can_push(now)) return Activity::Blocked;
    if (take) {
      if (!words_.empty()) std::copy_n(in.front() + offset, count, words_.begin() + held_);
      in.pop(now);
      held_ += count;
    }
    if (give) {
      if (Word* const token = out.push(now)) {
        std::fill(token, token + out.width(), Word{});
        std::copy_n(words_.begin(), need, token + lane);
        std::copy(words_.begin() + need, words_.begin() + held_, words_.begin());
      }
      held_ -= need;
    }
    took = take;
    gave = give;
    return Activity::Active;
  }
  void relative(Relative& state) { state.value(held_); }

 private:
  int held_ = 0;
  std::vector<Word> words_;
};

// Regroups the ranges of a RangeLoop into runs of `run_words` words, each in groups of `group` words with a shorter
// last one: INP construct (A.1.3), KERN decode of F/GI at one word per cycle (A.2.3), KERN decode of GW (A.2.7).
// `from_beats`: input tokens are whole beats whose leading words are dropped; otherwise they start at lane 0.
class Regroup {
 public:
  Regroup() = default;
  Regroup(const RangeLoop& loop, int group, Words run_words, bool from_beats, bool with_data)
      : words_(loop),
        buffer_(group - 1 + loop.band, with_data),
        group_(group),
        run_words_(run_words),
        from_beats_(from_beats),
        range_left_(loop.words),
        ranges_left_(loop.count()),
        run_left_(run_words) {}

  Activity step(Cycles now, const RangeLoop& loop, Fifo& in, Fifo& out) {
    if (ranges_left_ == 0) return Activity::Idle;
    const int need = static_cast<int>(std::min<Words>(group_, run_left_));
    bool took = false, gave = false;
    const int offset = from_beats_ ? words_.offset() : 0;
    const Activity activity = buffer_.step(now, need, words_.count(), offset, 0, in, out, took, gave);
    if (took) words_.advance(loop);
    if (gave) finish_group(loop, need);
    return activity;
  }
  std::int64_t range_index(const RangeLoop& loop) const { return words_.index(loop); }
  void relative(Relative& state, const RangeLoop& loop, std::int64_t first_range) {
    words_.relative(state, loop, first_range);
    buffer_.relative(state);
    state.value(range_left_);
    state.from(ranges_left_, loop.count() - first_range);
    state.value(run_left_);
  }

 private:
  void finish_group(const RangeLoop& loop, int words) {
    range_left_ -= words;
    run_left_ -= words;
    if (run_left_ == 0) run_left_ = run_words_;
    if (range_left_ > 0) return;
    range_left_ = loop.words;
    --ranges_left_;
  }

  BeatWords words_;
  RegroupBuffer buffer_;
  int group_ = 1;
  Words run_words_ = 1;
  bool from_beats_ = false;
  Words range_left_ = 0;
  std::int64_t ranges_left_ = 0;
  Words run_left_ = 0;
};

}  // namespace weft::stream

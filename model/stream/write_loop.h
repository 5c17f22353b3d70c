#pragma once

#include <algorithm>
#include <cstdint>

#include "model/core/relative.h"
#include "model/core/units.h"

namespace weft::stream {

// Dense runs of words of a tensor to be written: run r is `run_words` words starting at base + r*run_pitch.
struct WriteLoop {
  Words base = 0;  // word index in the memory channel
  std::int64_t runs = 1;
  Words run_words = 1, run_pitch = 0;
  int band = 16;  // words of a beat
};

// Beats of a WriteLoop, in order. The first beat of a run may begin, and its last may end, within a beat.
class WriteBeats {
 public:
  WriteBeats() = default;
  explicit WriteBeats(const WriteLoop& loop) { start(loop); }
  bool done(const WriteLoop& loop) const { return run_ == loop.runs; }
  int first_lane() const { return lane_; }
  int lanes() const { return lanes_; }
  std::int64_t beat() const { return beat_; }              // index of the current beat in memory
  std::int64_t beats_left() const { return beats_left_; }  // of the run, including the current one
  // Beats that are left of all runs, or fewer: those of whole words.
  std::int64_t left(const WriteLoop& loop) const {
    return done(loop) ? 0 : beats_left_ + (loop.runs - 1 - run_) * (loop.run_words / loop.band);
  }
  void advance(const WriteLoop& loop) {
    words_left_ -= lanes_;
    if (words_left_ == 0) {
      if (++run_ < loop.runs) start(loop);
      return;
    }
    ++beat_;
    --beats_left_;
    lane_ = 0;
    lanes_ = static_cast<int>(std::min<Words>(loop.band, words_left_));
  }
  // Saves the current beat as its distance from the `words_before` words before the reference position.
  void relative(Relative& state, const WriteLoop& loop, Words words_before) {
    Words given = (run_ + 1) * loop.run_words - words_left_;
    state.from(given, words_before);
    state.value(lane_);
    state.value(lanes_);
    if (state.loading()) seek(loop, given);
  }

 private:
  // Sets all members except lane_ and lanes_ from `given`, the words in the beats before the current one.
  void seek(const WriteLoop& loop, Words given) {
    run_ = given / loop.run_words;
    words_left_ = (run_ + 1) * loop.run_words - given;
    const Words word = loop.base + run_ * loop.run_pitch + given % loop.run_words;
    beat_ = word / loop.band;
    beats_left_ = ceil_div(word % loop.band + words_left_, loop.band);
  }
  void start(const WriteLoop& loop) {
    const Words first = loop.base + run_ * loop.run_pitch;
    words_left_ = loop.run_words;
    lane_ = static_cast<int>(first % loop.band);
    lanes_ = static_cast<int>(std::min<Words>(loop.band - lane_, words_left_));
    beat_ = first / loop.band;
    beats_left_ = ceil_div(lane_ + words_left_, loop.band);
  }

  std::int64_t run_ = 0;
  Words words_left_ = 0;
  int lane_ = 0, lanes_ = 0;
  std::int64_t beat_ = 0, beats_left_ = 0;
};

}  // namespace weft::stream

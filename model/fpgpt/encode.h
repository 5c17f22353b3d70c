#pragma once

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/regroup.h"

namespace weft::fpgpt {

// The beats of one dense run of OUT: its first may start, its last may end, within a beat.
class OutBeats {
 public:
  OutBeats() = default;
  explicit OutBeats(const Plan& plan) { start(plan); }
  bool done(const Plan& plan) const { return run_ == plan.out_runs; }
  int first_lane() const { return lane_; }
  int lanes() const { return lanes_; }
  std::int64_t beat() const { return beat_; }              // index of the current beat in memory
  std::int64_t beats_left() const { return beats_left_; }  // of the run, the current one included
  void advance(const Plan& plan) {
    words_left_ -= lanes_;
    if (words_left_ == 0) {
      if (++run_ < plan.out_runs) start(plan);
      return;
    }
    ++beat_;
    --beats_left_;
    lane_ = 0;
    lanes_ = static_cast<int>(std::min<Words>(plan.alpha.band, words_left_));
  }
  // `at`.out_words() words come before the round; the current beat is kept as its distance from them.
  void relative(Relative& state, const Plan& plan, const Anchor& at) {
    Words given = (run_ + 1) * plan.out_run_words - words_left_;
    state.from(given, at.out_words(plan));
    state.value(lane_);
    state.value(lanes_);
    if (state.loading()) seek(plan, given);
  }

 private:
  // All but lane_ and lanes_, from the words that the beats before the current one hold.
  void seek(const Plan& plan, Words given) {
    run_ = given / plan.out_run_words;
    words_left_ = (run_ + 1) * plan.out_run_words - given;
    const Words word = plan.out_base + run_ * plan.out_run_pitch + given % plan.out_run_words;
    beat_ = word / plan.alpha.band;
    beats_left_ = ceil_div(word % plan.alpha.band + words_left_, plan.alpha.band);
  }
  void start(const Plan& plan) {
    const Words first = plan.out_base + run_ * plan.out_run_pitch;
    words_left_ = plan.out_run_words;
    lane_ = static_cast<int>(first % plan.alpha.band);
    lanes_ = static_cast<int>(std::min<Words>(plan.alpha.band - lane_, words_left_));
    beat_ = first / plan.alpha.band;
    beats_left_ = ceil_div(lane_ + words_left_, plan.alpha.band);
  }

  std::int64_t run_ = 0;
  Words words_left_ = 0;
  int lane_ = 0, lanes_ = 0;
  std::int64_t beat_ = 0, beats_left_ = 0;
};

// Rows of up to X words in, beats out (A.3.4; CONTRACT.md, "Encode"): the words of a dense run follow each other
// without gaps, across maps and images.
class Encode {
 public:
  Encode() = default;
  explicit Encode(const Plan& plan) : buffer_(plan.alpha.band - 1 + plan.alpha.x, plan.with_data), beats_(plan) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
    if (beats_.done(plan)) return Activity::Idle;
    bool took = false, gave = false;
    const Activity activity =
        buffer_.step(now, beats_.lanes(), plan.columns(set_), 0, beats_.first_lane(), in, out, took, gave);
    if (took && ++set_ == plan.sets) set_ = 0;
    if (gave) beats_.advance(plan);
    return activity;
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at) {
    buffer_.relative(state);
    beats_.relative(state, plan, at);
    state.value(set_);
  }

 private:
  RegroupBuffer buffer_;
  OutBeats beats_;
  std::int64_t set_ = 0;  // X-set of the next row taken
};

}  // namespace weft::fpgpt

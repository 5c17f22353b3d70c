#pragma once

#include <array>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/plan.h"
#include "model/stream/regroup.h"

namespace weft::fpgpt {

// Regroups rows of up to X words into beats (A.3.4; CONTRACT.md, "Encode"): the words of a dense run follow each other
// without gaps, across maps and images.
class Encode {
 public:
  Encode() = default;
  explicit Encode(const Plan& plan) : buffer_(plan.out.band - 1 + plan.alpha.x, plan.with_data), beats_(plan.out) {}

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
    if (beats_.done(plan.out)) return Activity::Idle;
    bool took = false, gave = false;
    const Activity activity =
        buffer_.step(now, beats_.lanes(), plan.columns(set_), 0, beats_.first_lane(), in, out, took, gave);
    if (took && ++set_ == plan.sets) set_ = 0;
    if (gave) beats_.advance(plan.out);
    return activity;
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at) {
    buffer_.relative(state);
    beats_.relative(state, plan.out, at.out_words(plan));
    state.value(set_);
  }

 private:
  stream::RegroupBuffer buffer_;
  stream::WriteBeats beats_;
  std::int64_t set_ = 0;  // X-set of the next row taken
};

// OUT constructor of F and GI (A.3.3): two halves of Y maps; a half is drained, map by map, when its Y-group is
// complete.
class OutConstructorFgi {
 public:
  OutConstructorFgi() = default;
  explicit OutConstructorFgi(const Plan& plan);
  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out);
  bool draining() const { return full_[static_cast<std::size_t>(drain_half_)]; }
  // Number of rows that are certain to be taken, each in the first cycle in which it is available.
  std::int64_t takes_rows(const Plan& plan) const {
    if (full_[static_cast<std::size_t>(fill_half_)]) return 0;
    return (plan.sets - fill_set_) * plan.alpha.y - fill_row_ + (draining() ? 0 : plan.sets * plan.alpha.y);
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode

 private:
  void fill(Cycles now, const Plan& plan, Fifo& in);
  void drain(Cycles now, const Plan& plan, Fifo& out);

  std::int64_t fill_groups_left_ = 0;
  std::int64_t fill_set_ = 0, fill_row_ = 0;
  int fill_half_ = 0;
  std::array<bool, 2> full_{};
  std::int64_t drain_group_ = 0;  // Y-group within the image
  std::int64_t drain_row_ = 0, drain_set_ = 0;
  int drain_half_ = 0;
  std::array<std::vector<Word>, 2> words_;  // data mode: [row][set][column]
};

// OUT constructor of GW (A.3.2): holds the whole OUT tensor, sums it over A (the first A stores), and writes it at the
// end.
class OutConstructorGw {
 public:
  OutConstructorGw() = default;
  explicit OutConstructorGw(const Plan& plan);
  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out);
  bool draining(const Plan& plan) const { return a_ == plan.beta.a; }
  // Data mode, fixed point: sums over A so far that exceed 32 bits.
  std::int64_t overflows() const { return overflows_; }
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode

 private:
  void fill(Cycles now, const Plan& plan, Fifo& in);
  void drain(Cycles now, const Plan& plan, Fifo& out);

  std::int64_t a_ = 0, channel_ = 0, group_ = 0, set_ = 0, row_ = 0;  // of the next row from the array
  std::int64_t drained_ = 0, drain_total_ = 0;
  std::int64_t overflows_ = 0;
  std::vector<Word> words_;  // data mode: [n_out][c_out][set][column]
};

}  // namespace weft::fpgpt

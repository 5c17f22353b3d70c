#pragma once

#include <array>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt {

// The line buffer and the on-the-fly im2col (A.1.4; CONTRACT.md, "im2col"): two halves of Z_channel words, one per
// (set, channel); a full half gives one column of X values per window position, in row-major order of the dilated
// window.
class Im2col {
 public:
  Im2col() = default;
  explicit Im2col(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out);
  // Number of windows whose columns have all been emitted.
  std::int64_t windows_emitted(const Plan& plan) const { return plan.inp.count() - emit_windows_; }
  // Columns up to the last one of the first `windows` windows; one is emitted in a cycle at most.
  std::int64_t columns_until(const Plan& plan, std::int64_t windows) const {
    return (windows - windows_emitted(plan)) * plan.positions - emit_position_;
  }
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode

 private:
  void fill(Cycles now, const Plan& plan, Fifo& in);
  void emit(Cycles now, const Plan& plan, Fifo& out);
  void start_set(const Plan& plan);
  void column(const Plan& plan, Word* token) const;

  std::int64_t groups_per_window_ = 1;
  std::int64_t fill_windows_ = 0;  // windows still to fill
  std::int64_t fill_groups_ = 0;   // groups of the current window that are stored
  int fill_half_ = 0;
  std::array<bool, 2> full_{};
  std::int64_t emit_windows_ = 0;  // windows still to emit
  std::int64_t emit_position_ = 0;
  int emit_half_ = 0;

  // Data mode: channel and set in the emitting half, output row and column of its lanes, words of both halves.
  std::int64_t emit_channel_ = 0, emit_set_ = 0;
  std::vector<int> lane_row_, lane_column_;
  std::array<std::vector<Word>, 2> words_;
};

}  // namespace weft::fpgpt

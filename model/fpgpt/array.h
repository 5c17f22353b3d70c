#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/fpgpt/array_data.h"
#include "model/fpgpt/numbers.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt {

// Rounds of the array. A round has no gap in time: it is one Y-group, or with overlap_drain the whole convolution
// (CONTRACT.md, "Array").
struct ArrayRounds {
  std::int64_t rounds = 0;
  std::int64_t sets = 0;    // X-sets of a round
  std::int64_t cycles = 0;  // array cycles of a round
};
ArrayRounds array_rounds(const Plan& plan);

// Cycles in which the array was starved, by the FIFO that it waited for (PE-3): inp_column, kern_row.
using ArrayStarved = std::array<Cycles, 2>;

// The X by Y output-stationary array (5.3.3; CONTRACT.md, "Array"). It advances one array cycle per kernel cycle, or
// stalls as a whole: every register of it moves or none does.
class Array {
 public:
  Array() = default;
  explicit Array(const Plan& plan);

  Activity step(Cycles now, const Plan& plan, Fifo& inp, Fifo& kern, Fifo& out);
  bool done() const { return rounds_left_ == 0; }
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode

  // Timing mode with tokens taken by the caller. advance_alone() advances by one cycle, true if it emits a row;
  // advance_without_row() advances by `cycles` that emit no row; cycles_without_row() returns a number of next cycles
  // that emit none, -1 while rows are emitted.
  bool advance_alone(const Plan& plan) {
    const bool row = out_delay_ == 0 && out_set_ < sets_per_round_ && out_phase_ < plan.alpha.y;
    advance(plan);
    return row;
  }
  void advance_without_row(const Plan& plan, std::int64_t cycles) {
    const std::int64_t most = plan.spacing - cycles;
    if (in_phase_ < most && out_delay_ == 0 && out_phase_ < most && cycle_ + cycles < cycles_per_round_) {
      in_phase_ += cycles;
      out_phase_ += cycles;
      cycle_ += cycles;
      return;
    }
    for (; cycles > 0; --cycles) advance(plan);
  }
  std::int64_t cycles_without_row(const Plan& plan) const {
    const std::int64_t of_phase = out_phase_ < plan.alpha.y ? -1 : plan.spacing - out_phase_;
    return out_delay_ > 0 ? out_delay_ : of_phase;
  }
  // cycle() returns the number of the next array cycle over all rounds, cycle_of() that of the cycle which takes the
  // first column of a window; seek() continues from any cycle.
  std::int64_t cycle(const Plan& plan) const {
    return (array_rounds(plan).rounds - rounds_left_) * cycles_per_round_ + cycle_;
  }
  std::int64_t cycle_of(const Plan& plan, const Anchor& at) const;
  void seek(const Plan& plan, std::int64_t cycle);

  // Counts `cycles` as starved by the FIFO that was empty in the last step. Like the ports' cycles, the counts are no
  // part of the array's state.
  void count_starved(Cycles cycles) { starved_[missing_] += cycles; }
  void count_starved(const ArrayStarved& cycles) {
    for (std::size_t i = 0; i < cycles.size(); ++i) starved_[i] += cycles[i];
  }
  const ArrayStarved& starved() const { return starved_; }
  void keep_account(const Array& other) { starved_ = other.starved_; }

  // Data mode, fixed point: results emitted so far whose sums exceed 32 bits.
  std::int64_t overflows() const { return overflows_; }

 private:
  void advance(const Plan& plan);
  void compute(const Plan& plan, Word* result, const Word* inp, const Word* kern);
  template <class Data>
  void compute(Data& data, const Plan& plan, Word* result, const Word* inp, const Word* kern);

  std::int64_t rounds_left_ = 0;
  std::int64_t sets_per_round_ = 0;
  std::int64_t cycles_per_round_ = 0;
  std::int64_t cycle_ = 0;  // array cycle within the round
  std::int64_t in_set_ = 0, in_phase_ = 0;
  std::int64_t out_delay_ = 0;  // array cycles until row 0 of set 0 is due
  std::int64_t out_set_ = 0, out_phase_ = 0;

  std::size_t missing_ = 0;  // index into ArrayStarved
  ArrayStarved starved_{};

  std::int64_t overflows_ = 0;
  std::variant<std::monostate, ArrayData<Fp32>, ArrayData<FixedPoint>> data_;  // data mode
};

}  // namespace weft::fpgpt

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/units.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt {

// Values in the elements of the array in data mode, for one family of number formats.
template <class Numbers>
class ArrayData {
 public:
  explicit ArrayData(const Plan& plan)
      : sums_(static_cast<std::size_t>(std::int64_t{kSlots} * plan.alpha.y * kPartials * plan.alpha.x)),
        columns_(static_cast<std::size_t>(std::int64_t{plan.alpha.y} * plan.alpha.x)) {}

  // Position of row 0 in a round: array cycle, set and product.
  struct Position {
    std::int64_t cycle = 0, set = 0, product = 0, sets_of_round = 0;
  };

  // Multiplies and accumulates the tokens of one array cycle: a column of INP (or nullptr) and a row of KERN.
  void multiply(const Plan& plan, const Position& at, const Word* inp, const Word* kern) {
    const int x = plan.alpha.x, rows = plan.alpha.y;
    if (plan.alpha.profile.overlap_drain) {
      // Rows lag by registers inside the array; the values do not depend on that.
      for (int y = 0; y < rows; ++y) accumulate(plan, at.set, at.product, y, inp, kern[y]);
      return;
    }
    // INP moves down one row per cycle: row y sees the column of y cycles ago. The feeder has delayed the row's lane of
    // KERN.
    const std::int64_t slot = at.cycle % rows;
    if (inp) std::copy_n(inp, x, columns_.begin() + slot * x);
    for (int y = 0; y < rows; ++y) {
      std::int64_t set = at.set, product = at.product - y;
      if (product < 0) {
        --set;
        product += plan.spacing;
      }
      if (set < 0 || set >= at.sets_of_round || product >= plan.m) continue;
      const std::int64_t column = (slot - y + rows) % rows;
      accumulate(plan, set, product, y, columns_.data() + column * x, kern[y]);
    }
  }

  // Writes the results of a row for a set to `token`; returns the number of sums that exceed 32 bits.
  std::int64_t result(const Plan& plan, std::int64_t set, std::int64_t row, Word* token) const {
    const std::ptrdiff_t x = plan.alpha.x;
    const Sum* const sums = sums_.data() + element(plan, set, row) * kPartials * x;
    std::int64_t overflows = 0;
    for (std::ptrdiff_t i = 0; i < x; ++i) token[i] = Numbers::result(sums + i, x, overflows);
    return overflows;
  }

 private:
  using Sum = typename Numbers::Sum;
  static constexpr int kPartials = Numbers::kPartials;
  // Sets that can be between their first product and their last result: P >= max(M, Y, F), and with overlap_drain all
  // rows of a set begin together here.
  static constexpr int kSlots = 4;

  static std::int64_t element(const Plan& plan, std::int64_t set, std::int64_t row) {
    return (set % kSlots) * plan.alpha.y + row;
  }
  void accumulate(const Plan& plan, std::int64_t set, std::int64_t product, int row, const Word* inp, Word kern) {
    const int x = plan.alpha.x;
    Sum* const all = sums_.data() + element(plan, set, row) * kPartials * x;
    if (product == 0) std::fill_n(all, kPartials * x, Sum{});
    Sum* const sums = all + (product % kPartials) * x;
    for (int column = 0; column < x; ++column) Numbers::multiply_add(sums[column], inp[column], kern);
  }

  std::vector<Sum> sums_;      // [slot][row][partial][column]
  std::vector<Word> columns_;  // the last Y columns of INP, [cycle mod Y][column]
};

}  // namespace weft::fpgpt

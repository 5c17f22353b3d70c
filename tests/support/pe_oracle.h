#pragma once

#include <cstdint>

#include "model/fpgpt/pe_cycles.h"
#include "model/fpgpt/plan.h"

namespace weft::test {

// What the PE in `row` and `column` does in the array cycle `q` of round `round`, if the array advances: PE-4 to PE-9
// of CONTRACT.md, word by word.
inline fpgpt::PeClass class_of(const fpgpt::Plan& plan, std::int64_t round, std::int64_t q, int row, int column) {
  using fpgpt::PeClass;
  const conv::Convolution& c = plan.beta;
  const bool overlap = plan.alpha.profile.overlap_drain;
  const std::int64_t x = plan.alpha.x, y = plan.alpha.y, p = plan.spacing, m = c.m();
  const std::int64_t sets = (c.out_map() + x - 1) / x, groups = (c.n_kern + y - 1) / y;
  const std::int64_t all = overlap ? sets * groups * c.a * c.n_inp : sets;  // of a round
  const std::int64_t t = q - row;
  if (t < 0 || t >= (overlap ? (all - 1) * p + m : p * all)) return PeClass::FillDrain;
  if (t % p >= m) return PeClass::Gaps;
  const std::int64_t set = t / p + (overlap ? 0 : round * sets);  // over the whole convolution
  const std::int64_t output = set % sets * x + column, kernel = set / sets % groups * y + row;
  if (output >= c.out_map()) return PeClass::UnusedColumns;
  if (kernel >= c.n_kern) return PeClass::UnusedRows;
  const std::int64_t columns = c.w.kern_dilated(), position = t % p % (columns * c.h.kern_dilated());
  const auto i = static_cast<int>(position / columns), j = static_cast<int>(position % columns);
  const auto o = static_cast<int>(output / c.w.out), u = static_cast<int>(output % c.w.out);
  const bool kern_stored = i % c.h.kern_dilation == 0 && j % c.w.kern_dilation == 0;
  return kern_stored && c.h.sample(o, i) >= 0 && c.w.sample(u, j) >= 0 ? PeClass::Useful : PeClass::Zeros;
}

// Adds the array cycle to `to`, PE by PE.
inline void add_array_cycle(const fpgpt::Plan& plan, std::int64_t round, std::int64_t q, fpgpt::PeCycles& to) {
  for (int row = 0; row < plan.alpha.y; ++row) {
    for (int column = 0; column < plan.alpha.x; ++column) {
      ++to[static_cast<std::size_t>(class_of(plan, round, q, row, column))];
    }
  }
}

}  // namespace weft::test

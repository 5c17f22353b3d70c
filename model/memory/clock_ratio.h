#pragma once

#include <cstdint>
#include <numeric>

#include "model/core/divider.h"
#include "model/core/frequency.h"

namespace weft::memory {

using Nck = std::int64_t;  // DRAM clock cycles (JEDEC's nCK), counted from the start of a convolution

// Exact relation of the kernel clock and the DRAM clock: one kernel cycle lasts nck / cycles DRAM cycles (100 MHz and
// DDR4-2400: 12/1; 250 MHz: 24/5), and both clocks have an edge at time 0.
class ClockRatio {
 public:
  // The DRAM clock runs at half the data rate, which is given in MT/s. Phases tell edges from each other that are not
  // a multiple of `edges` apart.
  ClockRatio(Frequency kernel, Frequency data_rate, Nck edges = 1) : ClockRatio(data_rate / 2 / kernel, edges) {}

  // True if both sides of the ratio are small enough to count the edges of a convolution: its cycles are far below
  // 2^36.
  bool countable() const { return nck_.by() <= kMost && cycles_.by() <= kMost; }
  // True if every kernel cycle has at least `edges` DRAM edges.
  bool edges_in_a_cycle(std::int64_t edges) const { return nck_.by() / cycles_.by() >= edges; }

  // Returns the first DRAM edge at or after the start of `cycle`, which is also the number of edges before it.
  Nck first_edge(Cycles cycle) const { return cycles_.divide(cycle * nck_.by() + cycles_.by() - 1); }

  // Returns the first kernel edge after (never at) DRAM edge `edge`.
  Cycles cycle_after(Nck edge) const { return nck_.divide(edge * cycles_.by()) + 1; }

  // Phase of `cycle` against the DRAM's edges: cycles of equal phase have the edges at equal offsets.
  Cycles phase(Cycles cycle) const { return cycle % period_; }
  // Cycles from one to the next of equal phase.
  Cycles period() const { return period_; }

 private:
  ClockRatio(const Rational& nck_in_a_cycle, Nck edges)
      : nck_(nck_in_a_cycle.numerator()),
        cycles_(nck_in_a_cycle.denominator()),
        period_(cycles_.by() * (edges / std::gcd(nck_.by(), edges))) {}

  static constexpr std::int64_t kMost = std::int64_t{1} << 26;

  Divider nck_, cycles_;
  Cycles period_;
};

}  // namespace weft::memory

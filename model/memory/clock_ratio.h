#pragma once

#include <cstdint>
#include <numeric>

#include "model/core/units.h"

namespace weft::memory {

using Nck = std::int64_t;  // DRAM clock cycles (JEDEC's nCK), counted from the start of a convolution

// How the edges of the kernel clock and of the DRAM clock lie against each other, exactly: one kernel cycle lasts
// nck / cycles DRAM cycles (100 MHz and DDR4-2400: 12/1; 250 MHz: 24/5), and both clocks have an edge at time 0.
class ClockRatio {
 public:
  // The DRAM clock runs at half the data rate: data_rate_mtps / 2 MHz.
  ClockRatio(Frequency kernel, std::int64_t data_rate_mtps) {
    const std::int64_t nck = data_rate_mtps * kernel.den;
    const std::int64_t cycles = 2 * kernel.num;
    const std::int64_t divisor = std::gcd(nck, cycles);
    nck_ = nck / divisor;
    cycles_ = cycles / divisor;
  }

  // The first DRAM edge at or after the start of `cycle`; as many edges lie before it.
  Nck first_edge(Cycles cycle) const { return (cycle * nck_ + cycles_ - 1) / cycles_; }

  // The first kernel edge after (never at) DRAM edge `edge`.
  Cycles cycle_after(Nck edge) const { return edge * cycles_ / nck_ + 1; }

  // How `cycle` lies against the DRAM's edges: cycles of equal phase see them alike.
  Cycles phase(Cycles cycle) const { return cycle % cycles_; }

 private:
  std::int64_t nck_ = 1;
  std::int64_t cycles_ = 1;
};

}  // namespace weft::memory

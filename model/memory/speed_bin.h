#pragma once

#include <array>
#include <optional>

#include "model/core/frequency.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

// A speed bin of DDR4, as JESD79-4 gives it: the times that do not depend on the rate alone.
struct SpeedBin {
  const char* name;     // "2400T"
  int nominal_mtps;     // what the rate is called: 2133 means 2133 1/3
  Frequency rate_mtps;  // what it is
  int cl_nck;           // CL = nRCD = nRP
  int cwl_nck;          // of the first set: 1 tCK write preamble
  int ras_ps;           // tRAS
  int ccd_l_ps;         // tCCD_L
  // tRRD_S, tRRD_L and tFAW by page: 1/2 KB (x4 devices), 1 KB (x8), 2 KB (x16).
  std::array<int, 3> rrd_s_ps, rrd_l_ps, faw_ps;
};

// One bin for each rate, slowest first: of those that JESD79-4 has for it the one before the slowest, which is what
// modules of the rate commonly are (2400T is 17-17-17).
const std::array<SpeedBin, 7>& speed_bins();

// The bin of a rate, or nullptr.
const SpeedBin* find_speed_bin(const Frequency& rate_mtps);

// The exact rate that `mtps` is the name of (2133: 6400/3), or `mtps` itself.
Frequency exact_rate(const Frequency& mtps);

// What devices of `device_bits` (4, 8 or 16) of the bin need, in clocks rounded up; all but tRFC, which is 0.
Ddr4Timing timing_of(const SpeedBin& bin, int device_bits);

// tRFC1 in clocks of devices of that many bits in all; nothing where JESD79-4 lists no such density.
std::optional<int> rfc_nck(const SpeedBin& bin, std::int64_t density_bits);

}  // namespace weft::memory

#pragma once

#include <array>
#include <optional>

#include "model/core/frequency.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

// A speed bin of DDR4 by JESD79-4: the times that do not depend on the rate alone.
struct SpeedBin {
  const char* name;     // "2400T"
  int nominal_mtps;     // name of the rate: 2133 means 2133 1/3
  Frequency rate_mtps;  // exact rate
  int cl_nck;           // CL = nRCD = nRP
  int cwl_nck;          // of the first set: 1 tCK write preamble
  int ras_ps;           // tRAS
  int ccd_l_ps;         // tCCD_L
  // tRRD_S, tRRD_L and tFAW by page: 1/2 KB (x4 devices), 1 KB (x8), 2 KB (x16).
  std::array<int, 3> rrd_s_ps, rrd_l_ps, faw_ps;
};

// One bin for each rate, slowest first: the second slowest of JESD79-4's bins of the rate, which its modules commonly
// have (2400T is 17-17-17).
const std::array<SpeedBin, 7>& speed_bins();

// Returns the bin of a rate, or nullptr.
const SpeedBin* find_speed_bin(const Frequency& rate_mtps);

// Returns the exact rate that is named `mtps` (2133: 6400/3), or `mtps` itself.
Frequency exact_rate(const Frequency& mtps);

// Returns the timing of devices of `device_bits` (4, 8 or 16) of the bin, in clocks rounded up; tRFC is 0.
Ddr4Timing timing_of(const SpeedBin& bin, int device_bits);

// Returns tRFC1 in clocks for devices of `density_bits` bits; nothing if JESD79-4 lists no such density.
std::optional<int> rfc_nck(const SpeedBin& bin, std::int64_t density_bits);

}  // namespace weft::memory

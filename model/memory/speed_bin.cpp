#include "model/memory/speed_bin.h"

#include <algorithm>

namespace weft::memory {

namespace {

// A time in clocks, without rounding of the clock period: 2 * 10^6 ps at 1 MT/s are one clock.
Rational exact_clocks(std::int64_t ps, const SpeedBin& bin) {
  return bin.rate_mtps * ps / 2'000'000;
}

// A time in clocks, rounded up, at least `least`.
int clocks(std::int64_t ps, const SpeedBin& bin, int least = 1) {
  return std::max(static_cast<int>(ceil(exact_clocks(ps, bin))), least);
}

// Times of all rates (JESD79-4C Tables 169 and 170, timing parameters by speed bin; tREFI and tRFC1: refresh parameters
// by device density).
constexpr std::int64_t kWrPs = 15'000;
constexpr std::int64_t kWtrSPs = 2'500, kWtrLPs = 7'500;
constexpr std::int64_t kRtpPs = 7'500;
constexpr std::int64_t kRefiPs = 7'800'000;

}  // namespace

// JESD79-4C: CL-nRCD-nRP and tRAS by bin, section "Speed Bins"; CWL, Mode Register MR2; tCCD_L, tRRD, tFAW, Tables 169
// and 170. The data rate is that of tCK(avg), whose decimals the standard truncates: 0.938 ns stands for 15/16 ns.
const std::array<SpeedBin, 7>& speed_bins() {
  static constexpr std::array<SpeedBin, 7> kBins{{
      {"1600K", 1600, 1600, 11, 9, 35000, 6250, {5000, 5000, 6000}, {6000, 6000, 7500}, {20000, 25000, 35000}},
      {"1866M", 1866, {5600, 3}, 13, 10, 34000, 5355, {4200, 4200, 5300}, {5300, 5300, 6400}, {17000, 23000, 30000}},
      {"2133P", 2133, {6400, 3}, 15, 11, 33000, 5355, {3700, 3700, 5300}, {5300, 5300, 6400}, {15000, 21000, 30000}},
      {"2400T", 2400, 2400, 17, 12, 32000, 5000, {3300, 3300, 5300}, {4900, 4900, 6400}, {13000, 21000, 30000}},
      {"2666V", 2666, {8000, 3}, 19, 14, 32000, 5000, {3000, 3000, 5300}, {4900, 4900, 6400}, {12000, 21000, 30000}},
      {"2933Y", 2933, {8800, 3}, 21, 16, 32000, 5000, {2700, 2700, 5300}, {4900, 4900, 6400}, {10875, 21000, 30000}},
      {"3200AA", 3200, 3200, 22, 16, 32000, 5000, {2500, 2500, 5300}, {4900, 4900, 6400}, {10000, 21000, 30000}},
  }};
  return kBins;
}

const SpeedBin* find_speed_bin(const Frequency& rate_mtps) {
  const auto& bins = speed_bins();
  const auto found =
      std::find_if(bins.begin(), bins.end(), [&](const SpeedBin& bin) { return bin.rate_mtps == rate_mtps; });
  return found == bins.end() ? nullptr : &*found;
}

Frequency exact_rate(const Frequency& mtps) {
  for (const SpeedBin& bin : speed_bins()) {
    if (mtps == bin.nominal_mtps) return bin.rate_mtps;
  }
  return mtps;
}

Ddr4Timing timing_of(const SpeedBin& bin, int device_bits) {
  const std::size_t page = device_bits == 4 ? 0 : device_bits == 8 ? 1 : 2;
  constexpr std::array<int, 3> kFawNck{16, 20, 28};
  Ddr4Timing t;
  t.cl_nck = t.rcd_nck = t.rp_nck = bin.cl_nck;
  t.cwl_nck = bin.cwl_nck;
  t.ras_nck = clocks(bin.ras_ps, bin);
  t.rc_nck = t.ras_nck + t.rp_nck;
  t.rrd_s_nck = clocks(bin.rrd_s_ps[page], bin, 4);
  t.rrd_l_nck = clocks(bin.rrd_l_ps[page], bin, 4);
  t.faw_nck = clocks(bin.faw_ps[page], bin, kFawNck[page]);
  t.ccd_s_nck = 4;
  t.ccd_l_nck = clocks(bin.ccd_l_ps, bin, 5);
  t.rtp_nck = clocks(kRtpPs, bin, 4);
  t.wr_nck = clocks(kWrPs, bin);
  t.wtr_s_nck = clocks(kWtrSPs, bin, 2);
  t.wtr_l_nck = clocks(kWtrLPs, bin, 4);
  t.turnaround_nck = 2;  // RD to WR: CL + BL/2 - CWL + 2 tCK, section "READ Burst Operation"
  t.refi_nck = static_cast<int>(floor(exact_clocks(kRefiPs, bin)));  // a maximum, so rounded down
  t.rfc_nck = 0;
  return t;
}

std::optional<int> rfc_nck(const SpeedBin& bin, std::int64_t density_bits) {
  struct OfDensity {
    int gbit;
    std::int64_t ps;
  };
  constexpr std::array<OfDensity, 4> kRfc1{{{2, 160'000}, {4, 260'000}, {8, 350'000}, {16, 550'000}}};
  for (const OfDensity& each : kRfc1) {
    if (density_bits == std::int64_t{each.gbit} << 30) return clocks(each.ps, bin);
  }
  return std::nullopt;
}

}  // namespace weft::memory

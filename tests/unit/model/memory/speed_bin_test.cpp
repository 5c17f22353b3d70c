#include "model/memory/speed_bin.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::memory {
namespace {

std::vector<int> clocks_of(const Ddr4Timing& t) {
  return {t.cl_nck,    t.cwl_nck,   t.rcd_nck,   t.rp_nck,         t.ras_nck,   t.rc_nck,
          t.rrd_s_nck, t.rrd_l_nck, t.faw_nck,   t.ccd_s_nck,      t.ccd_l_nck, t.rtp_nck,
          t.wr_nck,    t.wtr_s_nck, t.wtr_l_nck, t.turnaround_nck, t.refi_nck};
}

// Worked by hand from the times of JESD79-4 for 1/2 KB pages (x4): time * rate / 2, rounded up, and the least clocks
// that it asks for. For instance at 1866 2/3: tRAS 34 ns * 933.33 MHz = 31.73, tWR 15 ns = 14 exactly, tREFI 7.8 us =
// 7280.
TEST(SpeedBin, TimingsInClocksAreTheStandards) {
  const struct {
    int mtps;
    // CL CWL tRCD tRP tRAS tRC tRRD_S tRRD_L tFAW tCCD_S tCCD_L tRTP tWR tWTR_S tWTR_L, turnaround, tREFI
    std::vector<int> x4;
    int faw_x8, rfc_4gb, rfc_8gb, rfc_16gb;
  } bins[] = {
      {1600, {11, 9, 11, 11, 28, 39, 4, 5, 16, 4, 5, 6, 12, 2, 6, 2, 6240}, 20, 208, 280, 440},
      {1866, {13, 10, 13, 13, 32, 45, 4, 5, 16, 4, 5, 7, 14, 3, 7, 2, 7280}, 22, 243, 327, 514},
      {2133, {15, 11, 15, 15, 36, 51, 4, 6, 16, 4, 6, 8, 16, 3, 8, 2, 8320}, 23, 278, 374, 587},
      {2400, {17, 12, 17, 17, 39, 56, 4, 6, 16, 4, 6, 9, 18, 3, 9, 2, 9360}, 26, 312, 420, 660},
      {2666, {19, 14, 19, 19, 43, 62, 4, 7, 16, 4, 7, 10, 20, 4, 10, 2, 10400}, 28, 347, 467, 734},
      {2933, {21, 16, 21, 21, 47, 68, 4, 8, 16, 4, 8, 11, 22, 4, 11, 2, 11440}, 31, 382, 514, 807},
      {3200, {22, 16, 22, 22, 52, 74, 4, 8, 16, 4, 8, 12, 24, 4, 12, 2, 12480}, 34, 416, 560, 880},
  };
  for (const auto& expected : bins) {
    const SpeedBin* const bin = find_speed_bin(exact_rate({expected.mtps, 1}));
    ASSERT_NE(bin, nullptr) << expected.mtps;
    EXPECT_EQ(clocks_of(timing_of(*bin, 4)), expected.x4) << expected.mtps;
    EXPECT_EQ(timing_of(*bin, 8).faw_nck, expected.faw_x8) << expected.mtps;
    EXPECT_EQ(rfc_nck(*bin, std::int64_t{4} << 30), expected.rfc_4gb) << expected.mtps;
    EXPECT_EQ(rfc_nck(*bin, std::int64_t{8} << 30), expected.rfc_8gb) << expected.mtps;
    EXPECT_EQ(rfc_nck(*bin, std::int64_t{16} << 30), expected.rfc_16gb) << expected.mtps;
  }
}

// 2 KB pages at 2400: 5.3 ns = 6.36, 6.4 ns = 7.68, 30 ns = 36.
TEST(SpeedBin, WiderPagesActivateMoreSlowly) {
  const Ddr4Timing x16 = timing_of(*find_speed_bin({2400, 1}), 16);
  EXPECT_EQ(x16.rrd_s_nck, 7);
  EXPECT_EQ(x16.rrd_l_nck, 8);
  EXPECT_EQ(x16.faw_nck, 36);
}

TEST(SpeedBin, TheModelsDefaultsAre2400TOf8GbX4Devices) {
  const SpeedBin& bin = *find_speed_bin({2400, 1});
  EXPECT_STREQ(bin.name, "2400T");
  EXPECT_EQ(clocks_of(timing_of(bin, 4)), clocks_of(Ddr4Timing()));
  EXPECT_EQ(rfc_nck(bin, std::int64_t{8} << 30), Ddr4Timing().rfc_nck);
}

TEST(SpeedBin, NamesOfRatesMeanThirds) {
  EXPECT_EQ(exact_rate({1866, 1}), (Frequency{5600, 3}));
  EXPECT_EQ(exact_rate({2133, 1}), (Frequency{6400, 3}));
  EXPECT_EQ(exact_rate({2666, 1}), (Frequency{8000, 3}));
  EXPECT_EQ(exact_rate({2933, 1}), (Frequency{8800, 3}));
  EXPECT_EQ(exact_rate({2400, 1}), (Frequency{2400, 1}));
  EXPECT_EQ(exact_rate({2000, 1}), (Frequency{2000, 1}));
  EXPECT_EQ(find_speed_bin({6400, 3})->nominal_mtps, 2133);
  EXPECT_EQ(find_speed_bin({2000, 1}), nullptr);
}

TEST(SpeedBin, ADensityThatTheStandardDoesNotListHasNoRefreshTime) {
  EXPECT_EQ(rfc_nck(*find_speed_bin({2400, 1}), std::int64_t{32} << 30), std::nullopt);
  EXPECT_EQ(rfc_nck(*find_speed_bin({2400, 1}), (std::int64_t{8} << 30) + 1), std::nullopt);
}

}  // namespace
}  // namespace weft::memory

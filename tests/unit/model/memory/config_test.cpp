#include "model/memory/config.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/memory/clock_ratio.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/speed_bin.h"
#include "tests/support/texts.h"

namespace weft::memory {
namespace {

// Returns the message of the error that `change` to a valid configuration causes.
std::string message_of(const std::function<void(MemoryConfig&)>& change) {
  MemoryConfig config;
  change(config);
  return test::message_of([&] { make_memory(config); });
}

TEST(MemoryConfig, DefaultsAreValid) {
  EXPECT_EQ(message_of([](MemoryConfig&) {}), "nothing");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.kind = MemoryKind::ideal; }), "nothing");
}

TEST(MemoryConfig, ErrorsNameFieldValueAndWhatIsAllowed) {
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.beat_bytes = 256; }),
            "beat_bytes is 256; allowed: a power of two up to 128 (1024 bits, the widest AXI4 bus).");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.beat_bytes = 48; }),
            "beat_bytes is 48; allowed: a power of two up to 128 (1024 bits, the widest AXI4 bus).");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.port_channel = {0, 2}; }), "port_channel is 2; allowed: 0 to 0.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.port_channel.clear(); }), "number of ports is 0; allowed: 1 to 255.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.channels = 0; }), "channels is 0; allowed: 1 to 64.");
  EXPECT_EQ(message_of([](MemoryConfig& c) {
              c.kernel_clock = {0, 1};
            }),
            "kernel_clock is 0; allowed: a positive number.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.latency_cycles = -1; }), "latency_cycles is -1; allowed: 0 to 1000000.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.read_queue = 65; }), "ddr4.read_queue is 65; allowed: 1 to 64.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.bank_queue = 0; }), "ddr4.bank_queue is 0; allowed: 1 to 16.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.write_high = 33; }), "ddr4.write_high is 33; allowed: 1 to 32.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.write_low = 32; }), "ddr4.write_low is 32; allowed: 0 to 31.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.capacity = 100; }),
            "ddr4.capacity is 100; allowed: a multiple of 64 bytes up to 1 TiB.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.rc_nck = 55; }),
            "ddr4.timing.rc_nck is 55; allowed: at least ras_nck + rp_nck.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.rfc_nck = 3001; }),
            "ddr4.timing.rfc_nck is 3001; allowed: 1 to 3000.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.refi_nck = 420; }),
            "ddr4.timing.refi_nck is 420; allowed: more than 2 * rfc_nck.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.burst_length = 4; }),
            "ddr4.timing.burst_length is 4; allowed: 8.");
}

TEST(MemoryConfig, AnIdealMemoryIgnoresTheDdr4Fields) {
  EXPECT_EQ(message_of([](MemoryConfig& c) {
              c.kind = MemoryKind::ideal;
              c.ddr4.read_queue = 0;
            }),
            "nothing");
}

constexpr Address bit(int n) {
  return Address{1} << n;
}

void expect_fields(AddressMap map, int group_bit, int bank_bit, int a3_bit) {
  for (int n = 6; n < 34; ++n) {
    const DramAddress where = decode(map, bit(n));
    EXPECT_EQ(where.row, n >= 17 ? 1 << (n - 17) : 0) << "bit " << n;
    const int group = n == group_bit ? 1 : n == group_bit + 1 ? 2 : 0;
    const int bank = n == bank_bit ? 1 : n == bank_bit + 1 ? 2 : 0;
    EXPECT_EQ(where.bank, group * kBanksPerGroup + bank) << "bit " << n;
    EXPECT_EQ(where.column_a3, n == a3_bit) << "bit " << n;
  }
}

TEST(Ddr4Address, RcbIsRowColumnBankGroup) {
  expect_fields(AddressMap::rcb, 6, 8, 10);
}
TEST(Ddr4Address, IntlvPutsColumnBitA3BelowTheBank) {
  expect_fields(AddressMap::intlv, 6, 9, 8);
}
TEST(Ddr4Address, RbcIsRowBankGroupColumn) {
  expect_fields(AddressMap::rbc, 13, 15, 6);
}

TEST(Ddr4Address, SequentialLinesVisitAllBankGroupsFirst) {
  for (const AddressMap map : {AddressMap::rcb, AddressMap::intlv}) {
    for (int line = 0; line < 4; ++line) EXPECT_EQ(decode(map, line * kAccessBytes).bank, line * kBanksPerGroup);
  }
}

std::vector<int> clocks_of(const Ddr4Timing& t) {
  return {t.cl_nck,    t.cwl_nck,   t.rcd_nck,   t.rp_nck,         t.ras_nck,   t.rc_nck,
          t.rrd_s_nck, t.rrd_l_nck, t.faw_nck,   t.ccd_s_nck,      t.ccd_l_nck, t.rtp_nck,
          t.wr_nck,    t.wtr_s_nck, t.wtr_l_nck, t.turnaround_nck, t.refi_nck};
}

// Hand calculation from the times of JESD79-4 for 1/2 KB pages (x4): time * rate / 2, rounded up, at least its minimum
// of clocks. For instance at 1866 2/3: tRAS 34 ns * 933.33 MHz = 31.73, tWR 15 ns = 14 exactly, tREFI 7.8 us = 7280.
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
  EXPECT_EQ(std::tuple(x16.rrd_s_nck, x16.rrd_l_nck, x16.faw_nck), std::tuple(7, 8, 36));
}

TEST(SpeedBin, TheModelsDefaultsAre2400TOf8GbX4Devices) {
  const SpeedBin& bin = *find_speed_bin({2400, 1});
  EXPECT_STREQ(bin.name, "2400T");
  EXPECT_EQ(clocks_of(timing_of(bin, 4)), clocks_of(Ddr4Timing()));
  EXPECT_EQ(rfc_nck(bin, std::int64_t{8} << 30), Ddr4Timing().rfc_nck);
}

TEST(SpeedBin, NamesOfRatesMeanThirds) {
  EXPECT_EQ(std::tuple(exact_rate({1866, 1}), exact_rate({2133, 1}), exact_rate({2666, 1}), exact_rate({2933, 1})),
            std::tuple((Frequency{5600, 3}), (Frequency{6400, 3}), (Frequency{8000, 3}), (Frequency{8800, 3})));
  EXPECT_EQ(exact_rate({2400, 1}), (Frequency{2400, 1}));
  EXPECT_EQ(exact_rate({2000, 1}), (Frequency{2000, 1}));
  EXPECT_EQ(find_speed_bin({6400, 3})->nominal_mtps, 2133);
  EXPECT_EQ(find_speed_bin({2000, 1}), nullptr);
}

TEST(SpeedBin, ADensityThatTheStandardDoesNotListHasNoRefreshTime) {
  EXPECT_EQ(rfc_nck(*find_speed_bin({2400, 1}), std::int64_t{32} << 30), std::nullopt);
  EXPECT_EQ(rfc_nck(*find_speed_bin({2400, 1}), (std::int64_t{8} << 30) + 1), std::nullopt);
}

// Compares against the definition: edge n of the DRAM clock is at n * 2/rate us, the start of cycle k at k * den/num
// us.
void expect_definition(Frequency kernel, Frequency rate) {
  const ClockRatio clocks(kernel, rate);
  // Both times are in units of 1 / (rate.numerator() * kernel.numerator()) us.
  const auto dram_time = [&](Nck n) { return n * 2 * rate.denominator() * kernel.numerator(); };
  const auto kernel_time = [&](Cycles k) { return k * kernel.denominator() * rate.numerator(); };
  for (Cycles k = 0; k < 500; ++k) {
    const Nck n = clocks.first_edge(k);
    EXPECT_GE(dram_time(n), kernel_time(k));
    EXPECT_LT(dram_time(n - 1), kernel_time(k));
  }
  for (Nck n = 0; n < 5000; ++n) {
    const Cycles k = clocks.cycle_after(n);
    EXPECT_GT(kernel_time(k), dram_time(n));
    EXPECT_LE(kernel_time(k - 1), dram_time(n));
  }
}

TEST(ClockRatio, EdgesFollowTheDefinitionAtAnyRatio) {
  expect_definition({100, 1}, {2400, 1});
  expect_definition({300, 1}, {2400, 1});
  expect_definition({250, 1}, {2400, 1});
  expect_definition({130, 1}, {2400, 1});
  expect_definition({2000, 7}, {2133, 1});
  expect_definition({100, 1}, {6400, 3});  // DDR4-2133
  expect_definition({1000, 3}, {8800, 3});
  expect_definition({3000, 1}, {2400, 1});  // a kernel clock above the DRAM clock
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// `first`: cycles and their first edge; `after`: edges and the cycle after each.
void expect_edges(const ClockRatio& clocks, const Pairs& first, const Pairs& after) {
  for (const auto& [cycle, edge] : first) EXPECT_EQ(clocks.first_edge(cycle), edge) << cycle;
  for (const auto& [edge, cycle] : after) EXPECT_EQ(clocks.cycle_after(edge), cycle) << edge;
}

// tREFI is 9360; "after" is strict: the edge at 0 is not after itself.
TEST(ClockRatio, TwelveToOneAt100Mhz) {
  expect_edges({{100, 1}, {2400, 1}}, {{1, 12}, {780, 9360}}, {{0, 1}, {11, 1}, {12, 2}});
}

TEST(ClockRatio, FourToOneAt300Mhz) {
  expect_edges({{300, 1}, {2400, 1}}, {{3, 12}}, {{3, 1}, {4, 2}});
}

TEST(ClockRatio, FourPointEightToOneAt250Mhz) {  // cycle starts in nCK: 0, 4.8, 9.6, 14.4, 19.2, 24
  expect_edges({{250, 1}, {2400, 1}}, {{0, 0}, {1, 5}, {2, 10}, {3, 15}, {4, 20}, {5, 24}},
               {{4, 1}, {5, 2}, {23, 5}, {24, 6}});
}

// 1066 2/3 MHz: cycle starts in nCK: 0, 10.67, 21.33, 32; tREFI is 8320, 7.8 us.
TEST(ClockRatio, ThirtyTwoToThreeAt100MhzAndDdr42133) {
  expect_edges({{100, 1}, {6400, 3}}, {{0, 0}, {1, 11}, {2, 22}, {3, 32}, {780, 8320}}, {{10, 1}, {11, 2}, {32, 4}});
}

// 1200/130 = 120/13: cycle starts at 0, 9.23, 18.46, ..., 110.77, 120.
TEST(ClockRatio, NinePointTwoThreeToOneAt130Mhz) {
  expect_edges({{130, 1}, {2400, 1}}, {{1, 10}, {2, 19}, {12, 111}, {13, 120}}, {{9, 1}, {10, 2}, {120, 14}});
}

TEST(ClockRatio, TellsHowManyEdgesEveryCycleHas) {
  EXPECT_TRUE(ClockRatio({100, 1}, {2400, 1}).edges_in_a_cycle(12));
  EXPECT_FALSE(ClockRatio({100, 1}, {2400, 1}).edges_in_a_cycle(13));
  EXPECT_FALSE(ClockRatio({1000, 3}, {6400, 3}).edges_in_a_cycle(4));  // 3.2
  EXPECT_TRUE(ClockRatio({1000, 3}, {6400, 3}).edges_in_a_cycle(3));
}

}  // namespace
}  // namespace weft::memory

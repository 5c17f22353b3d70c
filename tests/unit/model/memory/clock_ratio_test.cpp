#include "model/memory/clock_ratio.h"

#include <gtest/gtest.h>

namespace weft::memory {
namespace {

// Compares against the definition: edge n of the DRAM clock is at n * 2/rate us, the start of cycle k at k * den/num
// us.
void expect_definition(Frequency kernel, Frequency rate) {
  const ClockRatio clocks(kernel, rate);
  // Both in units of 1 / (rate.numerator() * kernel.numerator()) us.
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

TEST(ClockRatio, TwelveToOneAt100Mhz) {
  const ClockRatio clocks({100, 1}, {2400, 1});
  EXPECT_EQ(clocks.first_edge(1), 12);
  EXPECT_EQ(clocks.first_edge(780), 9360);  // tREFI
  EXPECT_EQ(clocks.cycle_after(0), 1);      // strictly after: the edge at 0 is not after itself
  EXPECT_EQ(clocks.cycle_after(11), 1);
  EXPECT_EQ(clocks.cycle_after(12), 2);
}

TEST(ClockRatio, FourToOneAt300Mhz) {
  const ClockRatio clocks({300, 1}, {2400, 1});
  EXPECT_EQ(clocks.first_edge(3), 12);
  EXPECT_EQ(clocks.cycle_after(3), 1);
  EXPECT_EQ(clocks.cycle_after(4), 2);
}

TEST(ClockRatio, FourPointEightToOneAt250Mhz) {  // cycle starts in nCK: 0, 4.8, 9.6, 14.4, 19.2, 24
  const ClockRatio clocks({250, 1}, {2400, 1});
  const Nck edges[] = {0, 5, 10, 15, 20, 24};
  for (Cycles k = 0; k < 6; ++k) EXPECT_EQ(clocks.first_edge(k), edges[k]);
  EXPECT_EQ(clocks.cycle_after(4), 1);
  EXPECT_EQ(clocks.cycle_after(5), 2);
  EXPECT_EQ(clocks.cycle_after(23), 5);
  EXPECT_EQ(clocks.cycle_after(24), 6);
}

TEST(ClockRatio, ThirtyTwoToThreeAt100MhzAndDdr42133) {  // 1066 2/3 MHz: cycle starts in nCK: 0, 10.67, 21.33, 32
  const ClockRatio clocks({100, 1}, {6400, 3});
  const Nck edges[] = {0, 11, 22, 32};
  for (Cycles k = 0; k < 4; ++k) EXPECT_EQ(clocks.first_edge(k), edges[k]);
  EXPECT_EQ(clocks.cycle_after(10), 1);
  EXPECT_EQ(clocks.cycle_after(11), 2);
  EXPECT_EQ(clocks.cycle_after(32), 4);
  EXPECT_EQ(clocks.first_edge(780), 8320);  // tREFI, 7.8 us
}

TEST(ClockRatio, TellsHowManyEdgesEveryCycleHas) {
  EXPECT_TRUE(ClockRatio({100, 1}, {2400, 1}).edges_in_a_cycle(12));
  EXPECT_FALSE(ClockRatio({100, 1}, {2400, 1}).edges_in_a_cycle(13));
  EXPECT_FALSE(ClockRatio({1000, 3}, {6400, 3}).edges_in_a_cycle(4));  // 3.2
  EXPECT_EQ(ClockRatio({100, 1}, {2400, 1}).whole_edges(), 12);
  EXPECT_EQ(ClockRatio({1000, 3}, {6400, 3}).whole_edges(), 3);
}

TEST(ClockRatio, NinePointTwoThreeToOneAt130Mhz) {  // 1200/130 = 120/13: cycle starts at 0, 9.23, 18.46, ..., 120
  const ClockRatio clocks({130, 1}, {2400, 1});
  EXPECT_EQ(clocks.first_edge(1), 10);
  EXPECT_EQ(clocks.first_edge(2), 19);
  EXPECT_EQ(clocks.first_edge(12), 111);  // 110.77
  EXPECT_EQ(clocks.first_edge(13), 120);
  EXPECT_EQ(clocks.cycle_after(9), 1);
  EXPECT_EQ(clocks.cycle_after(10), 2);
  EXPECT_EQ(clocks.cycle_after(120), 14);
}

}  // namespace
}  // namespace weft::memory

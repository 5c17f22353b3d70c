#include <gtest/gtest.h>

#include <algorithm>

#include "model/barista/kernel.h"
#include "model/barista/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/random/barista/random_gemm.h"
#include "tests/support/random_memory.h"

namespace weft::barista {
namespace {

void expect_same(const GemmResult& a, const GemmResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  for (std::size_t i = 0; i < kBlocks; ++i) EXPECT_EQ(a.activities[i], b.activities[i]) << kBlockInfos[i].name;
  for (std::size_t i = 0; i < kPeClasses; ++i) EXPECT_EQ(a.pe_cycles[i], b.pe_cycles[i]) << kPeClassInfos[i].name;
  for (std::size_t i = 0; i < kPorts; ++i) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a.ports[i].*field.count, b.ports[i].*field.count) << kPortInfos[i].name << " " << field.name;
    }
  }
}

void expect_sums(const GemmResult& result, const Alpha& alpha) {
  for (const Activities& block : result.activities) EXPECT_EQ(block.total(), result.cycles);
  std::int64_t sum = 0;
  for (const std::int64_t each : result.pe_cycles) sum += each;
  EXPECT_EQ(sum, std::int64_t{alpha.tr} * alpha.tc * result.cycles);
}

TEST(BaristaRungs, SteppingEveryCycleSkippingAndSystemCAgreeInEveryCount) {
  Cycles skipped = 0, blocked = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const Alpha alpha = test::random_alpha(random);
    const Plan plan = make_plan(alpha, test::random_gemm(random), test::kBases, false);
    const auto most = static_cast<Cycles>(seed % 50);
    test::RandomMemory first(0, most, seed), second(0, most, seed), third(0, most, seed);
    const GemmResult stepped = run_exact(plan, first, nullptr, {true});
    const GemmResult skipping = run_exact(plan, second, nullptr);
    const GemmResult hosted = systemc::virtual_platform().run(plan, third, {0, 1, 2}, nullptr);
    expect_same(stepped, skipping);
    expect_same(stepped, hosted);
    expect_sums(stepped, alpha);
    EXPECT_EQ(stepped.skipped_cycles, 0);
    skipped += skipping.skipped_cycles;
    blocked += stepped.activities[static_cast<std::size_t>(Block::Mesh)].of(Activity::Blocked);
  }
  EXPECT_GT(skipped, 10000);
  EXPECT_GT(blocked, 100);
}

TEST(BaristaRungs, AgreeOnDdr4WithSharedChannelsAndClocksThatDoNotDivideIt) {
  const std::vector<std::array<int, kPorts>> maps{{0, 0, 0}, {0, 1, 2}, {0, 1, 0}};
  const std::vector<Frequency> clocks{{250, 1}, {100, 1}, {1000, 3}};
  std::int64_t conflicts = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    Alpha alpha = test::random_alpha(random);
    alpha.clock = clocks[seed / 3 % clocks.size()];
    const auto page = [&] { return Address{4096} * test::pick(random, 0, 1 << 20); };
    const Plan plan = make_plan(alpha, test::random_gemm(random, 60), {page(), page(), page()}, false);
    memory::MemoryConfig config;
    config.kernel_clock = alpha.clock;
    config.beat_bytes = alpha.beat_bytes();
    const std::array<int, kPorts> channels = maps[seed % maps.size()];
    config.port_channel = {channels[0], channels[1], channels[2]};
    config.channels = 3;
    config.latency_cycles = static_cast<Cycles>(seed % 40);
    const auto first = memory::make_memory(config), second = memory::make_memory(config),
               third = memory::make_memory(config);
    const GemmResult stepped = run_exact(plan, *first, nullptr, {true});
    expect_same(stepped, run_exact(plan, *second, nullptr));
    expect_same(stepped, systemc::virtual_platform().run(plan, *third, channels, nullptr));
    expect_sums(stepped, alpha);
    for (const memory::PortStats& port : stepped.ports) conflicts += port.row_conflicts;
  }
  EXPECT_GT(conflicts, 1000);
}

Cycles simulated(const Alpha& alpha, const Gemm& gemm, Cycles latency) {
  test::RandomMemory memory(latency, latency, 1);
  return run_exact(make_plan(alpha, gemm, test::kBases, false), memory, nullptr).cycles;
}

// Returns a kernel whose ports and FIFOs never limit it.
Alpha open_kernel(test::Random& random) {
  Alpha alpha = test::random_alpha(random);
  for (const FifoId fifo : kFreeFifos) alpha.fifo[fifo] = 256;
  for (stream::PortConfig* port : {&alpha.a_port, &alpha.b_port, &alpha.c_port}) *port = {256, 256};
  return alpha;
}

// CONTRACT.md, section 7: T if the mesh never waits.
TEST(BaristaClosedForm, HoldsWhereNothingKeepsTheMeshWaiting) {
  int held = 0, longer = 0;
  for (std::uint64_t seed = 1; held < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LT(seed, 20000U);
    test::Random random(seed);
    Alpha alpha = open_kernel(random);
    const Gemm gemm = test::random_gemm(random);
    const Tiles tiles(alpha, gemm);
    const std::int64_t la = ceil_div(alpha.tr * alpha.tp, alpha.band), lb = ceil_div(alpha.tp * alpha.tc, alpha.band);
    const Cycles xm = alpha.mesh_cycles();
    if (la != lb || la > xm || alpha.tc > alpha.band) continue;
    // The drain of one tile ends before the next is pushed.
    if (alpha.tr + 1 > tiles.k * xm + alpha.final_add_cycles()) continue;
    const Cycles latency = test::pick(random, 0, 30);
    const Words c_words = tiles.c_words(alpha);
    const bool rest = c_words % alpha.band > 0 && c_words % alpha.band < alpha.tc;
    const Cycles expected = (2 + latency + la) + tiles.outputs() * (tiles.k * xm + alpha.final_add_cycles()) +
                            alpha.tr + 3 + latency + (rest ? 1 : 0);
    ASSERT_EQ(simulated(alpha, gemm, latency), expected);
    ++held;
    longer += rest;
  }
  EXPECT_GT(longer, 20);
}

// If tiles load more slowly than they are used, one more column of output tiles takes one more period.
TEST(BaristaClosedForm, TheLoadBoundPeriodHoldsWhereItApplies) {
  int bound = 0, third = 0;
  for (std::uint64_t seed = 1; bound < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LT(seed, 20000U);
    test::Random random(seed);
    Alpha alpha = open_kernel(random);
    alpha.band = 1 << test::pick(random, 1, 2);
    const std::int64_t la = ceil_div(alpha.tr * alpha.tp, alpha.band), lb = ceil_div(alpha.tp * alpha.tc, alpha.band);
    const std::int64_t l = std::max(la, lb);
    const std::int64_t k = test::pick(random, 1, 6);
    const Cycles xm = alpha.mesh_cycles(), f = alpha.final_add_cycles();
    if (l <= xm || Cycles{alpha.tr} * ceil_div(alpha.tc, alpha.band) > xm) continue;
    Cycles period = std::max(k * l, k * xm + f);
    const Cycles two_ahead = 2 * xm + f + (k - 2) * l;
    third += k > 1 && two_ahead > period;
    if (k > 1) period = std::max(period, two_ahead);
    const auto with = [&](std::int64_t columns) {
      return simulated(alpha, {alpha.tr, k * alpha.tp, columns * alpha.tc, 0}, 3);
    };
    // The words at the end of the run change by whole tiles: the remainder repeats after `band` of them.
    const std::int64_t step = alpha.band;
    ASSERT_EQ(with(4 + 2 * step) - with(4 + step), step * period);
    ++bound;
  }
  EXPECT_GT(third, 20);
}

}  // namespace
}  // namespace weft::barista

#include <gtest/gtest.h>

#include <memory>

#include "model/barista/exact/exact.h"
#include "model/barista/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/random/barista/random_gemm.h"
#include "tests/support/random_memory.h"

namespace weft::barista {
namespace {

void expect_same(const GemmResult& a, const GemmResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.limiter, b.limiter);
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
    const GemmResult stepped = exact::run_exact(plan, first, nullptr, {}, true);
    const GemmResult skipping = exact::run_exact(plan, second, nullptr);
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
    const GemmResult stepped = exact::run_exact(plan, *first, nullptr, {}, true);
    expect_same(stepped, exact::run_exact(plan, *second, nullptr));
    expect_same(stepped, systemc::virtual_platform().run(plan, *third, channels, nullptr));
    expect_sums(stepped, alpha);
    for (const memory::PortStats& port : stepped.ports) conflicts += port.row_conflicts;
  }
  EXPECT_GT(conflicts, 1000);
}

}  // namespace
}  // namespace weft::barista

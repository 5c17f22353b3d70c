#include <gtest/gtest.h>

#include <string>

#include "model/batchlane/exact/exact.h"
#include "model/batchlane/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/random/batchlane/random_pass.h"
#include "tests/support/random_memory.h"

namespace weft::batchlane {
namespace {

void expect_equal(const PassResult& a, const PassResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.activities, b.activities);
  EXPECT_EQ(a.pe_cycles, b.pe_cycles);
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a.ports[port].*field.count, b.ports[port].*field.count) << kPortInfos[port].name << " " << field.name;
    }
  }
}

std::unique_ptr<memory::Memory> random_memory(test::Random& random, std::uint64_t seed) {
  if (test::pick(random, 0, 2) > 0) {
    const int least = test::pick(random, 0, 40);
    return std::make_unique<weft::test::RandomMemory>(least, least + test::pick(random, 0, 30), seed);
  }
  memory::MemoryConfig config;
  config.kernel_clock = 250;
  config.channels = 2;
  config.port_channel = {0, test::pick(random, 0, 1), 0};
  config.latency_cycles = test::pick(random, 0, 30);
  config.write_response_cycles = test::pick(random, 0, 9);
  return memory::make_memory(config);
}

void expect_equal_rungs(const test::Pass& pass, test::Random& random, std::uint64_t seed) {
  const Plan plan = make_plan(pass.alpha, pass.layer, pass.kind, pass.mask, {}, test::kBases, false);
  const std::unique_ptr<memory::Memory> memory = random_memory(random, seed);
  const PassResult exact = exact::run_exact(plan, *memory, nullptr);
  const PassResult stepped = exact::run_exact(plan, *memory, nullptr, {true, {}});
  const PassResult systemc = systemc::virtual_platform().run(plan, *memory, {0, 0, 0}, nullptr);
  expect_equal(exact, stepped);
  expect_equal(exact, systemc);
  for (const Activities& block : exact.activities) EXPECT_EQ(block.total(), exact.cycles);
  std::int64_t all = 0;
  for (const std::int64_t each : exact.pe_cycles) all += each;
  EXPECT_EQ(all, exact.cycles * pass.alpha.pes * pass.alpha.lanes);
}

TEST(BatchlaneRungs, SystemcStepsAndEveryCycleAgreeInEveryCount) {
  int kinds[3]{};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Pass pass = test::random_pass(random);
    ++kinds[static_cast<int>(pass.kind)];
    expect_equal_rungs(pass, random, seed);
    if (HasFailure()) return;
  }
  for (const int each : kinds) EXPECT_GT(each, 80);
}

TEST(BatchlaneRungs, TheyAgreeOnTheDenseAlphaToo) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    expect_equal_rungs(test::random_dense_pass(random), random, seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft::batchlane

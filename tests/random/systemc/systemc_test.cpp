#include <gtest/gtest.h>

#include "model/systemc/virtual_platform.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"

namespace weft {
namespace {

void expect_equal(const fpgpt::ConvolutionResult& a, const fpgpt::ConvolutionResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.activities, b.activities);
  EXPECT_EQ(a.limiter, b.limiter);
  for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
    EXPECT_EQ(a.ports[port].busy_cycles, b.ports[port].busy_cycles);
    EXPECT_EQ(a.ports[port].wait_cycles, b.ports[port].wait_cycles);
    EXPECT_EQ(a.ports[port].read_bursts, b.ports[port].read_bursts);
    EXPECT_EQ(a.ports[port].write_beats, b.ports[port].write_beats);
  }
}

// One platform runs them all, one after the other: nothing of a convolution may leak into the next.
TEST(SystemC, OnePlatformRunsConvolutionsInSequenceExactlyLikeFreshClockedKernels) {
  Cycles skipped = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase clocked = test::random_case(seed), hosted = test::random_case(seed);
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 50), seed), same(0, static_cast<Cycles>(seed % 50), seed);
    const auto a = engine::run_clocked(clocked.plan, memory, &clocked.memory);
    const auto b = systemc::virtual_platform().run(hosted.plan, same, {0, 1, 2}, &hosted.memory.channels);
    expect_equal(a, b);
    EXPECT_EQ(test::contents(clocked.memory.channels[2]), test::contents(hosted.memory.channels[2]));
    skipped += b.skipped_cycles;
  }
  EXPECT_GT(skipped, 1000);  // waiting for memory really was skipped
}

TEST(SystemC, RepeatsItselfExactly) {
  test::DataCase data = test::random_case(7);
  data.plan.with_data = false;
  test::RandomMemory memory(3, 9, 1);
  const auto first = systemc::virtual_platform().run(data.plan, memory);
  const auto second = systemc::virtual_platform().run(data.plan, memory);
  expect_equal(first, second);
}

}  // namespace
}  // namespace weft

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hardware_order.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"

namespace weft {
namespace {

constexpr std::uint64_t kCases = 400;

TEST(FpgptData, OutEqualsTheHardwareSummationOrderBitForBitAndNothingElseIsWritten) {
  std::array<int, 3> kinds{};
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    ++kinds.at(static_cast<std::size_t>(data.plan.beta.kind));
    std::vector<float> expected = test::contents(data.memory.channels[2]);
    test::hardware_order(data.plan.beta, test::contents(data.memory.channels[0]),
                         test::contents(data.memory.channels[1]), expected);
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    engine::run_clocked(data.plan, memory, &data.memory);
    const std::vector<float> actual = test::contents(data.memory.channels[2]);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(fpgpt::bits(actual[i]), fpgpt::bits(expected[i])) << "word " << i;
    }
  }
  for (const int count : kinds) EXPECT_GE(count, 100);  // every kind was drawn often
}

TEST(FpgptData, TimingModeTakesTheSameCyclesAndStallsAsDataMode) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    fpgpt::Plan timing = data.plan;
    timing.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    const fpgpt::ConvolutionResult a = engine::run_clocked(data.plan, memory, &data.memory);
    const fpgpt::ConvolutionResult b = engine::run_clocked(timing, memory, nullptr);
    ASSERT_EQ(a.cycles, b.cycles);
    ASSERT_EQ(a.activities, b.activities);
    ASSERT_EQ(a.limiter, b.limiter);
  }
}

TEST(FpgptData, StallsOfEveryBlockSumToTheCyclesOfTheConvolution) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    data.plan.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    const fpgpt::ConvolutionResult result = engine::run_clocked(data.plan, memory, nullptr);
    for (const Activities& block : result.activities) ASSERT_EQ(block.total(), result.cycles);
  }
}

}  // namespace
}  // namespace weft

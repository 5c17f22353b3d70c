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
    fpgpt::exact::run_clocked(data.plan, memory, &data.memory);
    const std::vector<float> actual = test::contents(data.memory.channels[2]);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(bits(actual[i]), bits(expected[i])) << "word " << i;
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
    const fpgpt::ConvolutionResult a = fpgpt::exact::run_clocked(data.plan, memory, &data.memory);
    const fpgpt::ConvolutionResult b = fpgpt::exact::run_clocked(timing, memory, nullptr);
    ASSERT_EQ(a.cycles, b.cycles);
    ASSERT_EQ(a.activities, b.activities);
    ASSERT_EQ(a.limiter, b.limiter);
  }
}

TEST(FpgptData, Gen5StallsOfEveryBlockSumToTheCyclesOfTheConvolution) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    data.plan.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 20), seed);
    const fpgpt::ConvolutionResult result = fpgpt::exact::run_clocked(data.plan, memory, nullptr);
    for (const Activities& block : result.activities) ASSERT_EQ(block.total(), result.cycles);
  }
}

// Steps a kernel by hand and looks at every FIFO after every cycle.
TEST(FpgptData, Gen2Gen4AtMostOnePushAndPopACycleAndUnusedLanesAreZero) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed, 50000);
    const fp32::PeArithmetic arithmetic;
    fpgpt::Kernel kernel(std::make_shared<const fpgpt::Plan>(data.plan));
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 10), seed);
    std::array<std::int64_t, fpgpt::kFifos> pushed{}, popped{};
    fpgpt::BlockActivities activities{};
    for (Cycles now = 0; !kernel.done(); ++now) {
      ASSERT_LT(now, 1000000);
      fpgpt::exact::step(kernel, memory, now, &data.memory, activities);
      for (std::size_t i = 0; i < fpgpt::kFifos; ++i) {
        const Fifo& fifo = kernel.fifos[static_cast<fpgpt::FifoId>(i)];
        ASSERT_LE(fifo.pushed() - pushed[i], 1);
        ASSERT_LE(fifo.popped() - popped[i], 1);
        ASSERT_LE(fifo.pushed() - fifo.popped(), fifo.depth());
        pushed[i] = fifo.pushed();
        popped[i] = fifo.popped();
      }
      // The writer's beat is the token with strobes: lanes outside of them are zero.
      const stream::WritePort& port = kernel.out.port;
      if (!port.beat_sent) continue;
      for (int lane = 0; lane < data.plan.alpha.band(fpgpt::Port::Out); ++lane) {
        if (lane >= port.first_lane && lane < port.first_lane + port.lanes) continue;
        ASSERT_EQ(port.beat[static_cast<std::size_t>(lane)].bits, 0U) << "lane " << lane;
      }
    }
  }
}

}  // namespace
}  // namespace weft

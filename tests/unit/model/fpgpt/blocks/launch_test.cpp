#include <gtest/gtest.h>

#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/registers.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_memory.h"

namespace weft::fpgpt {
namespace {

ConvolutionResult run(Profile profile, const stream::PortConfig& inp_port, Cycles latency) {
  Alpha alpha;
  alpha.x = 4;
  alpha.y = 1;
  alpha.z = 6;
  alpha.profile = profile;
  alpha.inp_port = inp_port;
  test::RandomMemory memory(latency, latency, 1);
  return exact::run_clocked(test::plan_of(alpha, test::contract_example()), memory, nullptr);
}

Profile reading_to_discard() {
  Profile profile = Profile::rtl();
  profile.exact_bursts = false;
  return profile;
}

// 1 + 18*2 + 15*34 = 547 is the first cycle of the sweep; 4 outputs; 34 of the last division; 2; 4: cycle 0 is 591.
TEST(Launch, Lch2To4Cycle0OfTheContractsExampleIsLaunchCycle591) {
  EXPECT_EQ(1 + 18 * 2 + 15 * 34 + 4 + 34 + 2 + 4, 591);
  EXPECT_EQ(launch_cycles(test::contract_example()), 591);
}

// Only the outputs of one map matter: GoogLeNet's first layer has 112 x 112.
TEST(Launch, Lch2TheSweepTakesACycleForEachOutputOfOneMap) {
  conv::Convolution c = test::contract_example();
  c.h.out = c.w.out = 112;
  EXPECT_EQ(launch_cycles(c), 587 + 12'544);
  c.a = c.n_inp = c.n_kern = c.c = 64;
  c.h.kern = c.w.kern = 7;
  EXPECT_EQ(launch_cycles(c), 587 + 12'544);
}

TEST(Launch, Lch5ARefusalTakesAllButTheLastFourCyclesOrTwoInAll) {
  EXPECT_EQ(refusal_cycles(test::contract_example()), 587);
  for (int conv::Axis::*const size : {&conv::Axis::out, &conv::Axis::inp_dilation}) {
    for (conv::Axis conv::Convolution::*const axis : {&conv::Convolution::h, &conv::Convolution::w}) {
      conv::Convolution c = test::contract_example();
      (c.*axis).*size = 0;
      EXPECT_EQ(refusal_cycles(c), 2);
    }
  }
  // Other zeros are found with the limits.
  conv::Convolution c = test::contract_example();
  c.h.stride = c.w.kern = 0;
  EXPECT_EQ(refusal_cycles(c), 587);
}

// The example's 48 beats of INP are visible in cycles 1..48. T = 31: cycles 31..48 take what is left.
TEST(Launch, Lch6BeatsThatAreDiscardedAfterTheEndDelayDone) {
  const ConvolutionResult result = run(reading_to_discard(), {64, 8}, 0);
  EXPECT_EQ(result.cycles, 31);
  EXPECT_EQ(result.drain_cycles, 49 - 31);
  EXPECT_EQ(result.ports[0].read_beats, 30);  // those of cycles 1..30
}

// A latency of 5 delays the beats by 5 and the response by as much again: T = 41, the last beat is taken in 53.
TEST(Launch, Lch6ALateResponseShortensTheDrain) {
  const ConvolutionResult result = run(reading_to_discard(), {64, 8}, 5);
  EXPECT_EQ(result.cycles, 41);
  EXPECT_EQ(result.drain_cycles, 54 - 41);
}

// Bursts of one beat, one open at a time: addresses in cycles 0, 2, 4, ..., beats in 1, 3, 5, ..., 95. KERN has one
// beat to read. T = 31: 32 bursts are asked for after it.
TEST(Launch, Lch6BurstsThatAreLeftAreAskedForBehindTheEnd) {
  const ConvolutionResult result = run(reading_to_discard(), {1, 1}, 0);
  EXPECT_EQ(result.cycles, 31);
  EXPECT_EQ(result.ports[0].read_bursts, 16);
  EXPECT_EQ(result.drain_cycles, 96 - 31);
}

TEST(Launch, Lch6NothingIsLeftAtTheEndWhereBurstsAreExact) {
  for (const Cycles latency : {0, 5, 40}) EXPECT_EQ(run(Profile::rtl(), {64, 8}, latency).drain_cycles, 0);
}

}  // namespace
}  // namespace weft::fpgpt

#include "model/fpgpt/kernel.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/registers.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_memory.h"
#include "tests/support/texts.h"

namespace weft::fpgpt {
namespace {

using test::example_alpha;

ConvolutionResult run(const Plan& plan, Cycles latency = 0) {
  test::RandomMemory memory(latency, latency, 1);
  return fpgpt::exact::run_clocked(plan, memory, nullptr);
}

TEST(Kernel, Gen6WholeConvolutionOfTheContractTakes31Cycles) {
  const ConvolutionResult result = run(test::plan_of(example_alpha(Profile::rtl()), test::contract_example()));
  EXPECT_EQ(result.cycles, 31);
  const auto active = [&](Block block) {
    return result.activities[static_cast<std::size_t>(block)].of(Activity::Active);
  };
  EXPECT_EQ(active(Block::InpReader), 2);  // cycles 0, 1
  EXPECT_EQ(active(Block::InpDecode), 1);
  EXPECT_EQ(active(Block::InpConstruct), 3);
  EXPECT_EQ(active(Block::InpIm2col), 12);  // 3 groups, 9 columns
  EXPECT_EQ(active(Block::KernReader), 2);
  EXPECT_EQ(active(Block::KernDecode), 1);
  EXPECT_EQ(active(Block::KernFeeder), 10);  // 1 store, 9 tokens
  EXPECT_EQ(active(Block::Array), 18);       // 0*9 + 9 + 8 + 1
  EXPECT_EQ(active(Block::OutConstructor), 2);
  EXPECT_EQ(active(Block::OutEncode), 1);
  EXPECT_EQ(active(Block::OutWriter), 2);  // address and beat, response
  EXPECT_EQ(result.limiter, "compute");
}

// Each switch alone, derived from the same example:
// exact_bursts off: 48 beats are read; the one useful beat arrives first, so no later block is delayed. The reader is
//   active for 49 cycles, but the convolution ends before that: still 31.
// overlap_drain off: the group occupies 9 + 1 + 8 array cycles, row 0 in array cycle 17 as before: 31.
// wide_kern_load off: decode gives a word in 2..10, stored in 3..11; kern token m readable from 4+m: no change: 31.
// early_kern_feed off (wide): all stored in 3: no change: 31.
// early_kern_feed and wide_kern_load off: stored in 3..11, tokens in 12.., array starts in 13 instead of 8: 36.
TEST(Kernel, EachProfileSwitchCostsWhatTheContractSays) {
  const auto cycles = [](const Profile& profile) {
    return run(test::plan_of(example_alpha(profile), test::contract_example())).cycles;
  };
  for (bool Profile::*const off :
       {&Profile::exact_bursts, &Profile::overlap_drain, &Profile::wide_kern_load, &Profile::early_kern_feed}) {
    Profile profile = Profile::rtl();
    profile.*off = false;
    EXPECT_EQ(cycles(profile), 31);
  }
  Profile profile = Profile::rtl();
  profile.early_kern_feed = profile.wide_kern_load = false;
  EXPECT_EQ(cycles(profile), 36);
}

// A memory latency of L delays the first beats by L and the response by L.
TEST(Kernel, MemoryLatencyDelaysTheFirstBeatAndTheResponse) {
  EXPECT_EQ(run(test::plan_of(example_alpha(Profile::rtl()), test::contract_example()), 40).cycles, 31 + 2 * 40);
}

// INP-bound, hls: every window takes Gamma_Burst = 48 beats. 100 windows: 4800 beats from cycle 1 on, the last window's
// useful beat is number 4752, visible in 1 + 4752 = 4753 instead of 1. 31 - 1 + 4753.
TEST(Kernel, HlsWindowsCostGammaBurstBeatsEach) {
  conv::Convolution c = test::contract_example();
  c.n_inp = 100;
  c.inp.pitch_n = 16;
  Profile profile = Profile::rtl();
  profile.exact_bursts = false;
  const ConvolutionResult result = run(test::plan_of(example_alpha(profile), c));
  EXPECT_EQ(result.cycles, 30 + 1 + 99 * 48);
  EXPECT_EQ(result.limiter, "inp_reader");
}

// Each FIFO is cut in turn. The work exceeds the capacity before the cut, so that all blocks upstream fill up.
TEST(Kernel, AnyFifoOfDepthZeroEndsInADeadlockThatNamesIt) {
  conv::Convolution c = test::contract_example();
  c.n_inp = 200;
  c.inp.pitch_n = 16;
  c.out.pitch_n = 4;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const std::string name = to_string(static_cast<FifoId>(i));
    Alpha alpha = example_alpha(Profile::hls());
    alpha.fifo.all()[i] = 0;
    EXPECT_TRUE(test::has(test::message_of<Deadlock>([&] { run(test::plan_of(alpha, c), 5); }),
                          "room in FIFO " + name + " (depth 0)"));
  }
}

TEST(Kernel, FifoOfDepthZeroIsReportedWithBlockFifoAndCycle) {
  Alpha alpha = example_alpha(Profile::rtl());
  alpha.fifo[FifoId::InpGroup] = 0;
  const std::string text = test::message_of<Deadlock>([&] { run(test::plan_of(alpha, test::contract_example())); });
  EXPECT_TRUE(test::has(text, "inp_construct waits for room in FIFO inp_group (depth 0)"));
  EXPECT_TRUE(test::has(text, "in cycle "));
}

TEST(Kernel, RefusesABetaBeyondItsAlphaNamingParameterAndLimit) {
  const conv::Convolution c = test::contract_example();
  const auto message = [&](void (*change)(Alpha&)) -> std::string {
    Alpha alpha = test::plan_of(example_alpha(Profile::rtl()), c).alpha;
    change(alpha);
    return test::message_of([&] { make_plan(alpha, c, false); });
  };
  EXPECT_EQ(message([](Alpha&) {}), "nothing");
  EXPECT_TRUE(test::has(message([](Alpha& a) { a.z = 5; }), "z"));
  EXPECT_TRUE(test::has(message([](Alpha& a) { a.z_channel = 15; }), "15"));
  EXPECT_TRUE(test::has(message([](Alpha& a) { a.kern_words = 8; }), "kern_words"));
  EXPECT_TRUE(test::has(message([](Alpha& a) { a.out_words = 7; }), "out_words"));
  EXPECT_TRUE(test::has(message([](Alpha& a) { a.variant = Variant::GW; }), "kernel.variant"));
}

TEST(Kernel, LimiterIsTheMostActiveBlockAndTiesGoUpstream) {
  BlockActivities activities{};
  activities[static_cast<std::size_t>(Block::OutEncode)].add(Activity::Active, 5);
  activities[static_cast<std::size_t>(Block::InpDecode)].add(Activity::Active, 5);
  EXPECT_EQ(limiter(conv::Kind::F, activities), "inp_decode");
  activities[static_cast<std::size_t>(Block::Array)].add(Activity::Active, 6);
  EXPECT_EQ(limiter(conv::Kind::F, activities), "compute");
  EXPECT_EQ(limiter(conv::Kind::GW, activities), "array");
}

ConvolutionResult run(const Profile& profile, const stream::PortConfig& inp_port, Cycles latency) {
  Alpha alpha = example_alpha(profile);
  alpha.inp_port = inp_port;
  return run(test::plan_of(alpha, test::contract_example()), latency);
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

// Only the outputs of one map affect the cycles: GoogLeNet's first layer has 112 x 112.
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
  // Other zeros are found by the checks of the limits.
  conv::Convolution c = test::contract_example();
  c.h.stride = c.w.kern = 0;
  EXPECT_EQ(refusal_cycles(c), 587);
}

// The example's 48 beats of INP are visible in cycles 1..48. T = 31: cycles 31..48 take the rest.
TEST(Launch, Lch6BeatsThatAreDiscardedAfterTheEndDelayDone) {
  const ConvolutionResult result = run(reading_to_discard(), {64, 8}, 0);
  EXPECT_EQ(result.cycles, 31);
  EXPECT_EQ(result.drain_cycles, 49 - 31);
  EXPECT_EQ(result.ports[0].read_beats, 30);  // those of cycles 1..30
}

// A latency of 5 delays the beats by 5 and the response by 5: T = 41, the last beat is taken in 53.
TEST(Launch, Lch6ALateResponseShortensTheDrain) {
  const ConvolutionResult result = run(reading_to_discard(), {64, 8}, 5);
  EXPECT_EQ(result.cycles, 41);
  EXPECT_EQ(result.drain_cycles, 54 - 41);
}

// Bursts of one beat, one open at a time: addresses in cycles 0, 2, 4, ..., beats in 1, 3, 5, ..., 95. KERN has one
// beat to read. T = 31: 32 bursts are requested after it.
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

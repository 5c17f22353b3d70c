#include "model/fpgpt/kernel.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "model/fpgpt/exact/clocked.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_memory.h"
#include "tests/support/texts.h"

namespace weft::fpgpt {
namespace {

Alpha example_alpha(const Profile& profile) {
  Alpha alpha;
  alpha.x = 4;
  alpha.y = 1;
  alpha.z = 6;
  alpha.profile = profile;
  return alpha;
}

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
//  exact_bursts off: 48 beats are read; the one useful beat comes first, so nothing on the way is later. The reader is
//  active for
//    49 cycles, but the convolution ends before: still 31.
//  overlap_drain off: the group occupies 9 + 1 + 8 array cycles, row 0 in array cycle 17 as before: 31.
//  wide_kern_load off: decode gives a word in 2..10, stored in 3..11; kern token m readable from 4+m: no change: 31.
//  early_kern_feed off (wide): all stored in 3: no change: 31.
//  early_kern_feed and wide_kern_load off: stored in 3..11, tokens in 12.., array starts in 13 instead of 8: 36.
TEST(Kernel, EachProfileSwitchCostsWhatTheContractSays) {
  const auto cycles = [](const Profile& profile) {
    return run(test::plan_of(example_alpha(profile), test::contract_example())).cycles;
  };
  Profile profile = Profile::rtl();
  profile.exact_bursts = false;
  EXPECT_EQ(cycles(profile), 31);
  profile = Profile::rtl();
  profile.overlap_drain = false;
  EXPECT_EQ(cycles(profile), 31);
  profile = Profile::rtl();
  profile.wide_kern_load = false;
  EXPECT_EQ(cycles(profile), 31);
  profile = Profile::rtl();
  profile.early_kern_feed = false;
  EXPECT_EQ(cycles(profile), 31);
  profile.wide_kern_load = false;
  EXPECT_EQ(cycles(profile), 36);
}

// A memory latency of L delays the first beats by L and the response by L.
TEST(Kernel, MemoryLatencyDelaysTheFirstBeatAndTheResponse) {
  EXPECT_EQ(run(test::plan_of(example_alpha(Profile::rtl()), test::contract_example()), 40).cycles, 31 + 2 * 40);
}

// INP-bound, hls: every window costs Gamma_Burst = 48 beats. 100 windows: 4800 beats from cycle 1 on, the last window's
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

// Every FIFO cut in turn, with more work than fits before the cut, so that everything upstream fills up.
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

}  // namespace
}  // namespace weft::fpgpt

#include <gtest/gtest.h>

#include <tuple>

#include "model/fpgpt/out_constructor.h"
#include "model/stream/ddr_writer.h"
#include "tests/support/block_bench.h"
#include "tests/support/special_values.h"

namespace weft::fpgpt {
namespace {

using test::BlockBench;
using test::consecutive;
using test::fill;
using test::gives;
using test::takes;

// OUT maps of 1x5 words, X = 4: S = 2, the last set has one word. `kernels` maps per image.
conv::Convolution maps(conv::Kind kind, std::int64_t kernels, std::int64_t images) {
  return test::one_row({5, 1, 5, 1, 0, 1, 1}, kernels, kind, images);
}

Alpha four_by_two() {
  return test::array_of(4, 2, {});
}

// Three kernels, Y = 2: groups of 2 and 1 kernels, 4 rows each. Rows taken in 0..3, half full from 4: 2 maps x 2 tokens
// in 4..7; second group taken in 4..7, full from 8: 1 map x 2 tokens in 8, 9.
TEST(OutConstructorFgi, Out1Out2HandsOnMapsOfACompleteGroup) {
  const auto seen = test::run_block<OutConstructorFgi>(test::plan_of(four_by_two(), maps(conv::Kind::F, 3, 1)), 8, 12);
  EXPECT_EQ(takes(seen), consecutive(0, 8));
  EXPECT_EQ(gives(seen), consecutive(4, 6));
  EXPECT_EQ(seen[10].activity, Activity::Idle);
}

// Both halves full and no room: the third group waits; half 0's last token leaves in 24, so the group is taken from 25.
TEST(OutConstructorFgi, Out1HalfIsBlockedInTheCycleOfItsLastTokenAndFreeOneLater) {
  const Plan plan = test::plan_of(four_by_two(), maps(conv::Kind::F, 2, 3));
  OutConstructorFgi constructor(plan);
  const auto seen = BlockBench(12, 3, 23).run(27, constructor, plan);
  std::vector<Cycles> expected = consecutive(0, 8);
  expected.push_back(25);
  expected.push_back(26);
  EXPECT_EQ(takes(seen), expected);
  EXPECT_EQ(seen[20].activity, Activity::Blocked);
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{4, 5, 6, 24, 25, 26}));
}

TEST(OutConstructorFgi, Out4BlockedWhenAFullHalfHasNoRoomElseStarvedElseIdle) {
  const Plan plan = test::plan_of(four_by_two(), maps(conv::Kind::F, 2, 1));
  OutConstructorFgi constructor(plan);
  BlockBench bench(0, 1, 8);
  bench.arrivals = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};  // the group's four rows, visible in 1..4; full from 5
  const auto seen = bench.run(16, constructor, plan);
  EXPECT_EQ(seen[0].activity, Activity::Starved);
  EXPECT_EQ(seen[4].activity, Activity::Active);
  EXPECT_EQ(seen[5].activity, Activity::Active);   // the first token
  EXPECT_EQ(seen[6].activity, Activity::Blocked);  // it fills the FIFO until 8 (room from 9)
  EXPECT_EQ(seen[8].activity, Activity::Blocked);
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{5, 9, 11, 13}));
  EXPECT_EQ(seen[14].activity, Activity::Idle);
}

TEST(OutConstructorFgi, Out2TokensHoldOneMapInOrderWithoutTheColumnsBeyondIt) {
  const Plan plan = test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1), true);
  OutConstructorFgi constructor(plan);
  Fifo in(8, 4, true), out(8, 4, true);
  for (int set = 0; set < 2; ++set) {
    for (int row = 0; row < 2; ++row) test::push_counting(in, 100 * row + 4 * set, 4);
  }
  for (Cycles now = 0; now < 8; ++now) constructor.step(now, plan, in, out);
  ASSERT_EQ(out.pushed(), 2);  // row 1 has no kernel
  EXPECT_EQ(test::floats(out.front(), 4), (std::vector<float>{0, 1, 2, 3}));
  out.pop(10);
  EXPECT_EQ(test::floats(out.front(), 4), (std::vector<float>{4, 0, 0, 0}));
}

// GW, A = 2, two INP maps, three kernels, Y = 2: 2*2*2*2*2 = 32 rows, then 3*2*2 = 12 tokens from 32 on.
TEST(OutConstructorGw, Out3WritesAfterTheLastRowOfTheLastA) {
  conv::Convolution c = maps(conv::Kind::GW, 3, 2);
  c.a = 2;
  const auto seen = test::run_block<OutConstructorGw>(test::plan_of(four_by_two(), c), 32, 46);
  EXPECT_EQ(takes(seen), consecutive(0, 32));
  EXPECT_EQ(gives(seen), consecutive(32, 12));
  EXPECT_EQ(seen[44].activity, Activity::Idle);
}

TEST(OutConstructorGw, Out3Num4FirstAStoresAndTheOthersAdd) {
  conv::Convolution c = maps(conv::Kind::GW, 1, 1);
  c.a = 3;
  const Plan plan = test::plan_of(test::array_of(4, 1, {}), c, true);
  OutConstructorGw constructor(plan);
  Fifo in(8, 4, true), out(8, 4, true);
  for (int a = 0; a < 3; ++a) {
    for (int set = 0; set < 2; ++set) {
      a == 0 ? test::push_floats(in, {-0.0F, -0.0F, -0.0F, -0.0F}) : test::push_counting(in, 10 * a + 4 * set, 4);
    }
  }
  for (Cycles now = 0; now < 8; ++now) constructor.step(now, plan, in, out);
  ASSERT_EQ(out.pushed(), 2);
  EXPECT_EQ(test::floats(out.front(), 4), (std::vector<float>{30, 32, 34, 36}));
}

// 2 maps of 5 words from word 30: one run of 10 words: beats of 2 and 8 words. Rows of 4, 1, 4, 1 words.
// Cycle 0: take 4 (need 2), give 2 words (2 left). Cycle 1..3: take 1, 4, 1 (need 8): give in 3.
TEST(Encode, Out5RunStartsInItsLaneAndCarriesAcrossMaps) {
  conv::Convolution c = maps(conv::Kind::F, 2, 1);
  c.out.base = 120;
  const auto seen = test::run_block<Encode>(test::plan_of(four_by_two(), c), 4, 6);
  EXPECT_EQ(takes(seen), consecutive(0, 4));
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{0, 3}));
  EXPECT_EQ(seen[4].activity, Activity::Idle);
}

// Two images of one map, 20 words apart: two runs of 5 words, one beat each, although 10 words would fit in one beat.
TEST(Encode, Out5ImagesThatDoNotFollowEachOtherAreRunsOfTheirOwn) {
  conv::Convolution c = maps(conv::Kind::F, 1, 2);
  c.out.pitch_n = 20;
  const Plan plan = test::plan_of(four_by_two(), c);
  ASSERT_EQ(plan.out.runs, 2);
  Encode encode(plan);
  const auto seen = BlockBench(4).run(6, encode, plan);
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{1, 3}));
}

struct WriterBench {
  Plan plan;
  stream::DdrWriter writer;
  stream::WritePort port;
  Fifo in{64, 16, false};
  Cycles now = 0;

  explicit WriterBench(const Plan& writer_plan)
      : plan(writer_plan), writer(plan.out, plan.alpha.out_port, plan.alpha.beat_bytes(Port::Out)) {}
  Activity step() { return writer.step(now++, plan.out, in, port); }
};

// 40 words from word 1018: 6 in beat 63, then 34 words = 3 beats after the 4 KB boundary.
TEST(Writer, Wr1Wr2BurstsEndAtTheBoundaryAndStrobesCoverTheRun) {
  conv::Convolution c = maps(conv::Kind::F, 8, 1);
  c.out.base = 1018 * 4;
  WriterBench bench(test::plan_of(four_by_two(), c));
  fill(bench.in, 4);
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.port.requested);
  EXPECT_EQ(bench.port.request.address, 4032);
  EXPECT_EQ(bench.port.request.beats, 1);
  EXPECT_TRUE(bench.port.beat_sent);
  EXPECT_EQ(bench.port.first_lane, 10);
  EXPECT_EQ(bench.port.lanes, 6);
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_EQ(std::tuple(bench.port.request.address, bench.port.request.beats, bench.port.lanes),
            std::tuple(4096, 3, 16));
  bench.step();
  EXPECT_FALSE(bench.port.requested);
  bench.step();
  EXPECT_EQ(bench.port.first_lane, 0);
  EXPECT_EQ(bench.port.lanes, 2);
  EXPECT_EQ(bench.step(), Activity::Starved);
}

TEST(Writer, Wr1AddressIsNotSentBeforeItsFirstBeatIsThere) {
  WriterBench bench(test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1)));
  EXPECT_EQ(bench.step(), Activity::Starved);
  bench.in.push(bench.now);  // in cycle 1: visible in 2
  EXPECT_EQ(bench.step(), Activity::Starved);
  EXPECT_FALSE(bench.port.requested);
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.port.requested);
}

// One unanswered burst allowed: the response is taken in 5, the next burst is blocked in 5 and legal in 6.
TEST(Writer, Wr1NextBurstIsBlockedInTheCycleOfTheResponseAndLegalOneLater) {
  Alpha alpha = four_by_two();
  alpha.out_port = {1, 1};
  conv::Convolution c = maps(conv::Kind::F, 4, 1);  // 20 words: two beats, two bursts
  WriterBench bench(test::plan_of(alpha, c));
  fill(bench.in, 2);
  EXPECT_EQ(bench.step(), Activity::Active);
  bench.port.responses.push(5);
  for (Cycles now = 1; now < 5; ++now) EXPECT_EQ(bench.step(), Activity::Blocked) << now;
  EXPECT_EQ(bench.step(), Activity::Active);  // 5: the response
  EXPECT_FALSE(bench.port.requested);
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.port.requested);
}

TEST(Writer, Wr4BlockedWhileTheMemoryTakesNeitherAddressNorBeatElseStarved) {
  WriterBench bench(test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1)));
  EXPECT_EQ(bench.step(), Activity::Starved);
  bench.in.push(0);
  bench.port.address_ready = bench.port.data_ready = false;
  EXPECT_EQ(bench.step(), Activity::Blocked);
  bench.port.address_ready = bench.port.data_ready = true;
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_EQ(bench.step(), Activity::Starved);  // the response is missing
}

TEST(Writer, Wr1AddressAndBeatDoNotWaitForEachOthersReady) {
  WriterBench bench(test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1)));
  fill(bench.in, 1);
  bench.port.address_ready = false;
  bench.step();
  EXPECT_TRUE(bench.port.beat_sent);
  EXPECT_FALSE(bench.port.requested);
  bench.port.address_ready = true;
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.port.requested);
  EXPECT_EQ(bench.port.request.beats, 1);
}

TEST(Writer, Wr3ConvolutionEndsWithTheLastResponse) {
  WriterBench bench(test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1)));
  fill(bench.in, 1);
  bench.step();
  bench.port.responses.push(9);
  while (bench.now < 9) {
    EXPECT_EQ(bench.step(), Activity::Starved);
    EXPECT_FALSE(bench.writer.done(bench.plan.out, bench.port));
  }
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.writer.done(bench.plan.out, bench.port));
  EXPECT_EQ(bench.step(), Activity::Idle);
}

// A burst is outstanding from the cycle after it was opened to the cycle of its response, both included.
TEST(Writer, PortWaitsInTheCyclesOfAnOutstandingBurstThatMoveNoBeat) {
  WriterBench bench(test::plan_of(four_by_two(), maps(conv::Kind::F, 1, 1)));
  fill(bench.in, 1);
  bench.step();  // the beat, in cycle 0
  bench.port.responses.push(9);
  while (bench.now < 12) bench.step();
  EXPECT_EQ(bench.port.busy_cycles, 1);
  EXPECT_EQ(bench.port.wait_cycles, 9);  // 1 .. 9
}

}  // namespace
}  // namespace weft::fpgpt

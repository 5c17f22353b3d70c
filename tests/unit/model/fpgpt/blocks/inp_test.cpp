#include <gtest/gtest.h>

#include "model/fpgpt/im2col.h"
#include "model/stream/regroup.h"
#include "tests/support/block_bench.h"
#include "tests/support/special_values.h"

namespace weft::fpgpt {
namespace {

using test::BlockBench;
using test::consecutive;
using test::gives;
using test::takes;

stream::RangeLoop ranges(Words base, Words words, std::int64_t count = 1, Words pitch = 0) {
  stream::RangeLoop loop;
  loop.base = base;
  loop.words = words;
  loop.n = count;
  loop.pitch_n = pitch;
  return loop;
}

TEST(Decode, Dec1GivesOneTokenPerBeatEveryCycle) {
  const stream::RangeLoop loop = ranges(10, 40);  // words 10..49: beats of 6, 16, 16, 2 words
  stream::Decode decode(loop);
  const auto seen = BlockBench(4).run(6, decode, loop);
  EXPECT_EQ(takes(seen), consecutive(0, 4));
  EXPECT_EQ(gives(seen), consecutive(0, 4));
  EXPECT_EQ(seen[4].activity, Activity::Idle);
}

TEST(Decode, Dec1DropsLeadingAndTrailingWords) {
  const stream::RangeLoop loop = ranges(10, 8);  // words 10..17
  stream::Decode decode(loop);
  Fifo in(4, 16, true), out(4, 16, true);
  test::push_counting(in, 2);
  decode.step(0, loop, in, out);
  const std::vector<float> first = test::floats(out.front(), 16);
  EXPECT_EQ(first, (std::vector<float>{10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  out.pop(1);
  decode.step(2, loop, in, out);
  const std::vector<float> second = test::floats(out.front(), 16);
  EXPECT_EQ(second, (std::vector<float>{16, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// The example of the contract: Z = 5, 20 words: 16 + 4; groups in cycles 0..3, tokens taken in 0 and 3.
TEST(Construct, Grp1ExampleOfTheContract) {
  const stream::RangeLoop loop = ranges(0, 20);
  stream::Regroup construct(loop, 5, 20, false, false);
  const auto seen = BlockBench(2).run(6, construct, loop);
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 3}));
  EXPECT_EQ(gives(seen), consecutive(0, 4));
  EXPECT_EQ(seen[4].activity, Activity::Idle);
}

// Z = 20 >= BAND, 48 words: take 16; take 16, give 20 (12 left); take 16, give 20 (8 left); give 8.
TEST(Construct, Con1GroupsWiderThanABeatNeedSeveralTokens) {
  const stream::RangeLoop loop = ranges(0, 48);
  stream::Regroup construct(loop, 20, 48, false, false);
  const auto seen = BlockBench(3).run(6, construct, loop);
  EXPECT_EQ(takes(seen), consecutive(0, 3));
  EXPECT_EQ(gives(seen), consecutive(1, 3));
}

TEST(Construct, Con1WindowsDoNotMix) {
  const stream::RangeLoop loop = ranges(0, 3, 2, 16);  // two windows of 3 words, Z = 2: groups of 2 and 1, twice
  stream::Regroup construct(loop, 2, 3, false, false);
  const auto seen = BlockBench(2).run(6, construct, loop);
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 2}));
  EXPECT_EQ(gives(seen), consecutive(0, 4));
}

TEST(Construct, Grp1NothingMovesWhenTheGroupHasNoRoom) {
  const stream::RangeLoop loop = ranges(0, 20);
  stream::Regroup construct(loop, 5, 20, false, false);
  BlockBench bench(2);
  bench.out = Fifo(1, 1, false);
  bench.drain_from = 3;  // the token of cycle 0 leaves in 3, so the next group is blocked in 3 and legal in 4
  const auto seen = bench.run(6, construct, loop);
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{0, 4}));
  EXPECT_EQ(seen[1].activity, Activity::Blocked);
  EXPECT_EQ(seen[3].activity, Activity::Blocked);
}

// 1x4 IFM, one channel of two, kernel 1x2: positions 2. X = 3 covers all three outputs: one set, Zch = 4, Z = 3.
conv::Convolution small() {
  conv::Convolution c;
  c.c = 2;
  c.h = {1, 1, 1, 1, 0, 1, 1};
  c.w = {4, 2, 3, 1, 0, 1, 1};
  c.inp = {0, 0, 8, 4};
  c.out = {0, 0, 3, 3};
  return c;
}

Alpha three_columns() {
  Alpha alpha;
  alpha.x = 3;
  alpha.y = 1;
  alpha.z = 3;
  return alpha;
}

// Two groups a window. Taken in 0, 1 (half 0 full from 2) and 2, 3 (half 1 full from 4); columns of half 0 in 2, 3.
TEST(Im2col, I2c1I2c2HalfIsGivenOneCycleAfterItsLastGroup) {
  const Plan plan = test::plan_of(three_columns(), small());
  ASSERT_EQ(plan.z_channel, 4);
  Im2col im2col(plan);
  const auto seen = BlockBench(4).run(8, im2col, plan);
  EXPECT_EQ(takes(seen), consecutive(0, 4));
  EXPECT_EQ(gives(seen), consecutive(2, 4));
  EXPECT_EQ(seen[6].activity, Activity::Idle);
}

// Both halves full and the output stuck until 9 (drained in 9, room in 10): no third window is taken before half 0 is
// given.
TEST(Im2col, I2c1NoThirdWindowIsTakenBeforeAHalfIsFree) {
  conv::Convolution c = small();
  c.n_inp = 2;  // four windows
  const Plan plan = test::plan_of(three_columns(), c);
  Im2col im2col(plan);
  BlockBench bench(8);
  bench.out = Fifo(1, 1, false);
  bench.drain_from = 9;
  const auto seen = bench.run(14, im2col, plan);
  // Column 0 goes out in 2, column 1 in 10: half 0 is free from 11.
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{2, 10, 12}));
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 1, 2, 3, 11, 12}));
  EXPECT_EQ(seen[5].activity, Activity::Blocked);
}

TEST(Im2col, I2c4StarvedWhileAHalfIsBeingFilled) {
  const Plan plan = test::plan_of(three_columns(), small());
  Im2col im2col(plan);
  BlockBench bench;
  const auto seen = bench.run(2, im2col, plan);
  EXPECT_EQ(seen[0].activity, Activity::Starved);
}

TEST(Im2col, I2c3ColumnsHoldTheSamplesBehindTheOutputs) {
  const Plan plan = test::plan_of(three_columns(), small(), true);
  Im2col im2col(plan);
  Fifo in(8, 3, true), out(8, 3, true);
  for (int group = 0; group < 2; ++group) {
    Word* const token = in.push(-2);
    for (int lane = 0; lane < 3; ++lane)
      token[lane] = test::float_word(static_cast<float>(group * 3 + lane));  // words 0..3, rest unused
  }
  for (Cycles now = 0; now < 4; ++now) im2col.step(now, plan, in, out);
  EXPECT_EQ(test::floats(out.front(), 3), (std::vector<float>{0, 1, 2}));  // position 0
  out.pop(5);
  EXPECT_EQ(test::floats(out.front(), 3), (std::vector<float>{1, 2, 3}));  // position 1
}

}  // namespace
}  // namespace weft::fpgpt

#include <gtest/gtest.h>

#include "model/fpgpt/im2col.h"
#include "model/fpgpt/kern_feeder.h"
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

// Example of the contract: Z = 5, 20 words: 16 + 4; groups in cycles 0..3, tokens taken in 0 and 3.
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
  BlockBench bench(2, 1, 3);  // the token of cycle 0 leaves in 3: the next group is blocked in 3, legal in 4
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
  Alpha alpha = test::array_of(3, 1, {});
  alpha.z = 3;
  return alpha;
}

// Two groups per window. Taken in 0, 1 (half 0 full from 2) and 2, 3 (half 1 full from 4); columns of half 0 in 2, 3.
TEST(Im2col, I2c1I2c2HalfIsGivenOneCycleAfterItsLastGroup) {
  const Plan plan = test::plan_of(three_columns(), small());
  ASSERT_EQ(plan.z_channel, 4);
  Im2col im2col(plan);
  const auto seen = BlockBench(4).run(8, im2col, plan);
  EXPECT_EQ(takes(seen), consecutive(0, 4));
  EXPECT_EQ(gives(seen), consecutive(2, 4));
  EXPECT_EQ(seen[6].activity, Activity::Idle);
}

// Both halves full and the output blocked until 9 (drained in 9, room in 10): no third window is taken before half 0 is
// given.
TEST(Im2col, I2c1NoThirdWindowIsTakenBeforeAHalfIsFree) {
  conv::Convolution c = small();
  c.n_inp = 2;  // four windows
  const Plan plan = test::plan_of(three_columns(), c);
  Im2col im2col(plan);
  const auto seen = BlockBench(8, 1, 9).run(14, im2col, plan);
  // Column 0 leaves in 2, column 1 in 10: half 0 is free from 11.
  EXPECT_EQ(gives(seen), (std::vector<Cycles>{2, 10, 12}));
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 1, 2, 3, 11, 12}));
  EXPECT_EQ(seen[5].activity, Activity::Blocked);
}

TEST(Im2col, I2c4StarvedWhileAHalfIsBeingFilled) {
  const Plan plan = test::plan_of(three_columns(), small());
  Im2col im2col(plan);
  const auto seen = BlockBench(0).run(2, im2col, plan);
  EXPECT_EQ(seen[0].activity, Activity::Starved);
}

TEST(Im2col, I2c3ColumnsHoldTheSamplesBehindTheOutputs) {
  const Plan plan = test::plan_of(three_columns(), small(), true);
  Im2col im2col(plan);
  Fifo in(8, 3, true), out(8, 3, true);
  for (int group = 0; group < 2; ++group) test::push_counting(in, 3 * group, 3);  // words 0..3, rest unused
  for (Cycles now = 0; now < 4; ++now) im2col.step(now, plan, in, out);
  EXPECT_EQ(test::floats(out.front(), 3), (std::vector<float>{0, 1, 2}));  // position 0
  out.pop(5);
  EXPECT_EQ(test::floats(out.front(), 3), (std::vector<float>{1, 2, 3}));  // position 1
}

// N_KERN kernels of 1x1x3 on a 1x3 window, one output, one image.
conv::Convolution row_kernels(conv::Kind kind, std::int64_t kernels, int taps = 3) {
  return test::one_row({taps, taps, 1, 1, 0, 1, 1}, kernels, kind);
}

TEST(KernDecode, Kern1GivesOneWordACycleAndTakesABeatWhenItHoldsNone) {
  stream::RangeLoop loop;
  loop.base = 14;  // the first beat holds 2 words of the range, the second 16
  loop.words = 18;
  stream::Regroup decode(loop, 1, 18, true, false);
  const auto seen = BlockBench(2).run(20, decode, loop);
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 2}));
  EXPECT_EQ(gives(seen), consecutive(0, 18));
}

// 20 words from word 12: beats of 4 and 16 words, one token each, the first without its leading words.
TEST(KernDecode, Kern2WideDecodeGivesABeatACycleFromLaneZero) {
  stream::RangeLoop loop;
  loop.base = 12;
  loop.words = 20;
  stream::Decode decode(loop);
  Fifo in(4, 16, true), out(4, 16, true);
  test::push_counting(in, 2);
  EXPECT_EQ(decode.step(0, loop, in, out), Activity::Active);
  EXPECT_EQ(decode.step(1, loop, in, out), Activity::Active);
  EXPECT_EQ(decode.step(2, loop, in, out), Activity::Idle);
  EXPECT_EQ(test::floats(out.front(), 5), (std::vector<float>{12, 13, 14, 15, 0}));
  out.pop(3);
  EXPECT_EQ(out.front()[0], test::float_word(16));
}

// Two kernels of 3 words, Y = 2: groups of 2, 1, 2, 1 words; the one beat is taken in the first cycle.
TEST(KernDecode, Kern3GroupsNeverSpanKernels) {
  stream::RangeLoop loop;
  loop.words = 6;
  stream::Regroup decode(loop, 2, 3, true, true);
  Fifo in(1, 16, true), out(8, 2, true);
  test::push_counting(in, 1);
  for (Cycles now = 0; now < 4; ++now) EXPECT_EQ(decode.step(now, loop, in, out), Activity::Active);
  EXPECT_EQ(decode.step(4, loop, in, out), Activity::Idle);
  const std::vector<std::vector<float>> expected{{0, 1}, {2, 0}, {3, 4}, {5, 0}};
  for (const auto& words : expected) {
    EXPECT_EQ(test::floats(out.front(), 2), words);
    out.pop(10);
  }
}

// F, two kernels of 3 words, Y = 2, hls: 6 words stored in 0..5, fed from 6; P = max(3, 2, 8) = 8: 8*1 + 2 = 10 tokens.
TEST(KernFeederFgi, Kern5Kern7HlsFeedsAfterTheWholeLoad) {
  const auto seen = test::run_block<KernFeederFgi>(
      test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::F, 2)), 6, 18);
  EXPECT_EQ(takes(seen), consecutive(0, 6));
  EXPECT_EQ(gives(seen), consecutive(6, 10));
  EXPECT_EQ(seen[16].activity, Activity::Idle);
}

// The same with early_kern_feed and overlap_drain: product m needs word 3 + m of kernel 1, stored in cycle 3 + m,
// readable one later: tokens in 4, 5, 6.
TEST(KernFeederFgi, Kern5Kern8EarlyFeedStartsWhenTheTokensWordsAreStored) {
  Profile profile;
  profile.early_kern_feed = profile.overlap_drain = true;
  const auto seen = test::run_block<KernFeederFgi>(
      test::plan_of(test::array_of(1, 2, profile), row_kernels(conv::Kind::F, 2)), 6, 10);
  EXPECT_EQ(gives(seen), consecutive(4, 3));
}

// GI: memory order is (C, N_KERN, maps turned): with C = 1 product m of kernel n is word 3n + 2 - m. Product 0 of
// kernel 1 is the last word of the tensor, so early feeding gains nothing: 6 words in 0..5, tokens from 6.
TEST(KernFeederFgi, Kern5GradIfmWaitsForTheTurnedMap) {
  Profile profile;
  profile.early_kern_feed = profile.overlap_drain = true;
  const auto seen = test::run_block<KernFeederFgi>(
      test::plan_of(test::array_of(1, 2, profile), row_kernels(conv::Kind::GI, 2)), 6, 10);
  EXPECT_EQ(gives(seen), consecutive(6, 3));
}

TEST(KernFeederFgi, Kern7Kern9RowsAreSkewedAndZerosFillTheRest) {
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::F, 2), true);
  KernFeederFgi feeder(plan);
  Fifo in(8, 1, true), out(16, 2, true);
  for (int i = 1; i <= 6; ++i) test::push_counting(in, i, 1);  // kernel 0: 1 2 3, kernel 1: 4 5 6
  for (Cycles now = 0; now < 16; ++now) feeder.step(now, plan, in, out);
  const std::vector<std::vector<float>> expected{{1, 0}, {2, 4}, {3, 5}, {0, 6}, {0, 0},
                                                 {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
  for (const auto& token : expected) {
    EXPECT_EQ(test::floats(out.front(), 2), token);
    out.pop(100);
  }
}

TEST(KernFeederFgi, Kern4WideLoadStoresABeatACycle) {
  Profile profile;
  profile.wide_kern_load = true;
  conv::Convolution c = row_kernels(conv::Kind::F, 2, 10);  // 20 words from word 12: beats of 4 and 16 words
  c.kern.base = 48;
  const auto seen = test::run_block<KernFeederFgi>(test::plan_of(test::array_of(1, 2, profile), c), 2, 5);
  EXPECT_EQ(takes(seen), consecutive(0, 2));
  EXPECT_EQ(gives(seen), consecutive(2, 3));  // first token in 2
}

// GW, Y = 2, three kernels of 3 words, one pass: groups of 2 and 1 kernels, 2*ceil(3/2) = 4 and 2 tokens. Half 0 full
// from 4, half 1 from 6. P = max(align(3,2), 8) = 8, so 10 tokens a group: 4..13 and 14..23.
TEST(KernFeederGw, Kern6Kern7HalvesAreFedOneAfterTheOther) {
  const auto seen = test::run_block<KernFeederGw>(
      test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::GW, 3)), 6, 26);
  EXPECT_EQ(takes(seen), consecutive(0, 6));
  EXPECT_EQ(gives(seen), consecutive(4, 20));
  EXPECT_EQ(seen[25].activity, Activity::Idle);
}

// Two passes: the third group is not taken while half 0 is fed (last token in 13), and is from 14 on.
TEST(KernFeederGw, Kern6HalfIsBlockedInTheCycleOfItsLastTokenAndFreeOneLater) {
  conv::Convolution c = row_kernels(conv::Kind::GW, 3);
  c.n_inp = 2;
  c.out = {0, 0, 2, 1};
  const auto seen = test::run_block<KernFeederGw>(test::plan_of(test::array_of(1, 2, Profile::hls()), c), 12, 16);
  EXPECT_EQ(takes(seen), (std::vector<Cycles>{0, 1, 2, 3, 4, 5, 14, 15}));
}

// M = 10, Y = 4: hls aligns to 12, packed_gw_sets keeps 10.
TEST(KernFeederGw, SpacingOfGwSetsIsAlignedToYUnlessPacked) {
  EXPECT_EQ(test::plan_of(test::array_of(1, 4, Profile::hls()), row_kernels(conv::Kind::GW, 3, 10)).spacing, 12);
  Profile packed;
  packed.packed_gw_sets = true;
  EXPECT_EQ(test::plan_of(test::array_of(1, 4, packed), row_kernels(conv::Kind::GW, 3, 10)).spacing, 10);
  EXPECT_EQ(test::plan_of(test::array_of(1, 4, Profile::hls()), row_kernels(conv::Kind::F, 3, 10)).spacing, 10);
  EXPECT_EQ(test::plan_of(test::array_of(1, 16, packed), row_kernels(conv::Kind::GW, 3, 10)).spacing, 16);
}

TEST(KernFeeder, Kern10BlockedWhenATokenMayBeGivenAndTheArrayHasNoRoom) {
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::F, 2));
  KernFeederFgi feeder(plan);
  const auto seen = BlockBench(6, 1, 100).run(9, feeder, plan);
  EXPECT_EQ(gives(seen), consecutive(6, 1));
  EXPECT_EQ(seen[7].activity, Activity::Blocked);
}

}  // namespace
}  // namespace weft::fpgpt

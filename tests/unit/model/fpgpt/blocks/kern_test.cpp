#include <gtest/gtest.h>

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

// N_KERN kernels of 1x1x3 on a 1x3 window, one output, one image.
conv::Convolution row_kernels(conv::Kind kind, std::int64_t kernels, int taps = 3) {
  conv::Convolution c;
  c.kind = kind;
  c.n_kern = kernels;
  c.w = {taps, taps, 1, 1, 0, 1, 1};
  c.inp = {0, taps, taps, taps};
  c.out = {0, 0, kind == conv::Kind::GW ? 1 : kernels, 1};
  return c;
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
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::F, 2));
  KernFeederFgi feeder(plan);
  const auto seen = BlockBench(6).run(18, feeder, plan);
  EXPECT_EQ(takes(seen), consecutive(0, 6));
  EXPECT_EQ(gives(seen), consecutive(6, 10));
  EXPECT_EQ(seen[16].activity, Activity::Idle);
}

// The same with early_kern_feed and overlap_drain: product m needs word 3 + m of kernel 1, stored in cycle 3 + m,
// readable one later: tokens in 4, 5, 6.
TEST(KernFeederFgi, Kern5Kern8EarlyFeedStartsWhenTheTokensWordsAreStored) {
  Profile profile;
  profile.early_kern_feed = profile.overlap_drain = true;
  const Plan plan = test::plan_of(test::array_of(1, 2, profile), row_kernels(conv::Kind::F, 2));
  KernFeederFgi feeder(plan);
  const auto seen = BlockBench(6).run(10, feeder, plan);
  EXPECT_EQ(gives(seen), consecutive(4, 3));
}

// GI: memory order is (C, N_KERN, maps turned): with C = 1 product m of kernel n is word 3n + 2 - m. Product 0 of
// kernel 1 is the last word of the tensor, so early feeding gains nothing: 6 words in 0..5, tokens from 6.
TEST(KernFeederFgi, Kern5GradIfmWaitsForTheTurnedMap) {
  Profile profile;
  profile.early_kern_feed = profile.overlap_drain = true;
  const Plan plan = test::plan_of(test::array_of(1, 2, profile), row_kernels(conv::Kind::GI, 2));
  KernFeederFgi feeder(plan);
  const auto seen = BlockBench(6).run(10, feeder, plan);
  EXPECT_EQ(gives(seen), consecutive(6, 3));
}

TEST(KernFeederFgi, Kern7Kern9RowsAreSkewedAndZerosFillTheRest) {
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::F, 2), true);
  KernFeederFgi feeder(plan);
  Fifo in(8, 1, true), out(16, 2, true);
  for (int i = 0; i < 6; ++i)
    *in.push(-2) = test::float_word(static_cast<float>(i + 1));  // kernel 0: 1 2 3, kernel 1: 4 5 6
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
  const Plan plan = test::plan_of(test::array_of(1, 2, profile), c);
  KernFeederFgi feeder(plan);
  const auto seen = BlockBench(2).run(5, feeder, plan);
  EXPECT_EQ(takes(seen), consecutive(0, 2));
  EXPECT_EQ(gives(seen), consecutive(2, 3));  // first token in 2
}

// GW, Y = 2, three kernels of 3 words, one pass: groups of 2 and 1 kernels, 2*ceil(3/2) = 4 and 2 tokens. Half 0 full
// from 4, half 1 from 6. P = max(align(3,2), 8) = 8, so 10 tokens a group: 4..13 and 14..23.
TEST(KernFeederGw, Kern6Kern7HalvesAreFedOneAfterTheOther) {
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), row_kernels(conv::Kind::GW, 3));
  KernFeederGw feeder(plan);
  const auto seen = BlockBench(6).run(26, feeder, plan);
  EXPECT_EQ(takes(seen), consecutive(0, 6));
  EXPECT_EQ(gives(seen), consecutive(4, 20));
  EXPECT_EQ(seen[25].activity, Activity::Idle);
}

// Two passes: the third group is not taken while half 0 is fed (last token in 13), and is from 14 on.
TEST(KernFeederGw, Kern6HalfIsBlockedInTheCycleOfItsLastTokenAndFreeOneLater) {
  conv::Convolution c = row_kernels(conv::Kind::GW, 3);
  c.n_inp = 2;
  c.out = {0, 0, 2, 1};
  const Plan plan = test::plan_of(test::array_of(1, 2, Profile::hls()), c);
  KernFeederGw feeder(plan);
  const auto seen = BlockBench(12).run(16, feeder, plan);
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
  BlockBench bench(6);
  bench.out = Fifo(1, 1, false);
  bench.drain_from = 100;
  const auto seen = bench.run(9, feeder, plan);
  EXPECT_EQ(gives(seen), consecutive(6, 1));
  EXPECT_EQ(seen[7].activity, Activity::Blocked);
}

}  // namespace
}  // namespace weft::fpgpt

#include "model/fpgpt/array.h"

#include <gtest/gtest.h>

#include "tests/support/block_bench.h"

namespace weft::fpgpt {
namespace {

using test::array_example;
using test::ArrayBench;
using test::consecutive;

Alpha two_by_two(const Profile& profile) {
  return test::array_of(2, 2, profile);
}

TEST(Array, Arr1Arr2Arr3Arr4ExampleOfTheContract) {
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), array_example()));
  ASSERT_EQ(bench.plan.spacing, 9);
  bench.supply(27, 29);
  bench.run(0, 40);
  EXPECT_EQ(bench.inp_taken, consecutive(0, 27));
  EXPECT_EQ(bench.kern_taken, consecutive(0, 29));  // P*S + Y
  EXPECT_EQ(bench.given, (std::vector<Cycles>{17, 18, 26, 27, 35, 36}));
  EXPECT_EQ(bench.activity[36], Activity::Active);  // 37 array cycles
  EXPECT_EQ(bench.activity[37], Activity::Idle);
}

TEST(Array, Arr4NextGroupFollowsAtOnceAfterTheDrain) {
  conv::Convolution c = array_example();
  c.n_inp = 2;
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), c));
  bench.supply(54, 58);
  bench.run(0, 80);
  EXPECT_EQ(bench.inp_taken[27], 37);  // 9*3 + 2 + 8
  EXPECT_EQ(bench.given[6], 37 + 17);
  EXPECT_EQ(bench.activity[73], Activity::Active);
  EXPECT_EQ(bench.activity[74], Activity::Idle);
}

// With overlap_drain set s starts in 9*s and the total is (S_all - 1)*P + M + 8 + Y = 5*9 + 9 + 8 + 2 = 64.
TEST(Array, Arr2Arr4OverlapStartsTheNextGroupWithoutAGap) {
  Profile profile;
  profile.overlap_drain = true;
  conv::Convolution c = array_example();
  c.n_inp = 2;
  ArrayBench bench(test::plan_of(two_by_two(profile), c));
  bench.supply(54, 54);
  bench.run(0, 70);
  EXPECT_EQ(bench.inp_taken, consecutive(0, 54));
  EXPECT_EQ(bench.kern_taken, consecutive(0, 54));
  EXPECT_EQ(bench.given[6], 3 * 9 + 17);
  EXPECT_EQ(bench.given.back(), 63);
  EXPECT_EQ(bench.activity[63], Activity::Active);
  EXPECT_EQ(bench.activity[64], Activity::Idle);
}

// M = 1: sets are 8 apart, a column is taken in 0, 8, 16; the gap counts as active.
TEST(Array, Arr1SetsStartAtLeastEightApart) {
  conv::Convolution c = array_example();
  c.h = {1, 1, 1, 1, 0, 1, 1};
  c.w = {6, 1, 6, 1, 0, 1, 1};
  c.inp = {0, 6, 6, 6};
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), c));
  bench.supply(3, 26);
  bench.run(0, 35);
  EXPECT_EQ(bench.inp_taken, (std::vector<Cycles>{0, 8, 16}));
  EXPECT_EQ(bench.given, (std::vector<Cycles>{9, 10, 17, 18, 25, 26}));  // s*8 + 1 + 8 + y
  EXPECT_EQ(bench.activity[33], Activity::Active);                       // 8*3 + 2 + 8 = 34 array cycles
  EXPECT_EQ(bench.activity[34], Activity::Idle);
}

TEST(Array, Arr5StallsAsAWholeWhenAColumnIsMissing) {
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), array_example()));
  bench.supply(26, 29);  // the last column arrives in cycle 30 and is visible in 31
  bench.run(0, 31);
  EXPECT_EQ(bench.activity[26], Activity::Starved);
  EXPECT_EQ(bench.given, (std::vector<Cycles>{17, 18}));  // row 0 of set 1, due in array cycle 26, is delayed too
  bench.inp.push(30);
  bench.run(31, 50);
  EXPECT_EQ(bench.given, (std::vector<Cycles>{17, 18, 31, 32, 40, 41}));
}

TEST(Array, Arr5StallsAsAWholeWhenARowHasNoRoomAndIsBlockedNotStarved) {
  ArrayBench bench(test::plan_of(two_by_two(Profile::hls()), array_example()));
  bench.out = Fifo(1, 2, false);
  bench.supply(18, 29);  // no column for array cycle 18 either
  bench.run(0, 20);
  EXPECT_EQ(bench.activity[18], Activity::Blocked);
  EXPECT_EQ(bench.given, (std::vector<Cycles>{17}));
  bench.out.pop(20);
  bench.run(20, 21);
  EXPECT_EQ(bench.activity[20], Activity::Blocked);  // freed in 20, usable from 21
  bench.run(21, 22);
  EXPECT_EQ(bench.activity[21], Activity::Starved);
}

// One kernel on two rows, one output on two columns: both rows are given, and places without an output or kernel give
// the results of zeros.
TEST(Array, Arr6RowsWithoutAKernelAreGivenToo) {
  const Plan plan = test::plan_of(two_by_two(Profile::hls()), test::one_row({1, 1, 1, 1, 0, 1, 1}), true);
  Array array(plan);
  Fifo inp(8, 2, true), kern(16, 2, true), out(4, 2, true);
  test::push_floats(inp, {3, 0});
  // P*S + Y = 8 + 2 tokens; row 0 carries the kernel in the first
  for (int i = 0; i < 10; ++i) test::push_floats(kern, {i == 0 ? 5.0F : 0.0F, 0});
  for (Cycles now = 0; now < 20; ++now) array.step(now, plan, inp, kern, out);
  ASSERT_EQ(out.pushed(), 2);
  EXPECT_EQ(test::floats(out.front(), 2), (std::vector<float>{15, 0}));
  out.pop(30);
  EXPECT_EQ(test::floats(out.front(), 2), (std::vector<float>{0, 0}));
}

// One element, products 1..6 times 1: partials 1+5, 2+6, 3, 4.
TEST(Array, Num2Num3ProductsGoToFourPartialsInTurn) {
  Profile profile;
  profile.overlap_drain = true;
  const Plan plan = test::plan_of(test::array_of(1, 1, profile), test::one_row({6, 6, 1, 1, 0, 1, 1}), true);
  Array array(plan);
  Fifo inp(8, 1, true), kern(8, 1, true), out(2, 1, true);
  // 2^24 + 1 is not a float: the order of sums is visible. p0 = 2^24 + 1 = 2^24 (tie to even), p1 = 1 - 2^24 exactly.
  const std::vector<float> products{16777216.0F, 1.0F, 0.5F, 0.25F, 1.0F, -16777216.0F};
  for (const float product : products) {
    *inp.push(-2) = test::float_word(product);
    *kern.push(-2) = test::float_word(1);
  }
  for (Cycles now = 0; now < 15; ++now) array.step(now, plan, inp, kern, out);
  ASSERT_EQ(out.pushed(), 1);
  // p0 = 16777216 + 1 = 16777216; p1 = 1 - 16777216 = -16777215; p0 + p1 = 1; p2 + p3 = 0.75.
  EXPECT_EQ(*out.front(), test::float_word(1.75F));
}

}  // namespace
}  // namespace weft::fpgpt

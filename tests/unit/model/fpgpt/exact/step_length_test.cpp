#include "model/fpgpt/exact/step_length.h"

#include <gtest/gtest.h>

#include "model/fpgpt/exact/cut.h"
#include "tests/random/fpgpt/exact/exact_case.h"

namespace weft::fpgpt::exact {
namespace {

// How many steps in a row must be new, or known, until steps are `strides` long.
int until(StepLength& length, bool known, int strides) {
  int steps = 0;
  for (; length.strides() != strides && steps < 1'000'000; ++steps) length.met(known);
  return steps;
}

// The share of new steps is a mean that forgets 1 / 512 of what it was with each step: of n new ones after none it is
// 1 - (511/512)^n, so beyond 60 % from n = 469 on (468.7 = ln 0.4 / ln(511/512)). Then it is set 1/8 lower, to 0.475,
// and goes beyond 88 % from n = 755 on (ln(0.12 / 0.525) / ln(511/512)); then to 0.755 and, with known ones alone,
// below 30 % from n = 473 on (ln(0.3 / 0.755) / ln(511/512) = 472.2).
TEST(StepLength, FollowsTheShareOfNewSteps) {
  StepLength length;
  EXPECT_EQ(length.strides(), 1);
  EXPECT_EQ(until(length, false, 2), 469);
  EXPECT_EQ(until(length, false, 4), 755);
  EXPECT_EQ(until(length, true, 1), 473);
}

TEST(StepLength, IsOneStrideWhereHalfOfTheStepsComeAgain) {
  StepLength length;
  for (int i = 0; i < 100'000; ++i) {
    length.met(i % 2 == 0);
    ASSERT_EQ(length.strides(), 1);
  }
}

TEST(StepLength, StaysOneStrideOnceItWasShortened) {
  StepLength length;
  until(length, false, 4);
  EXPECT_TRUE(length.shorten());
  EXPECT_EQ(length.strides(), 1);
  EXPECT_EQ(length.longest(), 1);
  for (int i = 0; i < 10'000; ++i) length.met(false);
  EXPECT_EQ(length.strides(), 1);
  EXPECT_FALSE(length.shorten());
}

// Longer steps end where shorter ones do: at the multiples of their length in a round, or where that ends.
TEST(Cut, EndsSomeStridesWhereTheLastOfThemDoes) {
  const Plan plan = test::exact_case(3, 100'000).plan;
  const Cut cut(plan, 1);
  ASSERT_EQ(cut.stride(), 1);
  const std::int64_t round = cut.round_windows();
  for (std::int64_t windows = 0; windows < 3 * round; ++windows) {
    for (const int strides : {1, 2, 4}) {
      std::int64_t end = windows + 1;  // from stride to stride
      while (end % round % strides != 0) ++end;
      EXPECT_EQ(cut.next(windows, strides), end) << windows << " windows, " << strides << " strides";
    }
  }
  EXPECT_EQ(cut.rounds(), 1);
  EXPECT_EQ(cut.rounds(static_cast<int>(2 * round)), 2);
  EXPECT_EQ(cut.rounds(static_cast<int>(2 * round) + 1), 3);
}

}  // namespace
}  // namespace weft::fpgpt::exact

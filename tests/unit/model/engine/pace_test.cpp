#include "model/engine/pace.h"

#include <gtest/gtest.h>

namespace weft::engine {
namespace {

using Way = Pace::Way;

// A unit of 1e9 cycles; stepping takes 100 ns a cycle: 100 s, of which an eighth is 12.5 s.
Pace stepped_at_100_ns() {
  Pace pace;
  pace.expect(1'000'000'000);
  pace.add(Way::Stepped, 100'000, 0.01);
  return pace;
}

TEST(Pace, BeginsWithMemoEntries) {
  EXPECT_EQ(Pace().way(), Way::WithMemo);
}

TEST(Pace, GoesOnWithEntriesThatAreCheaper) {
  Pace pace = stepped_at_100_ns();
  for (int i = 0; i < 1000; ++i) {
    pace.add(pace.way(), 1'000'000, pace.way() == Way::WithMemo ? 0.08 : 0.1);
    if (pace.way() == Way::Stepped) pace.add(Way::Stepped, 100'000, 0.01);  // a measurement
    EXPECT_EQ(pace.way(), Way::WithMemo);
  }
}

// 300 ns a cycle: each second loses 2/3 s. 12.5 s are lost after 18.75 s, so at 18.7 s entries still learn.
TEST(Pace, StepsOnceEntriesHaveLostAnEighthOfTheWholeUnit) {
  Pace pace = stepped_at_100_ns();
  double with_memo = 0;
  for (int i = 0; i < 187; ++i) {
    if (pace.way() == Way::Stepped) pace.add(Way::Stepped, 100'000, 0.01);
    ASSERT_EQ(pace.way(), Way::WithMemo) << with_memo;
    pace.add(Way::WithMemo, 333'333, 0.1);
    with_memo += 0.1;
  }
  pace.add(Way::WithMemo, 333'333, 0.1);
  pace.add(Way::Stepped, 100'000, 0.01);
  EXPECT_EQ(pace.way(), Way::Stepped);
}

// Measured after 0.05 s, 0.1 s, 0.2 s, ... with entries.
TEST(Pace, MeasuresSteppingAtGrowingDistances) {
  Pace pace = stepped_at_100_ns();
  for (const int milliseconds : {50, 100, 200, 400}) {
    for (int i = 0; i < milliseconds; ++i) {
      EXPECT_EQ(pace.way(), Way::WithMemo);
      pace.add(Way::WithMemo, 5'000, 0.001);
    }
    pace.add(Way::WithMemo, 5'000, 0.001);
    EXPECT_EQ(pace.way(), Way::Stepped);
    pace.add(Way::Stepped, 100'000, 0.01);
  }
}

TEST(Pace, MeasuresNothingWhereNoSteppingCanBeAsFast) {
  Pace pace = stepped_at_100_ns();
  for (int i = 0; i < 1000; ++i) {
    pace.add(Way::WithMemo, 1'000'000, 0.001);
    EXPECT_EQ(pace.way(), Way::WithMemo);
  }
}

// Gains count up to what may be lost, 12.5 s. Entries that then cost 1,000 ns a cycle lose 0.9 s each second: 25 s, the
// gains and the allowed loss, last for 27.8 s.
TEST(Pace, GainsDoNotPayForLossesThatComeLater) {
  Pace pace = stepped_at_100_ns();
  for (int i = 0; i < 3600; ++i) pace.add(Way::WithMemo, 100'000'000, 1);
  int tenths = 0;
  for (; tenths < 1000; ++tenths) {
    if (pace.way() == Way::Stepped) pace.add(Way::Stepped, 100'000, 0.01);
    if (pace.way() == Way::Stepped) break;
    pace.add(Way::WithMemo, 100'000, 0.1);
  }
  EXPECT_LT(tenths, 290);
}

// An eighth of this unit is nothing, so 0.1 s may be lost: at 300 ns a cycle that is after 0.15 s.
TEST(Pace, AlwaysAllowsATenthOfASecond) {
  Pace pace = stepped_at_100_ns();
  pace.expect(1'000'000);
  for (int i = 0; i < 149; ++i) pace.add(Way::WithMemo, 3'333, 0.001);
  pace.add(Way::Stepped, 100'000, 0.01);
  EXPECT_EQ(pace.way(), Way::WithMemo);
  for (int i = 0; i < 3; ++i) pace.add(Way::WithMemo, 3'333, 0.001);
  EXPECT_EQ(pace.way(), Way::Stepped);
}

}  // namespace
}  // namespace weft::engine

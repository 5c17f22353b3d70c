#include "model/engine/arrivals.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weft::engine {
namespace {

std::vector<std::pair<Cycles, std::int64_t>> runs_of(const Arrivals& arrivals) {
  std::vector<std::pair<Cycles, std::int64_t>> runs;
  arrivals.for_each([&](Cycles first, std::int64_t count) { runs.emplace_back(first, count); });
  return runs;
}

// At most one beat a cycle: the second run would be there from 12 on, but the first takes up cycles 10 to 13.
TEST(Arrivals, WaitForThoseBeforeThem) {
  Arrivals arrivals;
  arrivals.reset(5);
  arrivals.push(10, 4);
  arrivals.push(12, 2);
  arrivals.push(20, 1);
  EXPECT_EQ(runs_of(arrivals), (std::vector<std::pair<Cycles, std::int64_t>>{{10, 6}, {20, 1}}));
  EXPECT_EQ(arrivals.last(), 20);
  arrivals.take(5);
  EXPECT_EQ(runs_of(arrivals), (std::vector<std::pair<Cycles, std::int64_t>>{{15, 1}, {20, 1}}));
}

// Beats taken in cycles 3, 4 and 8 are looked for in 0, 4 and 5 (the cycle after the one before); the one after them in
// 9 if there is one.
TEST(Takes, LookForABeatFromTheCycleAfterTheOneBefore) {
  const Takes last({{3, 2}, {8, 1}}, 12, false), more({{3, 2}, {8, 1}}, 12, true);
  EXPECT_EQ(last.taken(), 3);
  EXPECT_EQ(more.taken(), 3);
  EXPECT_EQ(last.needs(), (std::vector<std::int32_t>{0, 4, 5}));
  EXPECT_EQ(more.needs(), (std::vector<std::int32_t>{0, 4, 5, 9}));
}

TEST(Arrivals, AreInTimeInTheCycleInWhichTheyAreLookedForAndNotOneLater) {
  const Takes takes({{3, 2}, {8, 1}}, 12, true);  // looked for in 0, 4, 5 and 9
  const Cycles origin = 100;
  for (std::size_t late = 0; late <= 4; ++late) {
    std::vector<Cycles> cycles{100, 104, 105, 109};
    if (late < 4) ++cycles[late];
    Arrivals arrivals;
    arrivals.reset(0);
    for (const Cycles cycle : cycles) arrivals.push(cycle, 1);
    EXPECT_EQ(arrivals.in_time(origin, takes), late == 4) << "beat " << late << " is late";
  }
  Arrivals too_few;
  too_few.reset(0);
  too_few.push(90, 3);
  EXPECT_FALSE(too_few.in_time(origin, takes));
  too_few.push(90, 1);
  EXPECT_TRUE(too_few.in_time(origin, takes));
}

}  // namespace
}  // namespace weft::engine

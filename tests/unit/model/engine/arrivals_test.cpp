#include "model/engine/arrivals.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "tests/unit/model/engine/runs_of.h"

namespace weft::engine {
namespace {

using test::runs_of;

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

// Beats that wait together are told as a run that may end behind cycle last(): here in 2, the block beginning in 2.
TEST(Arrivals, LeftOfABlockAreNotLostInARunThatWasTaken) {
  struct Queue {
    void for_each_run(const std::function<void(Cycles, std::int64_t)>& visit) const { visit(0, 3); }
  };
  WordPool pool;
  const auto runs = pool.put(PackedRun::of(2, 2));
  Arrivals arrivals;
  arrivals.load(Queue{}, 1);
  arrivals.push({&pool, runs, 1, 2, 0, 0, 3});
  arrivals.take(4);
  EXPECT_EQ(runs_of(arrivals), (std::vector<std::pair<Cycles, std::int64_t>>{{3, 1}}));
}

// Runs of beats with gaps, and takes with gaps, from a queue that may hold beats already: a block is in time when its
// runs one by one are, and leaves the same behind, though of it no more is known than may be left.
TEST(Arrivals, OfABlockAreThoseOfItsRuns) {
  std::mt19937_64 random(1);
  const auto below = [&random](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  int in_time = 0, not_in_time = 0, partly_taken = 0, not_whole = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::vector<std::pair<Cycles, std::int64_t>> runs;
    Arrivals::Block block;
    block.origin = 100;
    for (Cycles next = below(5); runs.size() < 1 + static_cast<std::size_t>(i % 5);) {
      runs.emplace_back(next, 1 + below(4));
      block.beats += runs.back().second;
      next += runs.back().second + below(4);
    }
    block.last = block.origin + runs.back().first + runs.back().second - 1;
    const std::int64_t lead = below(4);
    std::vector<engine::Run> taken;
    const std::uint64_t rare = 1 + random() % 6;
    std::int64_t left = lead + 1 + below(static_cast<std::uint64_t>(block.beats) + 3);  // takes reach into the block
    for (Cycles cycle = below(6); left > 0; ++cycle) {
      if (below(rare) != 0) continue;
      append(taken, cycle, 1);
      --left;
    }
    const Takes takes(taken, taken.back().first + taken.back().count + below(3), below(2) == 0);
    Enough enough(&takes);
    for (const auto& [first, count] : runs) enough.add(first, count);
    block.enough = enough.beats();
    WordPool pool;
    block.pool = &pool;
    std::int64_t behind = block.beats;
    for (const auto& [first, count] : runs) {
      behind -= count;
      if (behind >= lead + block.beats - takes.taken()) continue;
      pool.put(PackedRun::of(first, count));
      ++block.size;
    }
    Arrivals as_runs, as_block;
    for (Arrivals* each : {&as_runs, &as_block}) {
      each->reset(50);
      if (lead > 0) each->push(60, lead);
    }
    for (const auto& [first, count] : runs) as_runs.push(block.origin + first, count);
    as_block.push(block);
    ASSERT_EQ(as_block.last(), as_runs.last());
    const bool expected = as_runs.in_time(block.origin, takes);
    ASSERT_EQ(as_block.in_time(block.origin, takes), expected) << "case " << i;
    ++(expected ? in_time : not_in_time);
    if (!expected) continue;
    as_runs.take(takes.taken());
    as_block.take(takes.taken());
    partly_taken += as_runs.size() > 0 ? 1 : 0;
    not_whole += block.size < runs.size() ? 1 : 0;
    ASSERT_EQ(runs_of(as_block), runs_of(as_runs)) << "case " << i;
  }
  EXPECT_GT(in_time, 5000);
  EXPECT_GT(not_in_time, 5000);
  EXPECT_GT(partly_taken, 1000);
  EXPECT_GT(not_whole, 1000);
}

}  // namespace
}  // namespace weft::engine

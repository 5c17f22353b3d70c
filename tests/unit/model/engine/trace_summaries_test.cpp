#include "model/engine/trace_summaries.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "model/engine/return_queue.h"
#include "tests/unit/model/engine/runs_of.h"

namespace weft::engine {
namespace {

using test::runs_of;

class Random {
 public:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  // Returns a schedule of `beats` beats, close to each other or far apart.
  ConsumptionSchedule schedule(std::int64_t beats, std::uint32_t number) {
    std::vector<engine::Run> runs;
    const std::int64_t rare = 1 + below(4);
    for (Cycles cycle = below(8); beats > 0; ++cycle) {
      if (below(rare) != 0) continue;
      append(runs, cycle, 1);
      --beats;
    }
    const Cycles end = runs.empty() ? 0 : runs.back().first + runs.back().count;
    ConsumptionSchedule made(runs, end + below(3), below(2) == 0);
    made.number = number;
    return made;
  }

 private:
  std::mt19937_64 random_{1};
};

// TraceSummaries are recorded for a port in one state. In another state of that port, with earlier or later beats
// before them and with schedules of the same number or another, they are used only where their runs, brought one by
// one, give the same: in time or not, and with the same beats left over.
TEST(TraceSummaries, DetermineOnlyWhatTheRunsOneByOneWouldBring) {
  Random random;
  const ChannelPorts ports{{0, PortDirection::Read}};
  int determined = 0, undetermined = 0, in_time = 0, late = 0, left = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Cycles origin = 1000, again = 5000;
    UncontendedReturns alone(1);
    Delivery& beats = alone.begin();
    std::int64_t all = 0;
    Cycles next = random.below(8);
    for (std::int64_t runs = random.below(6); runs > 0; --runs) {
      const std::int64_t count = 1 + random.below(4);
      beats[0].read->push(origin + next, count);
      next += count + random.below(5);
      all += count;
    }
    const auto some = [&](Cycles at, ReturnQueue& queue) {
      queue.reset(at - 10);
      const std::int64_t before = random.below(5);
      if (before > 0) queue.push(at - 4 + random.below(10), before);
      return before;
    };
    ReturnQueue first, own, by_runs;
    const ConsumptionSchedule schedule =
        random.schedule(std::max<std::int64_t>(some(origin, first) + all - random.below(6), 0), 1);
    TraceSummaries summaries;
    const ChannelState before{7, 0, 100}, after{8, 0, 300};
    const Delivery out{{&first, random.below(8) == 0 ? nullptr : &schedule, {}, {}}};
    const TraceSummaries::At summary = summaries.record(ports, alone.delivery(), origin, before, after, 100, out);
    EXPECT_TRUE(summaries.determines(ports, summary, origin, out));

    some(again, own);
    by_runs = own;
    const ConsumptionSchedule others =
        random.schedule(std::max<std::int64_t>(own.size() + all - random.below(6), 0), 2);
    const ConsumptionSchedule& used = random.below(4) == 0 ? others : schedule;
    Delivery now{{&own, &used, {}, {}}};
    if (!summaries.determines(ports, summary, again, now)) {
      ++undetermined;
      continue;
    }
    ++determined;
    ChannelState channel{7, 0, 1000};
    summaries.replay(ports, summary, again, channel, 100, now);
    EXPECT_EQ(channel.state, 8U);
    EXPECT_EQ(channel.refresh_due, 1200);
    alone.delivery()[0].read->for_each(
        [&](Cycles cycle, std::int64_t count) { by_runs.push(cycle - origin + again, count); });
    ASSERT_EQ(own.last(), by_runs.last()) << "case " << i;
    const bool expected = by_runs.in_time(again, used);
    ASSERT_EQ(own.in_time(again, used), expected) << "case " << i;
    ++(expected ? in_time : late);
    if (!expected) continue;
    own.take(used.taken());
    by_runs.take(used.taken());
    left += by_runs.size() > 0 ? 1 : 0;
    ASSERT_EQ(runs_of(own), runs_of(by_runs)) << "case " << i;
  }
  EXPECT_GT(determined, 10000);
  EXPECT_GT(undetermined, 10000);
  EXPECT_GT(in_time, 5000);
  EXPECT_GT(late, 5000);
  EXPECT_GT(left, 2000);
}

// Responses are reported one by one: the kernel compares each with its assumption.
TEST(TraceSummaries, HoldEveryResponse) {
  const ChannelPorts ports{{0, PortDirection::Write}};
  UncontendedReturns alone(1);
  Delivery& answers = alone.begin();
  answers[0].answers = {1003, 1004, 1090};
  answers[0].rows = {5, 1, 2};
  TraceSummaries summaries;
  Delivery out(1);
  const TraceSummaries::At summary = summaries.record(ports, alone.delivery(), 1000, {1, 0, 0}, {2, 0, 0}, 100, out);
  ASSERT_TRUE(summaries.determines(ports, summary, 3000, out));
  ChannelState channel{1, 0, 50};
  summaries.replay(ports, summary, 3000, channel, 100, out);
  EXPECT_EQ(out[0].answers, (std::vector<Cycles>{3003, 3004, 3090}));
  EXPECT_EQ(out[0].rows, (std::array<std::int64_t, 3>{5, 1, 2}));
  EXPECT_EQ(channel.refresh_due, 50);
}

// At most one beat per cycle: the second run would arrive from 12 on, but the first uses cycles 10 to 13.
TEST(ReturnQueue, WaitForThoseBeforeThem) {
  ReturnQueue queue;
  queue.reset(5);
  queue.push(10, 4);
  queue.push(12, 2);
  queue.push(20, 1);
  EXPECT_EQ(runs_of(queue), (std::vector<std::pair<Cycles, std::int64_t>>{{10, 6}, {20, 1}}));
  EXPECT_EQ(queue.last(), 20);
  queue.take(5);
  EXPECT_EQ(runs_of(queue), (std::vector<std::pair<Cycles, std::int64_t>>{{15, 1}, {20, 1}}));
}

// Beats consumed in cycles 3, 4 and 8 have deadlines 0, 4 and 5 (the cycle after the beat before); a further beat has
// 9.
TEST(ConsumptionSchedule, LookForABeatFromTheCycleAfterTheOneBefore) {
  const ConsumptionSchedule last({{3, 2}, {8, 1}}, 12, false), more({{3, 2}, {8, 1}}, 12, true);
  EXPECT_EQ(last.taken(), 3);
  EXPECT_EQ(more.taken(), 3);
  EXPECT_EQ(last.deadlines(), (std::vector<std::int32_t>{0, 4, 5}));
  EXPECT_EQ(more.deadlines(), (std::vector<std::int32_t>{0, 4, 5, 9}));
}

TEST(ReturnQueue, AreInTimeInTheCycleInWhichTheyAreLookedForAndNotOneLater) {
  const ConsumptionSchedule schedule({{3, 2}, {8, 1}}, 12, true);  // looked for in 0, 4, 5 and 9
  const Cycles origin = 100;
  for (std::size_t late = 0; late <= 4; ++late) {
    std::vector<Cycles> cycles{100, 104, 105, 109};
    if (late < 4) ++cycles[late];
    ReturnQueue queue;
    queue.reset(0);
    for (const Cycles cycle : cycles) queue.push(cycle, 1);
    EXPECT_EQ(queue.in_time(origin, schedule), late == 4) << "beat " << late << " is late";
  }
  ReturnQueue too_few;
  too_few.reset(0);
  too_few.push(90, 3);
  EXPECT_FALSE(too_few.in_time(origin, schedule));
  too_few.push(90, 1);
  EXPECT_TRUE(too_few.in_time(origin, schedule));
}

// Waiting beats are reported as a run that may end after cycle last(): here in 2, the block beginning in 2.
TEST(ReturnQueue, OfABlockAreNotLostInARunThatWasTaken) {
  struct Queue {
    void for_each_run(const std::function<void(Cycles, std::int64_t)>& visit) const { visit(0, 3); }
  };
  WordPool pool;
  const auto runs = pool.put(PackedRun::of(2, 2));
  ReturnQueue queue;
  queue.load(Queue{}, 1);
  queue.push({&pool, runs, 1, 2, 0, 0, 3});
  queue.take(4);
  EXPECT_EQ(runs_of(queue), (std::vector<std::pair<Cycles, std::int64_t>>{{3, 1}}));
}

// Runs of beats with gaps, and schedules with gaps, from a queue that may hold beats already: a block is in time when
// each of its runs is, and leaves the same beats, though only those that may be left are known of it.
TEST(ReturnQueue, OfABlockAreThoseOfItsRuns) {
  std::mt19937_64 random(1);
  const auto below = [&random](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  int in_time = 0, not_in_time = 0, partly_taken = 0, not_whole = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::vector<std::pair<Cycles, std::int64_t>> runs;
    ReturnQueue::Block block;
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
    std::int64_t left = lead + 1 + below(static_cast<std::uint64_t>(block.beats) + 3);  // it reaches into the block
    for (Cycles cycle = below(6); left > 0; ++cycle) {
      if (below(rare) != 0) continue;
      append(taken, cycle, 1);
      --left;
    }
    const ConsumptionSchedule schedule(taken, taken.back().first + taken.back().count + below(3), below(2) == 0);
    RequiredLead required_lead(&schedule);
    for (const auto& [first, count] : runs) required_lead.add(first, count);
    block.required_lead = required_lead.beats();
    WordPool pool;
    block.pool = &pool;
    std::int64_t beats_after = block.beats;
    for (const auto& [first, count] : runs) {
      beats_after -= count;
      if (beats_after >= lead + block.beats - schedule.taken()) continue;
      pool.put(PackedRun::of(first, count));
      ++block.size;
    }
    ReturnQueue as_runs, as_block;
    for (ReturnQueue* each : {&as_runs, &as_block}) {
      each->reset(50);
      if (lead > 0) each->push(60, lead);
    }
    for (const auto& [first, count] : runs) as_runs.push(block.origin + first, count);
    as_block.push(block);
    ASSERT_EQ(as_block.last(), as_runs.last());
    const bool expected = as_runs.in_time(block.origin, schedule);
    ASSERT_EQ(as_block.in_time(block.origin, schedule), expected) << "case " << i;
    ++(expected ? in_time : not_in_time);
    if (!expected) continue;
    as_runs.take(schedule.taken());
    as_block.take(schedule.taken());
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

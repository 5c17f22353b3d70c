#include "model/engine/passages.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/unit/model/engine/runs_of.h"

namespace weft::engine {
namespace {

using test::runs_of;

class Random {
 public:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  // Beats that a port takes, `beats` of them, close to each other or far.
  Takes takes(std::int64_t beats, std::uint32_t number) {
    std::vector<engine::Run> runs;
    const std::int64_t rare = 1 + below(4);
    for (Cycles cycle = below(8); beats > 0; ++cycle) {
      if (below(rare) != 0) continue;
      append(runs, cycle, 1);
      --beats;
    }
    const Cycles end = runs.empty() ? 0 : runs.back().first + runs.back().count;
    Takes made(runs, end + below(3), below(2) == 0);
    made.number = number;
    return made;
  }

 private:
  std::mt19937_64 random_{1};
};

// Some beats, kept for a port as it was when they came first. To the same port as it is another time, with other beats
// before them that come earlier or later, and with takes of the same number or another, it is told what comes only
// where that is what their runs bring one by one: in time or not, and with the same left over.
TEST(Passages, TellOnlyWhatTheRunsOneByOneWouldBring) {
  Random random;
  const ChannelPorts ports{{0, PortDirection::Read}};
  int told = 0, not_told = 0, in_time = 0, late = 0, left = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Cycles origin = 1000, again = 5000;
    DeliveryAlone alone(1);
    Delivery& beats = alone.begin();
    std::int64_t all = 0;
    Cycles next = random.below(8);
    for (std::int64_t runs = random.below(6); runs > 0; --runs) {
      const std::int64_t count = 1 + random.below(4);
      beats[0].read->push(origin + next, count);
      next += count + random.below(5);
      all += count;
    }
    const auto some = [&](Cycles at, Arrivals& arrivals) {
      arrivals.reset(at - 10);
      const std::int64_t before = random.below(5);
      if (before > 0) arrivals.push(at - 4 + random.below(10), before);
      return before;
    };
    Arrivals first, own, by_runs;
    const Takes takes = random.takes(std::max<std::int64_t>(some(origin, first) + all - random.below(6), 0), 1);
    Passages passages;
    const ChannelPosition before{7, 0, 100}, after{8, 0, 300};
    const Delivery out{{&first, random.below(8) == 0 ? nullptr : &takes, {}, {}}};
    const Passages::At passage = passages.keep(ports, alone.delivery(), origin, before, after, 100, out);
    EXPECT_TRUE(passages.tells(ports, passage, origin, out));

    some(again, own);
    by_runs = own;
    const Takes others = random.takes(std::max<std::int64_t>(own.size() + all - random.below(6), 0), 2);
    const Takes& used = random.below(4) == 0 ? others : takes;
    Delivery now{{&own, &used, {}, {}}};
    if (!passages.tells(ports, passage, again, now)) {
      ++not_told;
      continue;
    }
    ++told;
    ChannelPosition position{7, 0, 1000};
    passages.follow(ports, passage, again, position, 100, now);
    EXPECT_EQ(position.state, 8U);
    EXPECT_EQ(position.refresh_due, 1200);
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
  EXPECT_GT(told, 10000);
  EXPECT_GT(not_told, 10000);
  EXPECT_GT(in_time, 5000);
  EXPECT_GT(late, 5000);
  EXPECT_GT(left, 2000);
}

// Responses are told one by one: the kernel compares each with what it assumed.
TEST(Passages, TellEveryResponse) {
  const ChannelPorts ports{{0, PortDirection::Write}};
  DeliveryAlone alone(1);
  Delivery& answers = alone.begin();
  answers[0].answers = {1003, 1004, 1090};
  answers[0].rows = {5, 1, 2};
  Passages passages;
  Delivery out(1);
  const Passages::At passage = passages.keep(ports, alone.delivery(), 1000, {1, 0, 0}, {2, 0, 0}, 100, out);
  ASSERT_TRUE(passages.tells(ports, passage, 3000, out));
  ChannelPosition position{1, 0, 50};
  passages.follow(ports, passage, 3000, position, 100, out);
  EXPECT_EQ(out[0].answers, (std::vector<Cycles>{3003, 3004, 3090}));
  EXPECT_EQ(out[0].rows, (std::array<std::int64_t, 3>{5, 1, 2}));
  EXPECT_EQ(position.refresh_due, 50);
}

}  // namespace
}  // namespace weft::engine

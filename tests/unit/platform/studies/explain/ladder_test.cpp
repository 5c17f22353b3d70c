#include "platform/studies/explain/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "model/core/error.h"

namespace weft::explain {
namespace {

using config::RunConfig;
using design::Changed;
using design::Counterfactual;

// A run encodes its changes: bit i of its seed for change i, and its images for the number of times that the repeatable
// change was made.
constexpr std::uint64_t bit(std::size_t change) {
  return std::uint64_t{1} << change;
}

Counterfactual once(std::size_t change) {
  return {std::string(1, static_cast<char>('a' + change)), "", "", "", false, [change](const RunConfig& run) {
            RunConfig changed = run;
            changed.seed |= bit(change);
            return Changed::to(changed);
          }};
}

Counterfactual again(std::int64_t most) {
  return {"again", "", "", "", true, [most](const RunConfig& run) {
            if (run.dataset_images == most) return Changed::impossible("no more");
            RunConfig changed = run;
            ++changed.dataset_images;
            return Changed::to(changed);
          }};
}

RunConfig start() {
  RunConfig run;
  run.seed = 0;
  run.dataset_images = 0;
  return run;
}

// Times of encoded runs; counts how often runs were tried.
class Table {
 public:
  using TimeOf = std::function<std::int64_t(const RunConfig&)>;
  explicit Table(TimeOf time) : time_(std::move(time)) {}

  Trial trial() {
    return [this](const std::vector<Candidate>& candidates) {
      std::vector<Tried> tried;
      tried.reserve(candidates.size());
      for (const Candidate& each : candidates) tried.push_back({each.run, Time{time_(each.run), 100}, ""});
      count_ += candidates.size();
      return tried;
    };
  }
  std::size_t count() const { return count_; }

 private:
  TimeOf time_;
  std::size_t count_ = 0;
};

std::string names(const Ladder& ladder, const std::vector<Counterfactual>& changes) {
  std::string text;
  for (const Step& step : ladder.steps) text += changes[step.change].name;
  return text;
}

TEST(Ladder, MakesTheChangeWithWhichTheRunTakesLeastThenTheNext) {
  // a saves 10, b 30, and c nothing alone but 40 together with b.
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  Table table([](const RunConfig& run) {
    const bool a = (run.seed & bit(0)) != 0, b = (run.seed & bit(1)) != 0, c = (run.seed & bit(2)) != 0;
    return 100 - (a ? 10 : 0) - (b ? 30 : 0) - (b && c ? 40 : 0);
  });
  const Climb climbed = climb(start(), changes, table.trial(), {});
  EXPECT_EQ(names(climbed.ladder, changes), "bca");
  EXPECT_EQ(climbed.ladder.start_time.periods, 100);
  EXPECT_EQ(climbed.ladder.steps[0].time.periods, 70);
  EXPECT_EQ(climbed.ladder.steps[1].time.periods, 30);
  EXPECT_EQ(climbed.ladder.steps[2].time.periods, 20);
  // Alone c gives 100; the end without it takes 60. Without b, c saves nothing: 90.
  EXPECT_EQ(climbed.effects[2].alone.time->periods, 100);
  EXPECT_EQ(climbed.effects[2].without->time->periods, 60);
  EXPECT_EQ(climbed.effects[1].without->time->periods, 90);
  EXPECT_FALSE(climbed.effects[0].left.has_value());
}

TEST(Ladder, ShowsWhatMakesItSlowerAndDoesNotKeepIt) {
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  Table table([](const RunConfig& run) {  // a costs 5, b saves 10, c changes nothing
    return 100 + ((run.seed & bit(0)) != 0 ? 5 : 0) - ((run.seed & bit(1)) != 0 ? 10 : 0);
  });
  const Climb climbed = climb(start(), changes, table.trial(), {});
  EXPECT_EQ(names(climbed.ladder, changes), "b");
  EXPECT_EQ(climbed.effects[0].alone.time->periods, 105);
  EXPECT_EQ(climbed.effects[0].left->time->periods, 95);
  EXPECT_EQ(climbed.effects[2].left->time->periods, 90);
  EXPECT_FALSE(climbed.effects[0].without.has_value());
}

TEST(Ladder, TakesTheFirstOfTheListWhereTwoAreEqual) {
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  Table table([](const RunConfig& run) {
    return 100 - 7 * static_cast<std::int64_t>((run.seed & 1) + (run.seed >> 1 & 1) + (run.seed >> 2 & 1));
  });
  EXPECT_EQ(names(climb(start(), changes, table.trial(), {}).ladder, changes), "abc");
}

TEST(Ladder, MakesAChangeAgainWhileThatHelpsAndSaysWhyItEnds) {
  const std::vector<Counterfactual> changes{again(3), once(0)};
  Table table([](const RunConfig& run) { return 100 - 10 * run.dataset_images - ((run.seed & 1) != 0 ? 12 : 0); });
  const Climb climbed = climb(start(), changes, table.trial(), {});
  EXPECT_EQ(names(climbed.ladder, changes), "aagainagainagain");
  EXPECT_EQ(climbed.effects[0].left->why_not, "no more");
  EXPECT_FALSE(climbed.effects[0].left->time.has_value());
  EXPECT_EQ(climbed.effects[0].without->time->periods, 68);  // without its last repetition
}

TEST(Ladder, ComparesTimesOfOtherClocksExactly) {
  // 3 cycles of 100 MHz are 2 of 200/3 MHz.
  const Time a{3, 100}, b{2, Frequency(200, 3)}, c{std::int64_t{1} << 60, 100};
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a < b);
  EXPECT_TRUE((Time{2, 100} < b));
  EXPECT_TRUE((c < Time{(std::int64_t{1} << 60) + 1, 100}));
  EXPECT_TRUE((c < Time{std::int64_t{1} << 60, Frequency(99999, 1000)}));
}

TEST(Ladder, ReplaysAnOrderOneRunAStepAndLeavesOutWhatMakesItSlower) {
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  Table table([](const RunConfig& run) {  // with a, b costs
    const bool a = (run.seed & bit(0)) != 0, b = (run.seed & bit(1)) != 0, c = (run.seed & bit(2)) != 0;
    return 100 - (a ? 10 : 0) + (a && b ? 1 : 0) - (c ? 20 : 0);
  });
  const Replay replayed = replay(start(), changes, {0, 1, 2}, table.trial(), {});
  EXPECT_EQ(table.count(), 4U);
  EXPECT_EQ(names(replayed.ladder, changes), "ac");
  EXPECT_EQ(replayed.ladder.end_time().periods, 70);
  EXPECT_EQ(replayed.ladder.end().seed, bit(0) | bit(2));
  ASSERT_EQ(replayed.dropped.size(), 1U);
  EXPECT_EQ(replayed.dropped[0].change, 1U);
  EXPECT_EQ(replayed.dropped[0].after, 1U);
  EXPECT_EQ(replayed.dropped[0].tried.time->periods, 91);
}

TEST(Ladder, OfARunThatCannotBeIsAnError) {
  const Trial never = [](const std::vector<Candidate>& candidates) {
    return std::vector<Tried>(candidates.size(), Tried{std::nullopt, std::nullopt, "too large"});
  };
  EXPECT_THROW(climb(start(), {once(0)}, never, {}), Error);
}

// Random times of every set of seven changes, many of them equal: each choice equals that of trying all that remain.
TEST(Ladder, ChoosesAtEveryStepAsTryingAllThatRemain) {
  constexpr std::size_t kChanges = 7;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> times(bit(kChanges));
    for (std::int64_t& time : times) time = std::uniform_int_distribution<int>(1, seed % 2 == 0 ? 1000 : 12)(random);
    times[0] = std::max<std::int64_t>(times[0], 10);
    std::vector<Counterfactual> changes;
    for (std::size_t i = 0; i < kChanges; ++i) changes.push_back(once(i));
    Table table([&](const RunConfig& run) { return times[run.seed]; });
    const Climb climbed = climb(start(), changes, table.trial(), {});

    std::uint64_t made = 0;
    std::set<std::size_t> left;
    for (std::size_t i = 0; i < kChanges; ++i) left.insert(i);
    for (const Step& step : climbed.ladder.steps) {
      for (const std::size_t other : left) {
        const std::int64_t with = times[made | bit(other)];
        EXPECT_TRUE(step.time.periods < with || (step.time.periods == with && step.change <= other)) << seed;
      }
      EXPECT_LT(step.time.periods, times[made]) << seed;
      made |= bit(step.change);
      EXPECT_EQ(step.run.seed, made);
      EXPECT_EQ(step.time.periods, times[made]);
      left.erase(step.change);
    }
    for (std::size_t i = 0; i < kChanges; ++i) {
      const Effect& effect = climbed.effects[i];
      EXPECT_EQ(effect.alone.time->periods, times[bit(i)]);
      EXPECT_EQ(effect.left.has_value(), left.count(i) != 0) << seed;
      EXPECT_NE(effect.without.has_value(), effect.left.has_value()) << seed;
      if (effect.left) {
        EXPECT_EQ(effect.left->time->periods, times[made | bit(i)]);
        EXPECT_GE(effect.left->time->periods, times[made]) << "nothing that helps is left " << seed;
      } else {
        EXPECT_EQ(effect.without->time->periods, times[made & ~bit(i)]);
      }
    }
  }
}

}  // namespace
}  // namespace weft::explain

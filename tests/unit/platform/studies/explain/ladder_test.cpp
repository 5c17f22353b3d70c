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
  return {std::string(1, static_cast<char>('a' + change)), "", [change](const RunConfig& run) {
            RunConfig changed = run;
            changed.seed |= bit(change);
            return Changed::to(changed);
          }};
}

Counterfactual again(std::int64_t most) {
  Counterfactual change{"again", "", [most](const RunConfig& run) {
                          if (run.dataset_images == most) return Changed::impossible("no more");
                          RunConfig changed = run;
                          ++changed.dataset_images;
                          return Changed::to(changed);
                        }};
  change.again = true;
  return change;
}

RunConfig start() {
  RunConfig run;
  run.seed = 0;
  run.dataset_images = 0;
  return run;
}

bool has(const RunConfig& run, std::size_t change) {
  return (run.seed & bit(change)) != 0;
}

// Times and misfits of encoded runs.
struct Result {
  std::int64_t time = 0, misfits = 0;
};
using ResultOf = std::function<Result(const RunConfig&)>;

Trial trial(const ResultOf& of) {
  return [of](const std::vector<RunConfig>& runs) {
    std::vector<Tried> tried;
    for (const RunConfig& run : runs) tried.push_back({Time{of(run).time, 100}, of(run).misfits, ""});
    return tried;
  };
}

std::vector<std::size_t> all_of(const std::vector<Counterfactual>& changes) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < changes.size(); ++i) all.push_back(i);
  return all;
}

std::string names(const std::vector<Step>& steps, const std::vector<Counterfactual>& changes) {
  std::string text;
  for (const Step& step : steps) {
    if (!text.empty()) text += " ";
    for (const std::size_t change : step.changes) text += changes[change].name;
  }
  return text;
}

// Names of the steps with which `of` takes least.
std::string found(const std::vector<Counterfactual>& changes, const ResultOf& of) {
  Sets sets(start(), changes, trial(of));
  return names(order_of(sets, best_set(sets, all_of(changes), {})), changes);
}

TEST(Ladder, BeginsWithTheChangeThatSavesMost) {
  // a saves 10, b 30, and c nothing alone but 40 together with b.
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    return Result{1000 - (has(run, 0) ? 10 : 0) - (has(run, 1) ? 30 : 0) -
                                  (has(run, 1) && has(run, 2) ? 40 : 0)};
                  }),
            "b c a");
}

// Greedy steps would take a, which excludes the pair that saves more.
TEST(Ladder, FindsChangesThatGainOnlyTogether) {
  std::vector<Counterfactual> changes;
  for (std::size_t i = 0; i < 14; ++i) changes.push_back(once(i));  // too many for all subsets
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    const bool a = has(run, 0), b = has(run, 7), c = has(run, 12);
                    return Result{a ? 700 + 100 * (b || c ? 1 : 0) : b && c ? 400 : b || c ? 1200 : 1000};
                  }),
            "h m");
}

TEST(Ladder, LeavesOutWhatSavesLessThanAThousandth) {
  const std::vector<Counterfactual> changes{once(0), once(1)};
  EXPECT_EQ(
      found(changes,
            [](const RunConfig& run) { return Result{100'000 - (has(run, 0) ? 99 : 0) - (has(run, 1) ? 101 : 0)}; }),
      "b");
}

TEST(Ladder, TakesTheFirstOfTheListWhereTwoAreEqual) {
  const std::vector<Counterfactual> changes{once(0), once(1), once(2)};
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    return Result{100 - 7 * static_cast<std::int64_t>((run.seed & 1) + (run.seed >> 1 & 1) +
                                                                      (run.seed >> 2 & 1))};
                  }),
            "a b c");
}

TEST(Ladder, MakesAChangeAgainWhileThatHelps) {
  const std::vector<Counterfactual> changes{again(5), once(0)};
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    return Result{100 - 10 * std::min<std::int64_t>(run.dataset_images, 3) - (has(run, 0) ? 12 : 0)};
                  }),
            "a again again again");
}

// The start has 2 misfits. a saves most and adds one; b removes both and lets a fit.
TEST(Ladder, AddsNoMisfitAndEndsWithoutOneWhereThatIsPossible) {
  const std::vector<Counterfactual> changes{once(0), once(1)};
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    const bool a = has(run, 0), b = has(run, 1);
                    return Result{100 - (a ? 50 : 0) + (b ? 10 : 0), b ? 0 : a ? 3 : 2};
                  }),
            "b a");
}

TEST(Ladder, MakesChangesTogetherThatFitOnlyTogether) {
  const std::vector<Counterfactual> changes{once(0), once(1)};
  EXPECT_EQ(found(changes,
                  [](const RunConfig& run) {
                    const bool a = has(run, 0), b = has(run, 1);
                    return Result{a && b ? 50 : 100, a != b ? 1 : 0};
                  }),
            "ab");
}

TEST(Ladder, IsEmptyIfNothingHelpsAndAnErrorIfTheStartIsImpossible) {
  const std::vector<Counterfactual> changes{once(0), once(1)};
  EXPECT_EQ(found(changes, [](const RunConfig& run) { return Result{100 + static_cast<std::int64_t>(run.seed)}; }), "");
  Sets impossible(start(), changes, [](const std::vector<RunConfig>& runs) {
    return std::vector<Tried>(runs.size(), Tried{{}, 0, "no room"});
  });
  EXPECT_THROW(best_set(impossible, all_of(changes), {}), Error);
}

// Random costs of changes and of pairs of them: the search ends within 3% of the best of all subsets.
TEST(Ladder, EndsNearTheBestOfAllSubsets) {
  constexpr std::size_t kChanges = 12;
  std::vector<Counterfactual> changes;
  for (std::size_t i = 0; i < kChanges; ++i) changes.push_back(once(i));
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::array<std::array<std::int64_t, kChanges>, kChanges> cost{};
    for (std::size_t i = 0; i < kChanges; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (random() % 3 == 0) cost.at(i).at(k) = static_cast<std::int64_t>(random() % 1201) - 600;
      }
      cost.at(i).at(i) = static_cast<std::int64_t>(random() % 1201) - 600;
    }
    const auto time = [&](const RunConfig& run) {
      std::int64_t sum = 20'000;
      for (std::size_t i = 0; i < kChanges; ++i) {
        for (std::size_t k = 0; k <= i; ++k) sum += has(run, i) && has(run, k) ? cost.at(i).at(k) : 0;
      }
      return Result{sum};
    };
    Sets sets(start(), changes, trial(time));
    const RunConfig end = *sets.run(best_set(sets, all_of(changes), {})).run;
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    RunConfig run = start();
    for (run.seed = 0; run.seed < bit(kChanges); ++run.seed) best = std::min(best, time(run).time);
    EXPECT_LE(static_cast<double>(time(end).time), 1.03 * static_cast<double>(best)) << "round " << round;
    EXPECT_LT(sets.tried(), bit(kChanges) / 2);
  }
}

TEST(Ladder, TriesEachSetOnce) {
  std::vector<Counterfactual> changes;
  for (std::size_t i = 0; i < 12; ++i) changes.push_back(once(i));
  std::map<std::uint64_t, int> tries;
  Sets sets(start(), changes, [&](const std::vector<RunConfig>& runs) {
    std::vector<Tried> tried;
    for (const RunConfig& run : runs) {
      ++tries[run.seed];
      tried.push_back({Time{1000 - static_cast<std::int64_t>(run.seed % 37), 100}, 0, ""});
    }
    return tried;
  });
  order_of(sets, best_set(sets, all_of(changes), {}));
  for (const auto& [seed, count] : tries) EXPECT_EQ(count, 1) << seed;
}

TEST(Time, ComparesExactlyWhateverTheClocks) {
  EXPECT_TRUE((Time{1, 3} < Time{1, 2}));
  EXPECT_TRUE((Time{100, Frequency(1000, 3)} == Time{30, 100}));
  EXPECT_TRUE((Time{std::int64_t{1} << 40, 100} < Time{(std::int64_t{1} << 40) + 1, 100}));
}

}  // namespace
}  // namespace weft::explain

#include "model/fpgpt/dse/served.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "model/core/error.h"
#include "model/fpgpt/dse/sharing.h"
#include "model/fpgpt/parts.h"
#include "small_problem.h"

namespace weft::fpgpt::dse {
namespace {

using test::pointwise;

std::vector<Server> all_servers(const SharingInput& input, PenaltyLimit limit) {
  std::vector<Server> all;
  for (int x = 1; x <= input.problem.widest(); ++x) {
    std::vector<Server> some = servers(input, x, limit);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return undominated(std::move(all));
}

std::size_t fewest(const test::Case& c, PenaltyLimit limit) {
  const FewestKernels found = fewest_kernels(c.input(), all_servers(c.input(), limit));
  EXPECT_EQ(found.at_least, static_cast<std::int64_t>(found.kernels.size()));
  return found.kernels.size();
}

// The four shapes of sharing_test.cpp: Algorithms 1 and 2 find 3 kernels for any penalty. With 100 % A also runs on the
// 4 x 2 of C and E (two sets instead of one); B, 8 filters, needs four groups there, so that 2 are the fewest.
TEST(FewestKernels, AreFewerThanTheHeuristicFinds) {
  const test::Case c = test::roomy({pointwise(8, 1, 8), pointwise(1, 8, 7), pointwise(4, 2, 6), pointwise(3, 2, 5)}, 8);
  EXPECT_EQ(fewest(c, PenaltyLimit{0}), 3U);
  EXPECT_EQ(fewest(c, PenaltyLimit{99'999}), 3U);
  EXPECT_EQ(fewest(c, PenaltyLimit{100'000}), 2U);
}

std::vector<conv::Convolution> betas_of(const Problem& problem, const std::vector<std::size_t>& shapes) {
  std::vector<conv::Convolution> betas;
  for (const std::size_t shape : shapes) betas.push_back(problem.shapes[shape]);
  return betas;
}

bool holds(const Problem& problem, const Alpha& alpha, const std::vector<std::size_t>& shapes,
           const std::vector<Design>& optimal, PenaltyLimit limit) {
  const Resources needs = resources(alpha, betas_of(problem, shapes), problem.readings);
  if (!fits(compare(needs, problem.budget))) return false;
  return std::all_of(shapes.begin(), shapes.end(), [&](std::size_t shape) {
    return gamma(alpha, problem.shapes[shape], problem.readings).total <= limit.most_cycles(optimal[shape].cycles);
  });
}

// True if one kernel runs all of `shapes`: every array, every Z, every storage, sizes as the shapes need.
bool one_kernel_serves(const test::Case& c, const std::vector<std::size_t>& shapes, PenaltyLimit limit) {
  const Problem& problem = c.problem;
  const Variant variant = variant_of(problem.shapes[shapes.front()].kind);
  const std::vector<conv::Convolution> betas = betas_of(problem, shapes);
  for (const conv::Convolution& beta : betas) {
    if (variant_of(beta.kind) != variant) return false;
  }
  for (int x = 1; x <= problem.widest(); ++x) {
    std::set<int> zs;
    for (std::size_t shape = 0; shape < problem.shapes.size(); ++shape) {
      if (variant_of(problem.shapes[shape].kind) != variant) continue;
      const int needed = static_cast<int>(conv::window_geometry(problem.shapes[shape], x).z);
      for (int z = needed; z <= largest_z(problem, needed); ++z) zs.insert(z);
    }
    for (int y = 1; y <= problem.tallest(); ++y) {
      Alpha alpha = problem.base;
      alpha.x = x;
      alpha.y = y;
      alpha.variant = variant;
      alpha = fitted(alpha, betas);
      const int needed = alpha.z;
      for (const int z : zs) {
        if (z < needed) continue;
        alpha.z = z;
        for (int place = 0; place < 8; ++place) {
          alpha.inp_storage = place % 2 == 0 ? Storage::BRAM : Storage::URAM;
          alpha.kern_storage = place / 2 % 2 == 0 ? Storage::BRAM : Storage::URAM;
          alpha.out_storage = place / 4 == 0 ? Storage::BRAM : Storage::URAM;
          if (holds(problem, alpha, shapes, c.optimal, limit)) return true;
        }
      }
    }
  }
  return false;
}

// Returns the smallest number of subsets that together contain all shapes and each run on one kernel.
std::size_t oracle(const test::Case& c, PenaltyLimit limit) {
  const std::size_t all = (std::size_t{1} << c.problem.shapes.size()) - 1;
  std::vector<bool> served(all + 1);
  for (std::size_t subset = 1; subset <= all; ++subset) {
    std::vector<std::size_t> shapes;
    for (std::size_t s = 0; s < c.problem.shapes.size(); ++s) {
      if ((subset >> s & 1) != 0) shapes.push_back(s);
    }
    served[subset] = one_kernel_serves(c, shapes, limit);
  }
  std::vector<std::size_t> kernels(all + 1, c.problem.shapes.size() + 1);
  kernels[0] = 0;
  for (std::size_t subset = 1; subset <= all; ++subset) {
    for (std::size_t part = subset; part != 0; part = (part - 1) & subset) {
      if (served[part]) kernels[subset] = std::min(kernels[subset], kernels[subset & ~part] + 1);
    }
  }
  return kernels[all];
}

TEST(FewestKernels, OfRandomCasesAreThoseOfBruteForce) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::Case c = test::random_case(seed);
    for (const PenaltyLimit limit : {PenaltyLimit{0}, PenaltyLimit{20'000}, PenaltyLimit{100'000}}) {
      const std::size_t kernels = fewest(c, limit);
      EXPECT_EQ(kernels, oracle(c, limit)) << "seed " << seed << ", " << limit.milli_percent;
      shared += kernels < c.problem.shapes.size();
    }
  }
  EXPECT_GT(shared, 40);  // not all cases are trivial
}

TEST(FewestKernels, KeepBudgetAndPenaltyAndNeverExceedTheHeuristic) {
  for (std::uint64_t seed = 100; seed < 180; ++seed) {
    const test::Case c = test::random_case(seed);
    std::size_t before = c.items.size();
    for (const std::int64_t milli : {0, 1'000, 5'000, 20'000, 60'000}) {
      const PenaltyLimit limit{milli};
      const FewestKernels found = fewest_kernels(c.input(), all_servers(c.input(), limit));
      std::vector<int> seen(c.items.size());
      for (const SharedKernel& kernel : found.kernels) {
        EXPECT_TRUE(holds(c.problem, kernel.alpha, kernel.items, c.optimal, limit)) << "seed " << seed;
        for (const std::size_t item : kernel.items) ++seen[item];
      }
      EXPECT_EQ(seen, std::vector<int>(c.items.size(), 1)) << "seed " << seed;
      EXPECT_LE(found.kernels.size(), share(c.input(), limit, {}).size()) << "seed " << seed;
      EXPECT_LE(found.kernels.size(), before) << "a larger penalty needs more kernels, seed " << seed;
      before = found.kernels.size();
    }
  }
}

// Kernels of shapes in parts: each shape is on one, within the budget and its penalty, with the launches that the sizes
// of the kernel hold.
TEST(FewestKernels, OfShapesInPartsKeepBudgetAndPenalty) {
  int split = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::Case c = test::random_case(seed);
    c.problem.readings.out_storage = reading::OutStorage::Group;
    c.problem.split = true;
    c.problem.budget.bram18 = c.problem.budget.bram18 * 3 / 4;
    if (!c.prepare()) continue;
    for (const PenaltyLimit limit : {PenaltyLimit{0}, PenaltyLimit{20'000}}) {
      const FewestKernels found = fewest_kernels(c.input(), all_servers(c.input(), limit));
      const std::vector<SharedKernel> heuristic = share(c.input(), limit, {});
      EXPECT_EQ(found.at_least, static_cast<std::int64_t>(found.kernels.size()));
      for (const auto* kernels : {&found.kernels, &heuristic}) {
        std::vector<int> seen(c.items.size());
        for (const SharedKernel& kernel : *kernels) {
          std::vector<conv::Convolution> launches;
          Cycles cycles = 0;
          for (const std::size_t item : kernel.items) {
            ++seen[item];
            const conv::Convolution& beta = c.problem.shapes[item];
            Cycles of_shape = 0;
            for (const conv::Convolution& part : parts_of(beta, first_launch(kernel.alpha, beta).n_kern)) {
              launches.push_back(part);
              of_shape += gamma(kernel.alpha, part, c.problem.readings).total;
            }
            split += launches.back().n_kern < beta.n_kern ? 1 : 0;
            EXPECT_LE(of_shape, limit.most_cycles(c.optimal[item].cycles)) << "seed " << seed;
            cycles += of_shape;
          }
          EXPECT_EQ(kernel.cycles, cycles) << "seed " << seed;
          EXPECT_TRUE(fits(resources(kernel.alpha, launches, c.problem.readings), c.problem.budget)) << "seed " << seed;
        }
        EXPECT_EQ(seen, std::vector<int>(c.items.size(), 1)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(split, 15);
}

TEST(FewestKernels, RefuseTheReadingThatTheyCannotBeFoundWith) {
  test::Case c = test::roomy({pointwise(4, 2, 6)}, 8);
  c.problem.readings.k_range = reading::KRange::Group;
  EXPECT_THROW(servers(c.input(), 1, PenaltyLimit{0}), Error);
}

TEST(Undominated, KeepsWhatServesMore) {
  const Alpha alpha;
  const std::vector<Server> kept =
      undominated({{alpha, {1, 2}}, {alpha, {0, 1}}, {alpha, {1}}, {alpha, {0, 1}}, {alpha, {0, 1, 3}}});
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].shapes, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(kept[1].shapes, (std::vector<std::size_t>{1, 2}));
}

using Columns = std::vector<std::vector<std::size_t>>;

std::size_t brute_force(std::size_t rows, const Columns& columns) {
  std::size_t fewest = columns.size() + 1;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << columns.size(); ++chosen) {
    std::set<std::size_t> covered;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if ((chosen >> c & 1) != 0) covered.insert(columns[c].begin(), columns[c].end());
    }
    if (covered.size() == rows) fewest = std::min<std::size_t>(fewest, __builtin_popcountll(chosen));
  }
  return fewest;
}

void expect_cover(std::size_t rows, const Columns& columns, const SetCover& cover) {
  std::set<std::size_t> covered;
  for (const std::size_t c : cover.columns) covered.insert(columns.at(c).begin(), columns.at(c).end());
  EXPECT_EQ(covered.size(), rows);
}

TEST(SetCover, OfRandomInstancesIsAsSmallAsBruteForceFinds) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1500; ++round) {
    const std::size_t rows = 1 + random() % 9, count = 1 + random() % 11, density = 2 + random() % 4;
    Columns columns(count);
    for (auto& column : columns) {
      for (std::size_t row = 0; row < rows; ++row) {
        if (random() % density == 0) column.push_back(row);
      }
    }
    std::vector<std::size_t> all(rows);
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Every second round, and whenever the other columns do not cover all, a column that covers all is added.
    if (round % 2 != 0 || brute_force(rows, columns) > columns.size()) columns.push_back(all);
    const SetCover cover = minimum_set_cover(rows, columns);
    EXPECT_EQ(cover.columns.size(), brute_force(rows, columns)) << "round " << round;
    EXPECT_TRUE(cover.proved()) << "round " << round;
    expect_cover(rows, columns, cover);
  }
}

// Every row is in three columns, every column has three rows, and no reduction applies: the solver must search. The
// seven lines of the Fano plane cover it with three and no fewer: two meet in a point and miss two others.
TEST(SetCover, OfTheFanoPlaneIsThree) {
  const Columns fano{{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}};
  const SetCover cover = minimum_set_cover(7, fano);
  EXPECT_EQ(cover.columns.size(), 3U);
  EXPECT_TRUE(cover.proved());
  expect_cover(7, fano, cover);
}

// Rows are the pairs (i, j) of 6 numbers, columns the numbers: a vertex cover of the complete graph, which needs 5. The
// largest set of rows without a common column has 3, so that the bound alone proves nothing.
TEST(SetCover, IsProvedWhereTheBoundIsFarBelow) {
  Columns columns(6);
  std::size_t row = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 6; ++j, ++row) {
      columns[i].push_back(row);
      columns[j].push_back(row);
    }
  }
  const SetCover cover = minimum_set_cover(row, columns);
  EXPECT_EQ(cover.columns.size(), 5U);
  EXPECT_EQ(cover.at_least, 5);
}

// With minimal effort the answer is still a cover, and the claimed proof is true.
TEST(SetCover, WithTooLittleEffortSaysOnlyWhatIsProved) {
  std::mt19937_64 random(3);
  Columns columns(70);
  for (auto& column : columns) {
    std::set<std::size_t> some;
    while (some.size() < 5) some.insert(random() % 30);
    column.assign(some.begin(), some.end());
  }
  const SetCover proved = minimum_set_cover(30, columns);
  ASSERT_TRUE(proved.proved());
  const SetCover hasty = minimum_set_cover(30, columns, 10);
  EXPECT_FALSE(hasty.proved());
  EXPECT_LE(hasty.at_least, proved.at_least);
  EXPECT_GE(hasty.columns.size(), proved.columns.size());
  expect_cover(30, columns, hasty);
}

TEST(SetCover, RefusesARowThatNoColumnCovers) {
  EXPECT_THROW(minimum_set_cover(2, {{0}}), Error);
}

}  // namespace
}  // namespace weft::fpgpt::dse

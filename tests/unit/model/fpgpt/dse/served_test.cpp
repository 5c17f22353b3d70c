#include "model/fpgpt/dse/served.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/core/error.h"
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

// The four of sharing_test.cpp: Algorithms 1 and 2 find 3 kernels whatever the penalty. With 100 % A also runs on the 4
// x 2 of C and E (two sets instead of one); B, 8 filters, needs four groups there, so that 2 are the fewest.
TEST(FewestKernels, AreFewerThanTheHeuristicFinds) {
  const test::Case c = test::roomy({pointwise(8, 1, 8), pointwise(1, 8, 7), pointwise(4, 2, 6), pointwise(3, 2, 5)}, 8);
  EXPECT_EQ(fewest(c, PenaltyLimit{0}), 3U);
  EXPECT_EQ(fewest(c, PenaltyLimit{99'999}), 3U);
  EXPECT_EQ(fewest(c, PenaltyLimit{100'000}), 2U);
}

bool holds(const Problem& problem, const Alpha& alpha, const std::vector<std::size_t>& shapes,
           const std::vector<Design>& optimal, PenaltyLimit limit) {
  std::vector<conv::Convolution> betas;
  betas.reserve(shapes.size());
  for (const std::size_t shape : shapes) betas.push_back(problem.shapes[shape]);
  if (!fits(compare(resources(alpha, betas, problem.readings), problem.budget))) return false;
  return std::all_of(shapes.begin(), shapes.end(), [&](std::size_t shape) {
    return gamma(alpha, problem.shapes[shape], problem.readings).total <= limit.most_cycles(optimal[shape].cycles);
  });
}

// Whether one kernel runs all of `shapes`: every array, every Z, every storage, sizes as the shapes need.
bool one_kernel_serves(const test::Case& c, const std::vector<std::size_t>& shapes, PenaltyLimit limit) {
  const Problem& problem = c.problem;
  const Variant variant = variant_of(problem.shapes[shapes.front()].kind);
  std::vector<conv::Convolution> betas;
  betas.reserve(shapes.size());
  for (const std::size_t shape : shapes) {
    if (variant_of(problem.shapes[shape].kind) != variant) return false;
    betas.push_back(problem.shapes[shape]);
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

// The fewest subsets, each of which one kernel serves, that make up all shapes.
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

}  // namespace
}  // namespace weft::fpgpt::dse

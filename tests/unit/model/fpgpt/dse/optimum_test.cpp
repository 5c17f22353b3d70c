#include <gtest/gtest.h>

#include "model/fpgpt/dse/problem.h"
#include "model/fpgpt/dse/sharing.h"
#include "model/fpgpt/parts.h"
#include "small_problem.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::dse {
namespace {

constexpr std::array<Storage, 2> kStorages{Storage::BRAM, Storage::URAM};

// Returns sizes that the search does not try: `step` selects how far they exceed the convolution's needs.
Alpha larger(Alpha alpha, int step) {
  const Words more = step == 0 ? 0 : step == 1 ? 37 : 1100;
  alpha.z_channel += more;
  alpha.k_range += more;
  alpha.kern_words += more;
  alpha.out_words += more;
  return alpha;
}

// Returns the fewest cycles of any kernel by brute force: every array, Z and storage, and larger sizes as well.
Cycles oracle(const Problem& problem, const conv::Convolution& beta) {
  Cycles fewest = kNever;
  for (int x = 1; x <= std::min<std::int64_t>(problem.space.max_x, beta.out_map()); ++x) {
    for (int y = 1; y <= std::min<std::int64_t>(problem.space.max_y, beta.n_kern); ++y) {
      Alpha alpha = problem.base;
      alpha.x = x;
      alpha.y = y;
      alpha.variant = beta.kind == conv::Kind::GW ? Variant::GW : Variant::FGI;
      const Alpha needed = fitted(alpha, beta);
      const int last = problem.space.z == ZChoice::Fitted ? needed.z : std::max(needed.z, alpha.band(Port::Inp));
      for (int z = needed.z; z <= last; ++z) {
        for (int place = 0; place < 8; ++place) {
          for (int step = 0; step < 3; ++step) {
            alpha = larger(needed, step);
            alpha.z = z;
            alpha.inp_storage = kStorages[place % 2];
            alpha.kern_storage = kStorages[place / 2 % 2];
            alpha.out_storage = kStorages[place / 4];
            const Resources needs = resources(alpha, {beta}, problem.readings);
            EXPECT_EQ(fits(needs, problem.budget), fits(compare(needs, problem.budget)));
            if (!fits(compare(needs, problem.budget))) continue;
            fewest = std::min(fewest, gamma(alpha, beta, problem.readings).total);
          }
        }
      }
    }
  }
  return fewest;
}

TEST(Optimum, OfRandomConvolutionsIsTheBestOfAllKernels) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const test::Case c = test::random_case(seed);
    for (std::size_t shape = 0; shape < c.problem.shapes.size(); ++shape) {
      EXPECT_EQ(c.optimal[shape].cycles, oracle(c.problem, c.problem.shapes[shape])) << "seed " << seed << " " << shape;
    }
  }
}

TEST(Optimum, IsAKernelThatFitsTheBudgetAndTakesTheseCycles) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::Case c = test::random_case(seed);
    for (std::size_t shape = 0; shape < c.problem.shapes.size(); ++shape) {
      const Optimum found = optimum(c.problem, shape, c.windows[shape], 1000);
      EXPECT_EQ(static_cast<std::int64_t>(found.best.size()), found.fitting);
      EXPECT_EQ(optimum(c.problem, shape, c.windows[shape], 1).fitting, found.fitting) << "however few are kept";
      EXPECT_LE(found.fitting, found.within_dsp);
      EXPECT_LE(found.within_dsp, found.arrays);
      for (std::size_t i = 0; i < found.best.size(); ++i) {
        const Design& design = found.best[i];
        const Resources needs = resources(design.alpha, {c.problem.shapes[shape]}, c.problem.readings);
        EXPECT_TRUE(fits(compare(needs, c.problem.budget))) << seed;
        EXPECT_TRUE(fits(needs, c.problem.budget)) << seed;
        EXPECT_EQ(design.bram18, needs.bram18);
        EXPECT_EQ(design.cycles, gamma(design.alpha, c.problem.shapes[shape], c.problem.readings).total) << seed;
        EXPECT_FALSE(i > 0 && better(design, found.best[i - 1])) << seed;
      }
    }
  }
}

// 6 outputs, 2 filters, 5 channels, at most 8 PEs: S * K = 2 at best, so 48 * 5 * 2 cycles. (3, 2) and (6, 1) reach it
// with 6 PEs; OUT takes 2 X blocks, so (3, 2) takes fewer.
TEST(Optimum, OfEqualCyclesTakesTheFewestPes) {
  const test::Case c = test::roomy({test::pointwise(6, 2, 5)}, 8);
  EXPECT_EQ(c.optimal[0].cycles, 480);
  EXPECT_EQ(c.optimal[0].limiter, Block::InpReader);
  EXPECT_EQ(c.optimal[0].alpha.x, 3);
  EXPECT_EQ(c.optimal[0].alpha.y, 2);
}

TEST(Optimum, OfNoKernelThatFitsSaysWhatTheSmallestNeeds) {
  Problem problem;
  problem.budget = {90, 3, 0};
  problem.shapes = {test::pointwise(6, 2, 5)};
  const Optimum found = optimum(problem, 0, Windows(problem.shapes[0], problem.widest()), 1);
  EXPECT_EQ(found.fitting, 0);
  EXPECT_TRUE(found.best.empty());
  ASSERT_TRUE(found.smallest.has_value());
  // X = 1, Y = 1: INP has two halves, KERN one partition, OUT two halves.
  EXPECT_EQ(found.smallest->bram18, 5);
}

// Returns the fewest cycles and the parts by brute force: every array, Z and storage, on each the fewest launches of
// whole Y-groups that fit.
std::pair<Cycles, std::int64_t> oracle_in_parts(const Problem& problem, const conv::Convolution& beta) {
  std::pair<Cycles, std::int64_t> fewest{kNever, 0};
  for (int x = 1; x <= std::min<std::int64_t>(problem.space.max_x, beta.out_map()); ++x) {
    for (int y = 1; y <= std::min<std::int64_t>(problem.space.max_y, beta.n_kern); ++y) {
      Alpha alpha = problem.base;
      alpha.x = x;
      alpha.y = y;
      alpha.variant = variant_of(beta.kind);
      const int needed = fitted(alpha, beta).z;
      const int last = problem.space.z == ZChoice::Fitted ? needed : std::max(needed, alpha.band(Port::Inp));
      const std::int64_t groups = ceil_div(beta.n_kern, y);
      for (int z = needed; z <= last; ++z) {
        for (std::int64_t parts = 1; parts <= groups; ++parts) {
          const std::vector<conv::Convolution> launches = parts_of(beta, ceil_div(groups, parts) * y);
          Alpha sized = fitted(alpha, launches.front());
          sized.z = z;
          bool fit = false;
          for (int place = 0; place < 8; ++place) {
            sized.inp_storage = kStorages[place % 2];
            sized.kern_storage = kStorages[place / 2 % 2];
            sized.out_storage = kStorages[place / 4];
            fit = fit || fits(resources(sized, launches, problem.readings), problem.budget);
          }
          if (!fit) continue;
          Cycles cycles = 0;
          for (const conv::Convolution& launch : launches) cycles += gamma(sized, launch, problem.readings).total;
          if (cycles < fewest.first) fewest = {cycles, static_cast<std::int64_t>(launches.size())};
          break;
        }
      }
    }
  }
  return fewest;
}

TEST(Optimum, InPartsIsTheBestOfAllKernelsInTheFewestParts) {
  int split = 0, only_in_parts = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    test::Case c = test::random_case(seed);
    c.problem.readings.out_storage = reading::OutStorage::Group;
    c.problem.budget.bram18 = c.problem.budget.bram18 * 3 / 4;
    for (std::size_t shape = 0; shape < c.problem.shapes.size(); ++shape) {
      c.problem.split = false;
      const bool whole = !optimum(c.problem, shape, c.windows[shape], 1).best.empty();
      c.problem.split = true;
      const Optimum found = optimum(c.problem, shape, c.windows[shape], 1);
      const auto [cycles, parts] = oracle_in_parts(c.problem, c.problem.shapes[shape]);
      ASSERT_EQ(found.best.empty(), cycles == kNever) << "seed " << seed << " " << shape;
      EXPECT_TRUE(!whole || !found.best.empty());
      if (found.best.empty()) continue;
      EXPECT_EQ(found.best.front().cycles, cycles) << "seed " << seed << " " << shape;
      split += found.best.front().parts > 1 ? 1 : 0;
      only_in_parts += whole ? 0 : 1;
    }
  }
  EXPECT_GT(split, 10);
  EXPECT_GT(only_in_parts, 2);
}

// 1 output, 4 filters of 1500 words, 1 PE, 7 blocks: INP takes 2 and OUT 2, so that KERN has 3. Its only partition
// holds 3 * 512 words, one filter of 1500: four launches. A launch loads 1500 words and feeds 1500 + 1 + 8, less than
// the 48 beats of each of its 1500 windows.
TEST(Optimum, InPartsSumsTheCyclesOfTheLaunches) {
  Problem problem;
  problem.budget = {9, 7, 0};
  problem.shapes = {test::pointwise(1, 4, 1500)};
  const Windows windows(problem.shapes[0], problem.widest());
  EXPECT_TRUE(optimum(problem, 0, windows, 1).best.empty());
  problem.split = true;
  const Optimum found = optimum(problem, 0, windows, 1);
  ASSERT_EQ(found.best.size(), 1U);
  EXPECT_EQ(found.best[0].parts, 4);
  EXPECT_EQ(found.best[0].cycles, 4 * 48 * 1500);
  EXPECT_EQ(found.best[0].alpha.kern_words, 1500);
  problem.budget.bram18 = 10;  // 6 blocks of KERN hold two filters
  EXPECT_EQ(optimum(problem, 0, windows, 1).best.front().parts, 2);
  problem.budget.bram18 = 6;  // 2 blocks hold none
  const Optimum none = optimum(problem, 0, windows, 1);
  EXPECT_TRUE(none.best.empty());
  ASSERT_TRUE(none.smallest.has_value());
  EXPECT_EQ(none.smallest->bram18, 2 + 3 + 2);  // of one filter
}

// Seed 004, section 5.6.2: "12424 different possible X, Y combinations", 4 to 4096 PEs; 341 = 3072 / 9 (reading F18).
TEST(DesignSpace, OfInception3bBranch3HasTheThesis12424Arrays) {
  const conv::LayerAxis axis{28, 3, 1, 1, 1, 1};
  const conv::Layer layer{"inception3b.branch3.1.conv", 256, 32, 96, 1, axis, axis};
  Space space;
  space.max_x = 3072 / dsp_per_pe(NumberFormat::fp32());
  space.min_pes = 4;
  space.max_pes = 4096;
  EXPECT_EQ(arrays(space, workloads::lower(layer, conv::Kind::F)).size(), 12424U);
}

TEST(DesignSpace, EndsAtTheOutputsOfAMapAndTheKernTensors) {
  // 3 outputs, 2 filters: (1,1) (1,2) (2,1) (2,2) (3,1) (3,2), of which two or three PEs have (1,2) (2,1) (3,1).
  Space space;
  EXPECT_EQ(arrays(space, test::pointwise(3, 2, 1)).size(), 6U);
  space.min_pes = 2;
  space.max_pes = 3;
  const std::vector<Array> found = arrays(space, test::pointwise(3, 2, 1));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].x, 1);
  EXPECT_EQ(found[0].y, 2);
  EXPECT_EQ(found[1].x, 2);
  EXPECT_EQ(found[2].x, 3);
  space.max_x = 1;
  EXPECT_EQ(arrays(space, test::pointwise(3, 2, 1)).size(), 1U);
}

TEST(Windows, BeyondOneSetAreThoseOfOneSet) {
  const conv::Convolution beta = test::pointwise(5, 1, 1);
  const Windows windows(beta, 9);
  for (const int x : {1, 3, 5, 6, 9}) {
    EXPECT_EQ(windows.of(x).z, conv::window_geometry(beta, x).z) << x;
    EXPECT_EQ(windows.of(x).z_channel, conv::window_geometry(beta, x).z_channel) << x;
  }
}

}  // namespace
}  // namespace weft::fpgpt::dse

#include "model/nada/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "tests/unit/model/nada/random_problem.h"

namespace weft::nada {
namespace {

using test::entity;
using test::Random;
using test::random_problem;

TEST(Planner, FindsTheShortestPeriodThatBruteForceFinds) {
  Random random(20);
  int plans = 0, refused = 0, boards = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(random);
    const std::optional<Cycles> best = test::shortest(problem);
    if (!best) {
      EXPECT_THROW(plan(problem), Error) << i;
      ++refused;
      continue;
    }
    const Plan found = plan(problem);
    EXPECT_EQ(found.period, *best) << i;
    EXPECT_LE(found.pooled_period, found.period) << i;
    ++plans;
    boards = std::max(boards, static_cast<int>(found.boards.size()));
    // The plan itself respects all bounds.
    std::size_t next = 0;
    for (std::size_t board = 0; board < found.boards.size(); ++board) {
      const Placed& placed = found.boards[board];
      EXPECT_EQ(placed.first, next);
      next = placed.last;
      EXPECT_TRUE(placed.use.within(problem.boards[board].limit)) << i;
      for (std::size_t k = placed.first; k < placed.last; ++k) {
        EXPECT_LE(cycles(problem.entities[k], found.chosen[k].parallelism), found.period) << i;
      }
    }
    EXPECT_EQ(next, problem.entities.size()) << i;
  }
  EXPECT_GT(plans, 100);
  EXPECT_GT(refused, 5);
  EXPECT_EQ(boards, 3);
}

// Two equal entities of 4 x 4 products per pixel, 10 pixels: 160 cycles with one lane, 3 DSPs each. With 12 DSPs one
// board has two lanes for each, 80 cycles; two boards have four lanes each, 40 cycles.
Problem two_entities(std::size_t boards) {
  Problem problem;
  problem.entities = {entity(4, 4, 10), entity(4, 4, 10)};
  problem.tensors = {{0, 1, 40, {}}};
  problem.boards.assign(boards, {"b", {12, 1'000'000, 100, 100}, 1'000'000'000});
  problem.link_bits_per_s.assign(boards - 1, 1'000'000'000);
  problem.clock_hz = 1'000'000;
  return problem;
}

TEST(Planner, GivesBoardsTheirShareOfTheWork) {
  EXPECT_EQ(plan(two_entities(1)).period, 80);
  const Plan two = plan(two_entities(2));
  EXPECT_EQ(two.period, 40);
  EXPECT_EQ(two.boards[0].last, 1U);
  EXPECT_EQ(two.link_words, std::vector<Words>{40});
  EXPECT_EQ(two.binds, std::vector<std::string>{"DSP"});
  EXPECT_EQ(two.pooled_period, 40);
}

// 40 words of 32 bits per image are 32 Mb/s at 1 MHz and 40 cycles.
TEST(Planner, CutsWhereALinkBearsIt) {
  Problem problem = two_entities(2);
  problem.link_bits_per_s = {32'000'000};
  EXPECT_EQ(plan(problem).period, 40);
  problem.link_bits_per_s = {31'999'999};
  const Plan slower = plan(problem);
  EXPECT_EQ(slower.period, 80);  // both on one board, or the link at 16 Mb/s
  // The next shorter period, about 50, is not prevented by DSPs alone: without the link's bound it is possible.
  EXPECT_NE(std::find(slower.binds.begin(), slower.binds.end(), "links"), slower.binds.end());
}

// 12 cycles per image, banks of up to 4 words in MLABs, one copy: 20 weights take 2 lanes (6 DSPs, 2 blocks) or 5 (15
// DSPs, 10 MLABs), 44 weights of two pixels 8 lanes (24 DSPs, 8 blocks) or 11 (33 DSPs, 22 MLABs), 4 weights one (3
// DSPs, 2 MLABs). For the first two, 2 blocks and 22 MLABs take as many DSPs as 8 blocks and 10 MLABs: with 8 blocks
// and 22 MLABs in all only the latter leave room for the third.
TEST(Planner, KeepsWhatTakesMoreBlocksAndFewerMlabs) {
  Problem problem;
  problem.entities = {entity(5, 4, 1), entity(11, 4, 2), entity(1, 4, 1)};
  problem.boards = {{"b", {60, 1'000'000, 8, 22}, 1'000'000}};
  problem.clock_hz = 1;
  problem.costs.copies = 1;
  problem.costs.m20k_words = 16;
  problem.costs.mlab_words = 4;
  EXPECT_TRUE(feasible(problem, 12));
  problem.boards[0].limit.m20k = 7;
  EXPECT_FALSE(feasible(problem, 12));
  problem.boards[0].limit = {60, 1'000'000, 8, 11};
  EXPECT_FALSE(feasible(problem, 12));
}

TEST(Planner, SaysWhichLayerIsTooMuchAndByHowMuch) {
  Problem problem = two_entities(1);
  problem.boards[0].limit.dsp = 5;
  problem.entities[1].name = "second";
  EXPECT_EQ(weft::test::message_of([&] { plan(problem); }),
            "the network fits no plan, at one image in 160 cycles either: with layer 'second' board 1 (b) would "
            "need 6 DSPs, 1 more than the 5 that may be used");
}

TEST(Planner, NamesTheBlocksThatTheLargestLayerLacks) {
  Problem problem = two_entities(1);
  problem.boards[0].limit.m20k = 1;
  problem.boards[0].limit.mlab = 0;
  problem.costs.mlab_words = 0;  // each entity takes two copies of one lane
  EXPECT_EQ(weft::test::message_of([&] { plan(problem); }),
            "the network fits no plan, at one image in 160 cycles either: with layer 'e' board 1 (b) would need 2 "
            "blocks of memory, 1 more than the 1 that may be used");
}

// 16 weights and one pixel of output: F and GI read 16 words each per image, GW reads and writes 16. At 16 cycles per
// image and 160 Hz, ten images per second, that is 640 words of 4 bytes.
TEST(Planner, ReadsWeightsFromDramAtTheRateThatItHas) {
  Problem problem;
  problem.entities = {entity(4, 4, 1)};
  problem.entities[0].weights_in_dram = true;
  problem.boards = {{"b", {3, 1'000'000, 0, 0}, 2560}};  // one lane, no memory
  problem.clock_hz = 160;
  EXPECT_EQ(plan(problem).period, 16);
  problem.boards[0].dram_bytes_per_s = 2559;
  EXPECT_THROW(plan(problem), Error);
}

TEST(Planner, KeepsTheBestSoFarWhenItIsStopped) {
  int asked = 0;
  const Plan stopped = plan(two_entities(2), [&](std::int64_t, std::int64_t, Cycles) { return ++asked < 2; });
  EXPECT_GE(stopped.period, 40);
  EXPECT_LE(stopped.period, 160);
  EXPECT_EQ(stopped.boards.back().last, 2U);
}

// Six boards without limits of DRAM and MLABs have no joint limit: the pool has 24 DSPs, one more lane per entity.
TEST(Planner, PoolsWhatHasNoBound) {
  Problem problem = two_entities(6);
  for (Board& board : problem.boards) {
    board.limit = {4, std::numeric_limits<std::int64_t>::max() / 4, 100, std::numeric_limits<std::int64_t>::max() / 4};
    board.dram_bytes_per_s = std::numeric_limits<std::int64_t>::max() / 4;
  }
  const Plan found = plan(problem);
  EXPECT_EQ(found.period, 160);  // one lane on each of two boards
  EXPECT_EQ(found.pooled_period, 40);
}

}  // namespace
}  // namespace weft::nada

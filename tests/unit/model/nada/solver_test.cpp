#include "model/nada/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "model/core/error.h"
#include "tests/unit/model/nada/random_problem.h"

namespace weft::nada {
namespace {

using test::draw;
using test::entity;
using test::Random;
using test::random_problem;

constexpr std::uint32_t kSteps = 100'000'000;  // more than any test needs

// Returns a random one of the entities' possible periods.
Cycles some_period(const Problem& problem, Random& random) {
  const std::vector<Cycles> periods = test::periods(problem);
  return periods[random() % periods.size()];
}

TEST(Solver, FindsInOrderWhatTheFrontsFind) {
  Random random(7);
  int yes = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(random);
    const Cycles period = some_period(problem, random);
    const Solution solution = solve(problem, period, Placement::Contiguous, kSteps);
    ASSERT_NE(solution.answer, Answer::Unknown) << i;
    EXPECT_EQ(solution.answer == Answer::Yes, feasible(problem, period)) << i;
    EXPECT_TRUE(std::is_sorted(solution.boards.begin(), solution.boards.end())) << i;
    yes += solution.answer == Answer::Yes ? 1 : 0;
  }
  EXPECT_GT(yes, 40);
  EXPECT_LT(yes, 160);
}

// More entities with more choices each on few boards, so that memory blocks must be traded for MLABs.
TEST(Solver, FindsInOrderWhatTheFrontsFindWhereMemoryIsShort) {
  Random random(9);
  int yes = 0;
  for (int i = 0; i < 150; ++i) {
    Problem problem;
    const std::int64_t entities = draw(random, 4, 7);
    for (std::int64_t k = 0; k < entities; ++k) {
      problem.entities.push_back(entity(draw(random, 2, 6), draw(random, 2, 6), draw(random, 1, 4)));
      problem.entities.back().window = draw(random, 0, 1) == 0 ? 1 : 4;
      if (k > 0) problem.tensors.push_back({static_cast<std::size_t>(k) - 1, static_cast<std::size_t>(k), 1, {}});
    }
    const auto boards = static_cast<std::size_t>(draw(random, 1, 2));
    const std::int64_t share = entities / static_cast<std::int64_t>(boards) + 1;
    problem.boards.assign(
        boards, {"b",
                 {draw(random, 20, 60) * share, 1'000'000, draw(random, 2, 10) * share, draw(random, 4, 24) * share},
                 1'000'000});
    problem.link_bits_per_s.assign(boards - 1, 1'000'000);
    problem.clock_hz = 10;
    problem.costs.m20k_words = 16;
    problem.costs.mlab_words = draw(random, 2, 8);
    const Cycles period = some_period(problem, random);
    const Solution solution = solve(problem, period, Placement::Contiguous, kSteps);
    ASSERT_NE(solution.answer, Answer::Unknown) << i;
    EXPECT_EQ(solution.answer == Answer::Yes, feasible(problem, period)) << i;
    yes += solution.answer == Answer::Yes ? 1 : 0;
  }
  EXPECT_GT(yes, 30);
  EXPECT_LT(yes, 120);
}

TEST(Solver, PlansTheShortestPeriodOfAnyPlacementThatBruteForceFinds) {
  Random random(10);
  int shorter = 0;
  for (int i = 0; i < 100; ++i) {
    Problem problem = random_problem(random, 4);
    problem.placement = Placement::Any;
    const std::optional<Cycles> best = test::shortest(problem);
    if (!best) {
      EXPECT_THROW(plan_alone(problem), Error) << i;
      continue;
    }
    const Plan found = plan_alone(problem);
    EXPECT_EQ(found.period, *best) << i;
    EXPECT_EQ(found.proven_period, *best) << i;
    EXPECT_LE(found.pooled_period, *best) << i;
    EXPECT_TRUE(keeps_to(problem, found.period, found.chosen, found.board_of)) << i;
    shorter += found.contiguous_period == 0 || found.period < found.contiguous_period ? 1 : 0;
  }
  EXPECT_GT(shorter, 5);
}

TEST(Solver, FindsWithAnyPlacementWhatBruteForceFinds) {
  Random random(8);
  int yes = 0, out_of_order = 0;
  for (int i = 0; i < 200; ++i) {
    Problem problem = random_problem(random, 4);
    if (problem.entities.size() > 2) problem.tensors.back().between = {1};  // a tensor of the first entity
    const Cycles period = some_period(problem, random);
    const Solution solution = solve(problem, period, Placement::Any, kSteps);
    ASSERT_NE(solution.answer, Answer::Unknown) << i;
    EXPECT_EQ(solution.answer == Answer::Yes, test::brute_force(problem, period, Placement::Any)) << i;
    yes += solution.answer == Answer::Yes ? 1 : 0;
    out_of_order += solution.answer == Answer::Yes && !feasible(problem, period) ? 1 : 0;
  }
  EXPECT_GT(yes, 40);
  EXPECT_LT(yes, 160);
  EXPECT_GT(out_of_order, 2);
}

// Three entities of 16, 32 and 16 products per pixel, 10 pixels, on two boards of 12 DSPs, which are four lanes. In
// order the entity of 32 shares a board: its neighbour takes 160 cycles with 1 lane; with 2 lanes, 2 are left for 320
// products, again 160. With both neighbours on the other board, two lanes each, and four for itself, all take 80.
Problem three_entities() {
  Problem problem;
  problem.entities = {entity(4, 4, 10), entity(4, 8, 10), entity(4, 4, 10)};
  problem.tensors = {{0, 1, 40, {}}, {1, 2, 80, {}}};
  problem.boards.assign(2, {"b", {12, 1'000'000, 100, 100}, 1'000'000'000});
  problem.link_bits_per_s = {1'000'000'000};
  problem.clock_hz = 1'000'000;
  return problem;
}

TEST(Solver, PutsApartWhatFollowsEachOther) {
  Problem problem = three_entities();
  EXPECT_EQ(plan(problem).period, 160);
  problem.placement = Placement::Any;
  const Plan found = plan(problem);
  EXPECT_EQ(found.period, 80);
  EXPECT_EQ(found.contiguous_period, 160);
  EXPECT_EQ(found.proven_period, 80);  // with all 8 lanes on one board, too
  EXPECT_EQ(found.board_of[0], found.board_of[2]);
  EXPECT_NE(found.board_of[0], found.board_of[1]);
  EXPECT_EQ(found.link_words, std::vector<Words>{120});
  EXPECT_EQ(found.boards[found.board_of[0]].entities, 2U);
}

// 120 words of 32 bits in 80 cycles at 1 MHz are 48 Mb/s.
TEST(Solver, LeavesTogetherWhatALinkDoesNotBear) {
  Problem problem = three_entities();
  problem.placement = Placement::Any;
  problem.link_bits_per_s = {48'000'000};
  EXPECT_EQ(plan(problem).period, 80);
  problem.link_bits_per_s = {47'999'999};
  const Plan found = plan(problem);
  EXPECT_GT(found.period, 80);
  EXPECT_EQ(found.proven_period, found.period);
  EXPECT_EQ(found.binds, (std::vector<std::string>{"DSP", "links"}));
}

// With one step Z3 gives up: the result is the best plan in order, and the gap to the pooled boards.
TEST(Solver, SaysWhatItDoesNotKnow) {
  Problem problem = three_entities();
  problem.placement = Placement::Any;
  problem.solver_steps = 1;
  const Plan found = plan(problem);
  EXPECT_EQ(found.period, 160);
  EXPECT_EQ(found.proven_period, 80);
  EXPECT_GT(found.unknown, 0);
}

TEST(Solver, SeesEveryBoundThatAPlanExceeds) {
  const Problem problem = three_entities();
  const Parallelism two{2, 1, 1}, four{4, 1, 1};
  std::vector<Choice> chosen;
  for (const std::size_t i : {0U, 1U, 2U}) {
    const Parallelism p = i == 1 ? four : two;
    chosen.push_back({p, use(problem.entities[i], p, problem.costs)});
  }
  const std::vector<std::size_t> boards{0, 1, 0};
  EXPECT_TRUE(keeps_to(problem, 80, chosen, boards));
  EXPECT_FALSE(keeps_to(problem, 79, chosen, boards));
  EXPECT_FALSE(keeps_to(problem, 80, chosen, {0, 0, 1}));
  EXPECT_FALSE(keeps_to(problem, 80, chosen, {0, 1}));
  Problem slow = problem;
  slow.link_bits_per_s = {47'999'999};
  EXPECT_FALSE(keeps_to(slow, 80, chosen, boards));
  slow = problem;
  slow.entities[1].stored = 10;  // written and read: 20 words of 4 bytes in 80 us are 1 MB/s
  slow.boards[1].dram_bytes_per_s = 1'000'000;
  EXPECT_TRUE(keeps_to(slow, 80, chosen, boards));
  slow.boards[1].dram_bytes_per_s = 999'999;
  EXPECT_FALSE(keeps_to(slow, 80, chosen, boards));
}

}  // namespace
}  // namespace weft::nada

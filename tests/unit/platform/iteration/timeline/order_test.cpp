#include "platform/iteration/timeline/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/platform/iteration/timeline/small_graph.h"

namespace weft::timeline {
namespace {

using workloads::Dependencies;
using workloads::OperatorId;

// Forward and backward of two layers on two kernels, 0 for F and GI and 1 for GW:
//   F1 F2 (GI2, GW2) GW1; GW2 and GW1 depend on the operators before them, GW1 needs GI2.
// In the order of the graph F1 F2 GW2 GI2 GW1 the kernels are 0 0 1 0 1: from the 1 before, 4 loads. GI2 before GW2
// gives 0 0 0 1 1: 2 loads, the number of kernels.
TEST(Order, WhatDoesNotDependOnEachOtherChangesPlacesToSaveLoads) {
  test::SmallGraph g;
  const auto x = g.tensor("x", 1), y1 = g.tensor("y1", 1), y2 = g.tensor("y2", 1), d2 = g.tensor("d2", 1),
             w2 = g.tensor("dw2", 1), w1 = g.tensor("dw1", 1);
  g.convolution("F1", {x}, {y1});
  g.convolution("F2", {y1}, {y2});
  g.convolution("GW2", {y1, y2}, {w2});
  g.convolution("GI2", {y2}, {d2});
  g.convolution("GW1", {x, d2}, {w1});
  const Dependencies dependencies(g.graph());
  const Kernels kernels{0, 0, 1, 0, 1};
  EXPECT_EQ(loads({0, 1, 2, 3, 4}, kernels), 4);
  const std::vector<OperatorId> order = fewest_loads(dependencies, kernels);
  EXPECT_EQ(order, (std::vector<OperatorId>{0, 1, 3, 2, 4}));
  EXPECT_EQ(loads(order, kernels), 2);
  EXPECT_EQ(least_loads(dependencies, kernels), 2);
}

// One kernel is loaded before the first iteration and never again.
TEST(Order, OneKernelIsNeverLoadedAgain) {
  test::SmallGraph g;
  const auto x = g.tensor("x", 1), y = g.tensor("y", 1), z = g.tensor("z", 1);
  g.convolution("a", {x}, {y});
  g.host("b", {y}, {z});
  const Dependencies dependencies(g.graph());
  EXPECT_EQ(loads({0, 1}, {7, std::nullopt}), 0);
  EXPECT_EQ(least_loads(dependencies, {7, std::nullopt}), 0);
}

// A chain of kernels 0 1 0 1 has three changes in every order, and a fourth between iterations.
TEST(Order, ChangesOnAChainAreALowerBound) {
  test::SmallGraph g;
  std::vector<workloads::TensorId> t{g.tensor("t", 1)};
  for (int i = 0; i < 4; ++i) {
    t.push_back(g.tensor("t", 1));
    g.convolution("c", {t[t.size() - 2]}, {t.back()});
  }
  const Dependencies dependencies(g.graph());
  EXPECT_EQ(least_loads(dependencies, {0, 1, 0, 1}), 3);
  EXPECT_EQ(loads(fewest_loads(dependencies, {0, 1, 0, 1}), {0, 1, 0, 1}), 4);
}

// Compares with all orders of random graphs of up to seven operators.
TEST(Order, LiesBetweenTheBoundAndTheGivenOrderAndIsAllowed) {
  std::mt19937 random(5);
  int best_found = 0;
  for (int round = 0; round < 300; ++round) {
    test::SmallGraph g;
    const std::size_t n = 2 + random() % 6;
    std::vector<workloads::TensorId> made;
    Kernels kernels;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<workloads::TensorId> in;
      for (const workloads::TensorId t : made) {
        if (random() % 3 == 0) in.push_back(t);
      }
      made.push_back(g.tensor("t", 1));
      g.convolution("c", in, {made.back()});
      kernels.push_back(random() % 4 == 0 ? std::optional<std::size_t>() : random() % 3);
    }
    const Dependencies dependencies(g.graph());
    std::vector<OperatorId> given(n);
    for (std::size_t i = 0; i < n; ++i) given[i] = i;
    std::int64_t optimum = loads(given, kernels);
    std::vector<OperatorId> each = given;
    do {
      if (dependencies.allows(each)) optimum = std::min(optimum, loads(each, kernels));
    } while (std::next_permutation(each.begin(), each.end()));
    const std::vector<OperatorId> order = fewest_loads(dependencies, kernels);
    ASSERT_TRUE(dependencies.allows(order));
    ASSERT_LE(loads(order, kernels), loads(given, kernels));
    ASSERT_GE(loads(order, kernels), optimum);
    ASSERT_LE(least_loads(dependencies, kernels), optimum);
    best_found += loads(order, kernels) == optimum ? 1 : 0;
  }
  EXPECT_GE(best_found, 270);  // the search is greedy
}

}  // namespace
}  // namespace weft::timeline

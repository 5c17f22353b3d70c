#include "platform/studies/sweep/store/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weft::sweep {
namespace {

// Pareto front by its definition: no other row is as good in every column and better in one.
std::vector<bool> by_definition(const std::vector<std::vector<double>>& rows) {
  std::vector<bool> front(rows.size(), true);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const double value : rows[i]) front[i] = front[i] && !std::isnan(value);
    for (const auto& other : rows) {
      bool as_good = true, better = false;
      for (std::size_t k = 0; k < other.size(); ++k) {
        as_good = as_good && other[k] <= rows[i][k];
        better = better || other[k] < rows[i][k];
      }
      if (as_good && better) front[i] = false;
    }
  }
  return front;
}

TEST(ParetoFront, IsWhatNoOtherRowBeats) {
  const double nan = std::nan("");
  EXPECT_EQ(pareto_front({{1, 5}, {2, 4}, {2, 5}, {3, 1}, {1, 5}, {nan, 0}, {0, 9}}),
            (std::vector<bool>{true, true, false, true, true, false, true}));
  EXPECT_EQ(pareto_front({{3}, {1}, {2}}), (std::vector<bool>{false, true, false}));
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(ParetoFront, OfRandomRowsEqualsTheDefinition) {
  std::mt19937 random(20251);
  for (int round = 0; round < 300; ++round) {
    const std::size_t columns = 1 + random() % 4, count = random() % 60;
    std::vector<std::vector<double>> rows(count);
    for (auto& row : rows) {
      for (std::size_t k = 0; k < columns; ++k) {
        row.push_back(random() % 25 == 0 ? std::nan("") : static_cast<double>(random() % 8));
      }
    }
    EXPECT_EQ(pareto_front(rows), by_definition(rows)) << "round " << round;
  }
}

}  // namespace
}  // namespace weft::sweep

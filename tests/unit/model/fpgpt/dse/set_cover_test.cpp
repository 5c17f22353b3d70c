#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "model/core/error.h"
#include "model/fpgpt/dse/sharing.h"

namespace weft::fpgpt::dse {
namespace {

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
    // In every second round a column that covers all, and wherever the others do not.
    if (round % 2 != 0 || brute_force(rows, columns) > columns.size()) columns.push_back(all);
    const SetCover cover = minimum_set_cover(rows, columns);
    EXPECT_EQ(cover.columns.size(), brute_force(rows, columns)) << "round " << round;
    EXPECT_TRUE(cover.proved()) << "round " << round;
    expect_cover(rows, columns, cover);
  }
}

// Every row in three columns, every column three rows, and no reduction applies: the solver has to work. The seven
// lines of the Fano plane cover its points with three lines and no fewer: two meet in a point and miss two others.
TEST(SetCover, OfTheFanoPlaneIsThree) {
  const Columns fano{{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}};
  const SetCover cover = minimum_set_cover(7, fano);
  EXPECT_EQ(cover.columns.size(), 3U);
  EXPECT_TRUE(cover.proved());
  expect_cover(7, fano, cover);
}

// Rows are the pairs (i, j) of 6 numbers, columns the numbers: a vertex cover of the complete graph, which needs 5. The
// largest set of rows that share no column has 3, so that the bound alone proves nothing.
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

// With next to no effort the answer is a cover all the same, and what is said to be proved is true.
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

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "model/conv/loop_nest.h"

namespace weft::conv {
namespace {

TEST(StoredPairs, AreThoseThatTheAxisSays) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const Axis axis{pick(1, 20), pick(1, 9), pick(1, 20), pick(1, 6), pick(-5, 12), pick(1, 6), pick(1, 6)};
    std::int64_t pairs = 0;
    for (int outputs = 0; outputs <= axis.out; ++outputs) {
      ASSERT_EQ(stored_pairs(axis, outputs), pairs)
          << fmt::format("inp {} kern {} outputs {} stride {} pad {} dilations {} {}", axis.inp, axis.kern, outputs,
                         axis.stride, axis.pad_begin, axis.inp_dilation, axis.kern_dilation);
      for (int k = 0; k < axis.kern; ++k) pairs += axis.sample(outputs, k * axis.kern_dilation) >= 0 ? 1 : 0;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20000);
}

// Outputs and samples of KERN by the million: one by one, their pairs would take an hour.
TEST(StoredPairs, OfAHugeAxisAreThereAtOnce) {
  constexpr std::int64_t kSide = 1 << 22;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(stored_pairs({2 * kSide - 1, kSide, kSide, 1, 0, 1, 1}, kSide), kSide * kSide);
  EXPECT_EQ(stored_pairs({kSide, kSide, kSide, 1, 0, 1, 1}, kSide), kSide * (kSide + 1) / 2);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5);
}

}  // namespace
}  // namespace weft::conv

#include "model/core/divisor.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace weft {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Around every multiple of the divisor that decides whether the reciprocal is still exact.
TEST(Divisor, GivesTheQuotientThatTheProcessorGives) {
  std::mt19937_64 random(1);
  const auto below = [&random](int bits) { return static_cast<std::int64_t>(random() >> (64 - bits)); };
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t by = i < 5000 ? i + 1 : below(1 + i % 63) + (i % 2);
    if (by == 0) continue;
    const Divisor divisor(by);
    EXPECT_EQ(divisor.by(), by);
    for (int j = 0; j < 100; ++j) {
      const std::int64_t quotient = below(1 + j % 63);
      if (quotient > kMost / by - 1) continue;
      for (std::int64_t value = quotient * by - 1; value <= quotient * by + 1; ++value) {
        ASSERT_EQ(divisor.quotient(value), value / by) << value << " / " << by;
        ASSERT_EQ(divisor.remainder(value), value % by) << value << " % " << by;
      }
    }
    for (const std::int64_t value : {kMost, kMost - 1, kMost - by, -kMost, std::int64_t{-1}, std::int64_t{0}}) {
      ASSERT_EQ(divisor.quotient(value), value / by) << value << " / " << by;
    }
  }
}

}  // namespace
}  // namespace weft

#include "model/core/divider.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace weft {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void expect_quotient(const Divider& divider, std::int64_t value) {
  EXPECT_EQ(divider.divide(value), value / divider.by()) << value << " / " << divider.by();
}

// On both sides of every multiple that is near 0, near where the product is no longer exact (2^63 / by), and at the
// end.
TEST(Divider, DividesOnBothSidesOfEveryMultiple) {
  for (std::int64_t by : {1, 2, 3, 5, 7, 12, 16, 24, 85, 641, 4096, 6700417, 1 << 26}) {
    const Divider divider(by);
    const std::int64_t far = kMost / by / by * by;
    for (std::int64_t multiple : {std::int64_t{0}, far, kMost / by * by}) {
      for (std::int64_t i = -20; i <= 20; ++i) {
        for (std::int64_t beside : {-1, 0, 1}) {
          const std::int64_t step = i * by + beside;
          if (multiple + std::min<std::int64_t>(step, 0) < 0 || step > kMost - multiple) continue;
          expect_quotient(divider, multiple + step);
        }
      }
    }
  }
}

TEST(Divider, DividesAnyValuesByAny) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto some = [&random] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
    expect_quotient(Divider(some() + 1), some());
  }
}

TEST(Divider, DividesWhatIsNegativeAsTheLanguageDoes) {
  const Divider divider(5);
  for (std::int64_t value = -20; value < 0; ++value) expect_quotient(divider, value);
  expect_quotient(divider, -kMost - 1);
}

}  // namespace
}  // namespace weft

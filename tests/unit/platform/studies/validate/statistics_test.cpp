#include "platform/studies/validate/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace weft::validate {
namespace {

// 0.02, 0.04, 0.06, 0.12: mean 0.06; deviations -0.04, -0.02, 0, 0.06; squares 0.0016 + 0.0004 + 0.0036 = 0.0056;
// over 3.
TEST(Statistics, OfFourErrorsAreThoseWorkedByHand) {
  const Statistics s = statistics({0.02, 0.12, 0.04, 0.06});
  EXPECT_EQ(s.count, 4);
  EXPECT_NEAR(s.mean, 0.06, 1e-15);
  EXPECT_NEAR(s.sd, std::sqrt(0.0056 / 3), 1e-15);
  EXPECT_EQ(s.max, 0.12);
  EXPECT_EQ(s.min, 0.02);
}

TEST(Statistics, OfNegativeErrorsKeepTheirSign) {
  const Statistics s = statistics({-0.5, -0.1});
  EXPECT_NEAR(s.mean, -0.3, 1e-15);
  EXPECT_EQ(s.max, -0.1);
  EXPECT_EQ(s.min, -0.5);
}

TEST(Statistics, OfOneErrorHaveNoDeviationAndOfNoneAreZero) {
  EXPECT_EQ(statistics({-0.25}).sd, 0);
  EXPECT_EQ(statistics({-0.25}).mean, -0.25);
  EXPECT_EQ(statistics({}).count, 0);
  EXPECT_EQ(statistics({}).mean, 0);
}

// -1.5 % to 3 %: 4.5 points. Bins of 0.2 would be at least 23; of 0.5 from -1.5 to 3 they are 10.
TEST(Histogram, TakesTheNarrowestBinsThatAreFewEnough) {
  const Histogram h = histogram({{{-0.015, 0.03}, {0.0001}, {}}});
  EXPECT_NEAR(h.width_percent, 0.5, 1e-12);
  EXPECT_EQ(h.first, -3);
  ASSERT_EQ(h.bins.size(), 10U);
  EXPECT_EQ(h.bins[0], (std::array<std::int64_t, kKinds>{1, 0, 0}));
  EXPECT_EQ(h.bins[3], (std::array<std::int64_t, kKinds>{0, 1, 0}));
  EXPECT_EQ(h.bins[9], (std::array<std::int64_t, kKinds>{1, 0, 0}));
}

TEST(Histogram, OfEqualErrorsHasOneBinAndOfNoneHasNone) {
  const Histogram h = histogram({{{0.07, 0.07}, {}, {0.07}}});
  ASSERT_EQ(h.bins.size(), 1U);
  EXPECT_EQ(h.bins[0], (std::array<std::int64_t, kKinds>{2, 0, 1}));
  EXPECT_TRUE(histogram({}).bins.empty());
}

TEST(Histogram, CountsEveryRandomErrorInABinThatHoldsIt) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const double scale = std::pow(10.0, std::uniform_real_distribution<double>(-5, 1)(random));
    std::array<std::vector<double>, kKinds> errors;
    std::uniform_real_distribution<double> error(-scale, scale);
    for (auto& kind : errors) {
      for (int i = 0; i < 20; ++i) kind.push_back(error(random));
    }
    const Histogram h = histogram(errors);
    ASSERT_LE(h.bins.size(), kMostBins) << "round " << round;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (std::size_t bin = 0; bin < h.bins.size(); ++bin) {
        const double low = h.width_percent / 100 * static_cast<double>(h.first + static_cast<std::int64_t>(bin));
        std::int64_t within = 0;
        for (const double e : errors[kind]) within += e >= low && e < low + h.width_percent / 100;
        EXPECT_EQ(h.bins[bin][kind], within) << "round " << round << ", bin " << bin;
      }
    }
  }
}

}  // namespace
}  // namespace weft::validate

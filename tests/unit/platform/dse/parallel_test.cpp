#include "platform/dse/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::dse {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const int workers : {1, 2, 7}) {
    for (const std::size_t count : {0, 1, 100}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, workers, [&](std::size_t i) { ++calls[i]; });
      for (const auto& each : calls) EXPECT_EQ(each, 1);
    }
  }
}

TEST(ParallelFor, ThrowsTheErrorOfTheSmallestIndex) {
  for (int round = 0; round < 50; ++round) {
    try {
      parallel_for(40, 3, [](std::size_t i) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

}  // namespace
}  // namespace weft::dse

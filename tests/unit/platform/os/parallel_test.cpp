#include <atomic>
#include <stdexcept>

#include "platform/os/worker_pool.h"
#include "tests/support/texts.h"

namespace weft::os {
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
    EXPECT_EQ(test::message_of<std::runtime_error>([] {
                parallel_for(40, 3, [](std::size_t i) {
                  if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
                });
              }),
              "7");
  }
}

TEST(ParallelFor, BeginsNothingAfterAnError) {
  int begun = 0;
  const auto work = [&](std::size_t i) {
    ++begun;
    if (i == 3) throw std::runtime_error("3");
  };
  EXPECT_THROW(parallel_for(1000, 1, work), std::runtime_error);
  EXPECT_EQ(begun, 4);
}

}  // namespace
}  // namespace weft::os

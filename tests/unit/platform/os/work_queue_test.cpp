#include "platform/os/work_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace weft::os {
namespace {

std::vector<std::size_t> all_of(WorkQueue& shares, int worker, const std::vector<std::int64_t>& weights) {
  std::vector<std::size_t> taken;
  while (const std::optional<std::size_t> job = shares.take(worker, weights)) taken.push_back(*job);
  return taken;
}

TEST(WorkQueue, OneWorkerTakesJobsAsTheyStand) {
  const std::vector<std::int64_t> weights{3, 1, 4, 1, 5};
  WorkQueue shares;
  shares.deal(weights, 1);
  EXPECT_EQ(all_of(shares, 0, weights), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(WorkQueue, AreOfAboutTheSameWeight) {
  const std::vector<std::int64_t> weights{6, 1, 1, 1, 1, 1, 1, 2, 4};  // thirds: up to 6, 12, 18
  WorkQueue shares;
  shares.deal(weights, 3);
  EXPECT_EQ(shares.take(0, weights), 0);
  EXPECT_EQ(shares.take(1, weights), 1);
  EXPECT_EQ(shares.take(2, weights), 7);
}

// Eight jobs of weight 1: worker 0 has 0 to 3. After them it steals the back half of 4 to 7, from the front, then half
// of the rest of 4 and 5, and so on.
TEST(WorkQueue, WhoHasNoneLeftGoesOnWithTheBackHalfOfAnothers) {
  const std::vector<std::int64_t> weights(8, 1);
  WorkQueue shares;
  shares.deal(weights, 2);
  EXPECT_EQ(all_of(shares, 0, weights), (std::vector<std::size_t>{0, 1, 2, 3, 6, 7, 5, 4}));
  EXPECT_EQ(shares.take(1, weights), std::nullopt);
}

// A worker steals half by weight, at least one job, from the worker with the most left.
TEST(WorkQueue, AreHalvedByWeight) {
  const std::vector<std::int64_t> weights{1, 1, 9, 30, 1, 1, 1, 1, 35};  // 40 and 40
  WorkQueue shares;
  shares.deal(weights, 3);  // thirds: up to 26.7, 53.3, 80
  EXPECT_EQ(shares.take(0, weights), 0);
  EXPECT_EQ(shares.take(0, weights), 1);
  EXPECT_EQ(shares.take(0, weights), 2);
  EXPECT_EQ(shares.take(1, weights), 3);  // worker 1 still has 4 to 7, worker 2 has 8
  EXPECT_EQ(shares.take(0, weights), 8);  // 35 are more than 4
  EXPECT_EQ(shares.take(2, weights), 6);  // 6 and 7 from 4 to 7
  EXPECT_EQ(shares.take(1, weights), 4);
}

TEST(WorkQueue, EachJobIsTakenOnceWhateverTheWorkers) {
  std::mt19937 random(5);
  for (const int workers : {1, 2, 3, 8, kMaxWorkers}) {
    for (const std::size_t jobs : {0, 1, 2, 7, 5000}) {
      std::vector<std::int64_t> weights(jobs);
      for (std::int64_t& weight : weights) weight = random() % 4 == 0 ? 0 : random() % 1000;
      WorkQueue shares;
      shares.deal(weights, workers);
      std::vector<std::atomic<int>> taken(jobs);
      std::vector<std::thread> threads;
      threads.reserve(static_cast<std::size_t>(workers));
      for (int worker = 0; worker < workers; ++worker) {
        threads.emplace_back([&, worker] {
          for (const std::size_t job : all_of(shares, worker, weights)) ++taken[job];
        });
      }
      for (std::thread& thread : threads) thread.join();
      for (std::size_t job = 0; job < jobs; ++job) {
        ASSERT_EQ(taken[job], 1) << "job " << job << " of " << jobs << ", " << workers << " workers";
      }
    }
  }
}

}  // namespace
}  // namespace weft::os

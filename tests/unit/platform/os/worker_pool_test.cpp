#include "platform/os/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "model/core/error.h"

namespace weft::os {
namespace {

constexpr std::size_t kJobs = 8;

// Returns the error that the pool throws if its jobs run `work`.
std::string error_of(WorkerPool& pool, Deal deal, const std::vector<std::int64_t>& weights,
                     const std::function<void(std::size_t)>& work) {
  try {
    pool.run(deal, weights, [&](std::size_t job, void*, const std::function<void(Cycles)>&) { work(job); }, {});
  } catch (const Deadlock& error) {
    return std::string("deadlock: ") + error.what();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Jobs 2 and 6 fail, 6 first: it is begun first, by its weight or by its share, and 2 fails late. A run with errors in
// two layers always reports the same one.
TEST(WorkerPool, TellsTheFailureOfTheSmallestJobWhicheverCameFirst) {
  const std::vector<std::int64_t> weights{1, 2, 3, 4, 5, 6, 7, 8};
  for (const Deal deal : {Deal::LongestFirst, Deal::Locality}) {
    for (const int workers : {1, 2, 3, 8}) {
      WorkerPool pool(kJobs, 8, workers);
      const std::string error = error_of(pool, deal, weights, [](std::size_t job) {
        if (job == 6) throw Error("job 6 has failed");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (job == 2) throw Deadlock("job 2 is stuck");
      });
      EXPECT_EQ(error, "deadlock: job 2 is stuck") << workers << " workers";
      for (const std::size_t job : {0, 1})
        EXPECT_TRUE(pool.done(job)) << "job " << job << ", " << workers << " workers";
    }
  }
}

TEST(WorkerPool, BeginsNoJobBehindOneThatFailed) {
  WorkerPool pool(kJobs, 8, 1);
  const std::vector<std::int64_t> weights{8, 7, 6, 5, 4, 3, 2, 1};
  const std::string error = error_of(pool, Deal::LongestFirst, weights, [](std::size_t job) {
    if (job == 3) throw Error("job 3 has failed");
  });
  EXPECT_EQ(error, "job 3 has failed");
  for (std::size_t job = 0; job < kJobs; ++job) EXPECT_EQ(pool.done(job), job < 3) << "job " << job;
}

}  // namespace
}  // namespace weft::os

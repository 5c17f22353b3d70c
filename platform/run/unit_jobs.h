#pragma once

#include <csignal>
#include <memory>
#include <vector>

#include "platform/design/design.h"
#include "platform/os/worker_pool.h"
#include "platform/run/progress.h"

namespace weft::run {

// Units of work, of one run or of several of one design, simulated on worker processes.
class UnitJobs {
 public:
  UnitJobs(const Topology& topology, int workers) : topology_(topology), workers_(workers) {}

  // A unit of `work`, which like `row`, its row, must outlive run(). `weight`: cycles that it is expected to take;
  // `seed`: of the run. The result is its number.
  std::size_t add(const design::Work& work, std::size_t unit, std::int64_t weight, std::uint64_t seed,
                  const design::Row& row);
  std::size_t size() const { return jobs_.size(); }

  // Longest first, or where units learn from each other, those of a row and of rows that follow each other on the same
  // worker. An Error or Deadlock of a unit is thrown here, that of the first if there are several; it names the
  // layer.
  // Returns early once `interrupt`, if any, is not 0; done() says which units have results then.
  void run(const Progress& progress, const volatile std::sig_atomic_t* interrupt = nullptr);

  // In their order and in this process, cycle by cycle beside `watcher`. Throws and returns early as run() does.
  void watch(waves::Watcher& watcher, const Progress& progress, const volatile std::sig_atomic_t* interrupt = nullptr);

  bool done(std::size_t job) const { return pool_ ? pool_->done(job) : job < watched_.size(); }
  std::vector<std::int64_t> words(std::size_t job) const;  // its result, as unit_words.h has it
  design::UnitResult result(std::size_t job) const;
  // What it took of a processor, in microseconds.
  std::int64_t cost_us(std::size_t job) const;

 private:
  struct Job {
    const design::Work* work = nullptr;
    std::size_t unit = 0;
    std::uint64_t seed = 0;
    const design::Row* row = nullptr;
  };
  void simulate(const Job& job, std::int64_t* words, const std::function<void(Cycles)>& report,
                waves::Watcher* watcher) const;
  const std::int64_t* result_of(std::size_t job) const;

  const Topology& topology_;
  int workers_;
  std::vector<Job> jobs_;
  std::vector<std::int64_t> weights_;
  std::int64_t expected_ = 0;  // the sum of the weights
  std::unique_ptr<os::WorkerPool> pool_;
  std::vector<std::vector<std::int64_t>> watched_;  // results of watch()
};

}  // namespace weft::run

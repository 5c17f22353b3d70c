#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/core/units.h"

namespace weft::os {

// Calls work(0) .. work(count - 1) on `workers` threads; the caller's thread calls watch(done) from time to time. After
// an exception no call begins; the exception of the smallest index is rethrown here. Each call may write only data of
// its own.
void parallel_for(std::size_t count, int workers, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& watch = {});

// Default number of workers: one per processor.
int processors();

// Order in which workers take jobs.
enum class Deal {
  LongestFirst,  // by falling weight, equal ones in order: keeps all workers busy to the end
  Locality,      // neighbouring jobs go to the same worker, which learns from the previous one (work_queue.h)
};

// Runs jobs in processes of their own, because SystemC has one simulation per process. Results are written to shared
// memory, job by job, so they do not depend on the process that ran a job.
class WorkerPool {
 public:
  // `result_bytes`: size of a job's plain (trivially copyable) result.
  WorkerPool(std::size_t jobs, std::size_t result_bytes, int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs in a worker: does job `job`, writes its result, and may report its progress.
  using Work = std::function<void(std::size_t job, void* result, const std::function<void(Cycles)>& report)>;
  // Runs in this process, a few times a second: work done so far, in the unit of `weights`.
  using Watch = std::function<void(std::int64_t done)>;

  // Does all jobs. `weights`: expected duration of each, which is added to `done` at its end. Throws the Error,
  // MachineError or Deadlock of the failed job with the smallest number: jobs after it are not begun, jobs before it
  // are still done. A dead worker causes a MachineError that names its job. Returns early, after ending its workers,
  // when `interrupt`, if given, is not 0; done() then tells which jobs have results.
  void run(Deal deal, const std::vector<std::int64_t>& weights, const Work& work, const Watch& watch,
           const volatile std::sig_atomic_t* interrupt = nullptr);

  bool done(std::size_t job) const;
  const void* result(std::size_t job) const;

 private:
  struct Shared;
  // Returns the next job of a worker, if any is left.
  using Next = std::function<std::optional<std::size_t>(int worker)>;
  [[noreturn]] void serve(int worker, const Next& next, const Work& work);
  void rethrow() const;
  std::int64_t work_done(const std::vector<std::int64_t>& weights) const;

  std::size_t jobs_, result_bytes_;
  int workers_;
  std::size_t bytes_ = 0;
  Shared* shared_ = nullptr;
};

}  // namespace weft::os

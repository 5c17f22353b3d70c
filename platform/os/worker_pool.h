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
// an exception nothing more is begun, and that of the smallest index that threw is thrown here. What each call writes
// must be its own.
void parallel_for(std::size_t count, int workers, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& watch = {});

// As many workers as serve a job best unless somebody says how many: one a processor.
int processors();

// What counts where workers choose their next jobs.
enum class Deal {
  LongestFirst,  // that all are busy to the end: by falling weight, equal ones as they stand
  Neighbours,    // that jobs which stand together meet the same worker, and learn from each other (shares.h)
};

// Jobs on processes of their own: SystemC keeps one simulation a process. Results land in memory that all processes
// share, job by job, so they do not depend on which process ran which job.
class WorkerPool {
 public:
  // `result_bytes`: size of the plain (trivially copyable) result of a job.
  WorkerPool(std::size_t jobs, std::size_t result_bytes, int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs in a worker: does job `job`, writes its result, and may report how far it is.
  using Work = std::function<void(std::size_t job, void* result, const std::function<void(Cycles)>& report)>;
  // Runs in this process, a few times a second: work done so far, in the unit of `weights`.
  using Watch = std::function<void(std::int64_t done)>;

  // Does all jobs. `weights`: how long each is expected to take, and what it adds to `done` when it ends. Throws the
  // Error, MachineError or Deadlock of the failed job with the smallest number: jobs after it are not begun, jobs
  // before it are still done. A worker that dies is a MachineError that names its job. Returns early, its workers
  // ended, once `interrupt`, if any, is not 0: then done() says which jobs have results.
  void run(Deal deal, const std::vector<std::int64_t>& weights, const Work& work, const Watch& watch,
           const volatile std::sig_atomic_t* interrupt = nullptr);

  bool done(std::size_t job) const;
  const void* result(std::size_t job) const;

 private:
  struct Shared;
  // The next job of a worker, if any is left.
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

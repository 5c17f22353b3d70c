#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/store/store.h"
#include "platform/studies/sweep/workers/worker_group.h"

namespace weft::sweep {

inline constexpr int kAttempts = 3;  // a point fails after this many dead workers

struct RunStatus {
  std::int64_t done = 0;    // since this start
  std::int64_t failed = 0;  // included in `done`
  double busy_seconds = 0;  // summed over the workers
};

struct RunCallbacks {
  std::function<void(const RunStatus&)> progress;  // called often
  std::function<void(const std::string&)> notice;  // called when a worker dies
  // Returns further points once all given ones are recorded; called until it returns none.
  std::function<std::vector<std::int64_t>()> more;
  const volatile std::sig_atomic_t* interrupt = nullptr;  // if not 0: stop after recording the finished points
};

// Runs `points` (or tasks, as numbered by Definition) on the workers, roughly in order, and records each when it
// ends. A point whose worker dies is run again, up to kAttempts times in all. Throws Error if results cannot be
// recorded or no worker is left.
RunStatus run_points(const Definition& definition, Store& store, WorkerGroup& worker_group,
                     const std::vector<std::int64_t>& points, const RunCallbacks& callbacks);

}  // namespace weft::sweep

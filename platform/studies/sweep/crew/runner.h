#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "platform/studies/sweep/crew/crew.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {

inline constexpr int kAttempts = 3;  // after so many dead workers a point has failed

struct RunStatus {
  std::int64_t done = 0;    // of this start
  std::int64_t failed = 0;  // of these
  double busy_seconds = 0;  // that workers were at work, all together
};

struct RunCallbacks {
  std::function<void(const RunStatus&)> progress;  // often
  std::function<void(const std::string&)> notice;  // a worker died
  // What else there is to run, once all that was given is recorded; asked until there is no more.
  std::function<std::vector<std::int64_t>()> more;
  const volatile std::sig_atomic_t* interrupt = nullptr;  // not 0: stop after what is recorded
};

// Runs `points` (or tasks, as Definition numbers them) on the crew, in their order as far as workers allow, and records
// each as it ends. A point whose worker dies is run again, kAttempts times in all. Throws Error when nothing can be
// recorded any more or nobody is left.
RunStatus run_points(const Definition& definition, Store& store, Crew& crew, const std::vector<std::int64_t>& points,
                     const RunCallbacks& callbacks);

}  // namespace weft::sweep

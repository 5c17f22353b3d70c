#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "platform/studies/sweep/crew/runner.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {

struct SlurmOptions {
  int tasks = 1;                     // of the job array, at most
  std::string sbatch;                // further options of sbatch, as one line
  std::vector<std::string> command;  // that starts a task, but for --out and --points
  std::chrono::milliseconds poll{2000};
};

// Runs `points` as a Slurm job array. Each task runs its share into a database of its own in PATH.jobs; they are merged
// as tasks end. Points of a task that ends without them are submitted again. A job that an earlier start submitted is
// found again and waited for. Throws Error if Slurm refuses, or if three arrays in a row bring nothing.
RunStatus run_slurm(Store& store, const Identity& identity, const std::vector<std::int64_t>& points,
                    const SlurmOptions& options, const RunCallbacks& callbacks);

// "0-3,7,9-10": points as --points takes them. Throws Error.
std::string points_text(const std::vector<std::int64_t>& points);
std::vector<std::int64_t> parse_points(const std::string& text, std::int64_t count);

}  // namespace weft::sweep

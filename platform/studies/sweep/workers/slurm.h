#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "platform/studies/sweep/store/store.h"
#include "platform/studies/sweep/workers/runner.h"

namespace weft::sweep {

struct SlurmOptions {
  int tasks = 1;                     // maximum size of the job array
  std::string sbatch;                // further sbatch options, one line
  std::vector<std::string> command;  // starts a task; --out and --points are appended
  std::chrono::milliseconds poll{2000};
};

// Runs `points` as a Slurm job array. Each task writes a database of its own in PATH.jobs, which is merged when the
// task ends. Unfinished points of an ended task are submitted again. A job that an earlier start submitted is resumed.
// Throws Error if Slurm refuses, or if three arrays in a row bring no result.
RunStatus run_slurm(Store& store, const Identity& identity, const std::vector<std::int64_t>& points,
                    const SlurmOptions& options, const RunCallbacks& callbacks);

// "0-3,7,9-10": points in the syntax of --points. Throws Error.
std::string points_text(const std::vector<std::int64_t>& points);
std::vector<std::int64_t> parse_points(const std::string& text, std::int64_t count);

}  // namespace weft::sweep

#include "platform/studies/sweep/workers/slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <system_error>
#include <thread>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"
#include "platform/studies/sweep/definition/definition.h"

namespace weft::sweep {

namespace fs = std::filesystem;
using os::shell_word;

namespace {

constexpr int kFruitless = 3;                // consecutive job arrays without a new result
constexpr int kSilentPolls = 30;             // failed polls of squeue after which Slurm counts as gone
constexpr const char* kMark = ".weft-jobs";  // marker file in the jobs folder
constexpr const char* kJobNote = "slurm_job";

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// Job arrays of one sweep.
class Array {
 public:
  Array(Store& store, const Identity& identity, const std::vector<std::int64_t>& points, const SlurmOptions& options,
        const RunCallbacks& callbacks)
      : store_(store), identity_(identity), points_(points), options_(options), callbacks_(callbacks) {
    folder_ = fs::absolute(store.path().string() + ".jobs");
    recorded_before_ = static_cast<std::int64_t>(store.recorded().size());
    failed_before_ = store.failed();
  }

  RunStatus run() {
    make_folder();
    std::string job = store_.note(kJobNote);
    if (job.empty()) job = orphan();
    int fruitless = 0;
    for (;;) {
      if (!job.empty() && !wait_for(job)) return status_;  // interrupted
      collect(true);
      store_.set_note(kJobNote, "");
      const std::vector<std::int64_t> left = missing();
      if (left.empty()) break;
      if (!job.empty()) {
        fruitless = left.size() < submitted_ ? 0 : fruitless + 1;
        if (fruitless == kFruitless) give_up(left.size());
        notice(fmt::format("job {} ended without {} of its points; they are submitted again", job, left.size()));
      }
      job = submit(left);
    }
    std::error_code code;
    fs::remove_all(folder_, code);
    return status_;
  }

 private:
  // Creates the jobs folder, which is removed with its content at the end. An existing folder must be empty or contain
  // the mark of an earlier start.
  void make_folder() const {
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code) os::fail(fmt::format("cannot create '{}'", folder_.string()), code.value());
    if (!fs::is_empty(folder_, code) && !fs::exists(folder_ / kMark, code)) {
      throw Error(
          fmt::format("the jobs of the sweep write to '{}', but it holds other files: move it away", folder_.string()));
    }
    if (!(std::ofstream(folder_ / kMark) << "made by weft sweep --slurm, and removed at its end\n" << std::flush)) {
      throw Error(fmt::format("cannot write '{}'", (folder_ / kMark).string()));
    }
  }
  void notice(const std::string& text) const {
    if (callbacks_.notice) callbacks_.notice(text);
  }
  bool interrupted() const { return callbacks_.interrupt && *callbacks_.interrupt != 0; }

  std::vector<std::int64_t> missing() const {
    std::vector<std::int64_t> left;
    std::copy_if(points_.begin(), points_.end(), std::back_inserter(left),
                 [&](std::int64_t point) { return store_.recorded().count(point) == 0; });
    return left;
  }

  [[noreturn]] void give_up(std::size_t left) const {
    throw Error(
        fmt::format("{} job arrays in a row finished none of the {} points that are left; their logs are in '{}'. "
                    "Recorded points are safe: start the same command again to go on",
                    kFruitless, left, folder_.string()));
  }

  // Name of the jobs of this sweep and database; finds a job that a killed start submitted without recording it.
  std::string job_name() const {
    Digest digest;
    digest.add(folder_.string());
    digest.add(identity_.digest);
    return "weft-" + digest.text();
  }
  std::string orphan() const {
    const os::Output result = os::output_of({{"squeue", "--noheader", "--format=%F", "--name=" + job_name()}});
    return result.exit_code == 0 ? result.text.substr(0, result.text.find('\n')) : "";
  }

  // Each task gets every n-th point, which spreads neighbouring points of similar cost.
  std::string submit(const std::vector<std::int64_t>& points) {
    const auto tasks = std::min<std::size_t>(static_cast<std::size_t>(options_.tasks), points.size());
    std::vector<std::vector<std::int64_t>> shares(tasks);
    for (std::size_t i = 0; i < points.size(); ++i) shares[i % tasks].push_back(points[i]);
    submitted_ = points.size();
    std::string script = "#!/bin/bash\n#SBATCH --job-name=" + job_name() + "\n";
    if (!options_.sbatch.empty()) script += "#SBATCH " + options_.sbatch + "\n";
    script += fmt::format("cd {}\npoints=(\n", shell_word(fs::current_path().string()));
    for (const auto& share : shares) script += "  " + points_text(share) + "\n";
    script += ")\nexec";
    for (const std::string& word : options_.command) script += " " + shell_word(word);
    script += fmt::format(
        " --out {}/$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID.db --points ${{points[$SLURM_ARRAY_TASK_ID]}}\n",
        shell_word(folder_.string()));
    const fs::path file = folder_ / "job.sh";
    if (!(std::ofstream(file) << script << std::flush)) throw Error(fmt::format("cannot write '{}'", file.string()));
    const os::Output result = os::output_of({{"sbatch", "--parsable", fmt::format("--array=0-{}", tasks - 1),
                                              "--output=" + (folder_ / "%A_%a.log").string(), file}});
    if (result.exit_code != 0) {
      throw Error(fmt::format("sbatch refuses the job: {}", one_line(result.text)));
    }
    std::string job = result.text.substr(0, result.text.find_first_of(";\n"));
    store_.set_note(kJobNote, job);
    notice(fmt::format("submitted job {}: {} tasks, {} points", job, tasks, points.size()));
    return job;
  }

  // Waits until no task of the job is queued. Returns false if interrupted; the job continues.
  bool wait_for(const std::string& job) {
    int silent = 0;
    for (;;) {
      const os::Output result = os::output_of({{"squeue", "--noheader", "--array", "--format=%K", "--job=" + job}});
      if (result.exit_code == 0) {
        silent = 0;
        running_.clear();
        std::size_t begin = 0;
        while (begin < result.text.size()) {
          const std::size_t end = std::min(result.text.find('\n', begin), result.text.size());
          const std::string task = one_line(result.text.substr(begin, end - begin));
          if (!task.empty()) running_.insert(fmt::format("{}-{}", job, task));
          begin = end + 1;
        }
        if (running_.empty()) return true;
      } else if (result.text.find("Invalid job id") != std::string::npos) {
        running_.clear();  // ended so long ago that Slurm has removed it
        return true;
      } else if (++silent == kSilentPolls) {
        throw Error(
            fmt::format("Slurm does not answer: {}. Job {} may go on; start the same command again to collect it",
                        one_line(result.text), job));
      }
      collect(false);
      if (callbacks_.progress) callbacks_.progress(status_);
      if (interrupted()) {
        notice(fmt::format("job {} goes on; start the same command again to collect it, or end it with scancel {}", job,
                           job));
        return false;
      }
      std::this_thread::sleep_for(options_.poll);
    }
  }

  // Merges the databases of ended tasks.
  void collect(bool all) {
    std::vector<fs::path> shards;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder_, code)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".db" && (all || running_.count(path.stem().string()) == 0)) shards.push_back(path);
    }
    std::sort(shards.begin(), shards.end());
    for (const fs::path& shard : shards) {
      try {
        store_.merge(shard, identity_);
      } catch (const Error& error) {
        if (!is_sqlite(shard)) continue;  // its task ended before writing anything
        throw;
      }
      for (const char* companion : {"", "-wal", "-shm", "-journal", ".lock"}) {
        fs::remove(shard.string() + companion, code);
      }
    }
    status_.done = static_cast<std::int64_t>(store_.recorded().size()) - recorded_before_;
    status_.failed = store_.failed() - failed_before_;
  }

  Store& store_;
  const Identity& identity_;
  const std::vector<std::int64_t>& points_;
  const SlurmOptions& options_;
  const RunCallbacks& callbacks_;
  fs::path folder_;
  std::set<std::string> running_;  // JOB-TASK
  std::size_t submitted_ = 0;
  std::int64_t recorded_before_ = 0, failed_before_ = 0;
  RunStatus status_;
};

}  // namespace

RunStatus run_slurm(Store& store, const Identity& identity, const std::vector<std::int64_t>& points,
                    const SlurmOptions& options, const RunCallbacks& callbacks) {
  return Array(store, identity, points, options, callbacks).run();
}

std::string points_text(const std::vector<std::int64_t>& points) {
  std::string text;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t last = i;
    while (last + 1 < points.size() && points[last + 1] == points[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(points[i]);
    if (last > i) text += "-" + std::to_string(points[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::int64_t> parse_points(const std::string& text, std::int64_t count) {
  const auto fail = [&](const std::string& why) { return Error(fmt::format("--points {}: {}", text, why)); };
  std::set<std::int64_t> points;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    std::int64_t value = 0;
    const auto result = std::from_chars(at, end, value);
    if (result.ec != std::errc() || value < 0) throw fail("must be comma-separated numbers and ranges, such as 0-3,7");
    if (value >= count) throw fail(fmt::format("there is no point {}; the points are 0 to {}", value, count - 1));
    at = result.ptr;
    return value;
  };
  for (;;) {
    const std::int64_t first = number();
    std::int64_t last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
      if (last < first) throw fail(fmt::format("the range {}-{} is empty", first, last));
    }
    for (std::int64_t point = first; point <= last; ++point) points.insert(point);
    if (at == end) break;
    if (*at++ != ',') throw fail("must be comma-separated numbers and ranges, such as 0-3,7");
  }
  return {points.begin(), points.end()};
}

}  // namespace weft::sweep

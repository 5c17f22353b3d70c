#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <numeric>
#include <system_error>
#include <thread>

#include "model/core/error.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/os/process.h"
#include "platform/os/standard_streams.h"
#include "platform/os/worker_pool.h"
#include "platform/record/bytes.h"
#include "platform/studies/sweep/store/results.h"
#include "platform/studies/sweep/store/store.h"
#include "platform/studies/sweep/workers/mpi_workers.h"
#include "platform/studies/sweep/workers/point.h"
#include "platform/studies/sweep/workers/runner.h"
#include "platform/studies/sweep/workers/slurm.h"
#include "tools/cli/commands.h"
#include "tools/sweep/view.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct SweepOptions : ResultOptions {
  std::string points, rerank, slurm, sbatch, slurm_poll = "2", rank_timeout = "15";
  std::vector<std::string> merge;
  bool dry_run = false, beside = false, retry_failed = false;
};

void declare(Arguments& command, SweepOptions& options) {
  command.add_argument("CONFIG", options.config, "Sweep: a file, or a name in configs/sweeps").required();
  command.add_set(options.sets, "a key of the sweep's base run");
  command.add_only(options.only);
  command.add_flag("--dry-run", options.dry_run, "List the points without running them");
  command.add_option("--points", options.points, "LIST", "Only these points: numbers and ranges, as 0-3,7");
  command.add_option("--rerank", options.rerank, "N", "Simulate the best N points again on the exact rung");
  command.heading(headings::kDatabase);
  command.add_option("--out", options.save.out, "FILE", "Database of the results (default results/NAME.db)");
  command.add_flag("--new", options.beside, "Add a new sweep to a database with another one");
  command.add_flag("--retry-failed", options.retry_failed, "Run failed points again");
  command.add_list("--merge", options.merge, "FILE", "Copy points from a database of the same sweep; repeatable");
  command.add_workers(options.workers, "Processes");
  command.add_cache(options.cache);
  command.heading(headings::kCluster);
  command.add_option("--slurm", options.slurm, "N", "Run the points as a Slurm job array of at most N tasks");
  command.add_option("--sbatch", options.sbatch, "OPTIONS", "Further options of sbatch, with --slurm");
  command.add_option("--slurm-poll", options.slurm_poll, "SECONDS", "Interval between looks at the queue (default 2)");
  command.add_option("--rank-timeout", options.rank_timeout, "SECONDS",
                     "Silence after which an MPI rank is dead (default 15)");
}

constexpr std::size_t kSamples = 500;  // points checked before the start

// An interrupt ends the sweep after results are recorded. Exceeding a file-size limit becomes an error of write().
void prepare_signals() {
  os::watch_interrupts();
  std::signal(SIGXFSZ, SIG_IGN);
}

std::chrono::milliseconds seconds_option(const std::string& text, const char* flag) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !(value >= 0.05 && value <= 86400)) {
    throw Error(fmt::format("{}: must be a number of seconds from 0.05 to 86400, not '{}'", flag, text));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
}

class SweepCommand {
 public:
  explicit SweepCommand(const SweepOptions& options)
      : options_(options),
        definition_(options.config, changes_of(options), project_library()),
        load_([this](const config::RunConfig& run) { return iterations_.network(run); }) {
    if (!options.rerank.empty()) definition_.rerank_best(whole_number(options.rerank, "--rerank", 0, 1'000'000));
    definition_.check_rerank();
    identity_ = {definition_.digest(load_), record::weft_version()};
    check_options();
  }

  int run() {
    check_points();
    if (options_.dry_run) return list_points();
    prepare_signals();
    if (sweep::under_mpirun() && options_.slurm.empty()) return run_mpi();
    if (!options_.slurm.empty()) return run_slurm();
    run_here(open_store());
    return finish();
  }

 private:
  // Runs the points in processes of this machine.
  void run_here(const std::vector<std::int64_t>& points) {
    const std::size_t again = points.empty() ? to_rerank().size() : rerank_count();
    if (points.empty() && again == 0) return;
    const int count = workers(std::max(points.size(), again));
    sweep::LocalWorkers worker_group(count, work(count));
    status_ = sweep::run_points(definition_, *store_, worker_group, points, callbacks(points.size()));
  }

  std::size_t rerank_count() const {
    return definition_.rerank() ? static_cast<std::size_t>(definition_.rerank()->count) : 0;
  }

  std::vector<std::int64_t> to_rerank() const { return sweep::to_rerank(definition_, *store_); }

  void check_options() {
    wanted_.resize(static_cast<std::size_t>(definition_.points()));
    std::iota(wanted_.begin(), wanted_.end(), std::int64_t{0});
    if (!options_.points.empty()) wanted_ = sweep::parse_points(options_.points, definition_.points());
    if (!options_.workers.empty() && options_.workers != "auto") {
      whole_number(options_.workers, "--workers", 1, 1024);
    }
    if (!options_.slurm.empty()) whole_number(options_.slurm, "--slurm", 1, 10000);
    seconds_option(options_.rank_timeout, "--rank-timeout");
    seconds_option(options_.slurm_poll, "--slurm-poll");
    if (options_.slurm.empty() && !options_.sbatch.empty()) throw Error("--sbatch needs --slurm");
    if (options_.sbatch.find('\n') != std::string::npos) throw Error("--sbatch: must be one line");
  }

  // Checks sample points at the start, to report invalid values early. Throws Error if no sample is valid.
  void check_points() {
    std::optional<std::string> first;
    std::size_t wrong = 0;
    std::vector<std::int64_t> samples = definition_.samples();
    const std::size_t step = samples.size() / kSamples + 1;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples.size(); i += step) samples[kept++] = samples[i];
    samples.resize(kept);
    for (const std::int64_t point : samples) {
      try {
        point_runner_.check(point);
      } catch (const Error& error) {
        if (!first) first = error.what();
        ++wrong;
      }
    }
    if (wrong == samples.size()) throw Error(*first);
    if (wrong > 0 && sweep::mpirun_rank() == 0) {
      os::say(fmt::format("weft: {} of {} checked points cannot run and will be recorded as failed: {}\n", wrong,
                          samples.size(), *first));
    }
  }

  int list_points() const {
    std::string text = fmt::format("{}: {} points", definition_.name(), definition_.points());
    if (definition_.candidates() != definition_.points()) {
      text += fmt::format(" of {} in the space; the others do not pass its filters", definition_.candidates());
    }
    text += "\npoint";
    for (const sweep::Axis& axis : definition_.axes()) text += "  " + axis.key;
    text += '\n';
    for (const std::int64_t point : wanted_) {
      text += std::to_string(point);
      for (const Value& value : definition_.parameters(point)) text += "  " + weft::to_text(value);
      text += '\n';
    }
    print(text);
    return 0;
  }

  sweep::Work work(int processes) {
    return [=](std::int64_t point) { return record::to_bytes(point_runner_.run(point, processes)); };
  }

  int workers(std::size_t points) const {
    const bool chosen = !options_.workers.empty() && options_.workers != "auto";
    const int count = !chosen && definition_.workers() ? *definition_.workers() : workers_of(options_.workers);
    return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(count), std::max<std::size_t>(points, 1)));
  }

  fs::path database() const {
    if (!options_.save.out.empty()) return options_.save.out;
    if (!definition_.output().empty()) return definition_.output();
    std::error_code code;
    fs::create_directory("results", code);
    if (code) {
      throw Error(fmt::format("cannot create the folder 'results': {}; give a file with --out", code.message()));
    }
    std::string name = definition_.name();
    std::replace(name.begin(), name.end(), '/', '_');
    return fs::path("results") / (name + ".db");
  }

  // Opens the database and returns the points left to run.
  std::vector<std::int64_t> open_store() {
    store_.emplace(database());
    store_->begin(definition_, identity_, options_.beside);
    for (const std::string& file : options_.merge) {
      const std::int64_t count = store_->merge(file, identity_);
      os::say(fmt::format("weft: copied {} points from '{}'\n", count, file));
    }
    if (options_.retry_failed) store_->forget_failed();
    std::vector<std::int64_t> left;
    std::copy_if(wanted_.begin(), wanted_.end(), std::back_inserter(left),
                 [&](std::int64_t point) { return store_->recorded().count(point) == 0; });
    earlier_ = wanted_.size() - left.size();
    return left;
  }

  sweep::RunCallbacks callbacks(std::size_t total) {
    progress_.emplace(definition_.name(), static_cast<std::int64_t>(total));
    sweep::RunCallbacks callbacks;
    callbacks.interrupt = &os::interrupt();
    callbacks.more = [this, total] {
      std::vector<std::int64_t> tasks = to_rerank();
      progress_->set_total(static_cast<std::int64_t>(total + tasks.size()));
      return tasks;
    };
    callbacks.progress = [this](const sweep::RunStatus& status) {
      const double seconds = elapsed();
      std::string label = definition_.name();
      if (status.done > 0) label += fmt::format("  {:.3g} points/s", static_cast<double>(status.done) / seconds);
      if (status.failed > 0) label += fmt::format(", {} failed", status.failed);
      progress_->set_label(label);
      progress_->update(status.done);
    };
    callbacks.notice = [this](const std::string& text) {
      progress_->clear();
      os::say(fmt::format("weft: {}\n", text));
    };
    return callbacks;
  }

  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  // Runs under mpirun: rank 0 records the results, and every rank runs points.
  int run_mpi() {
    const std::string identity = identity_.digest + " " + identity_.code_version;
    const bool first = sweep::mpirun_rank() == 0;
    std::vector<std::int64_t> points;
    if (first) points = open_store();
    const int count = options_.workers.empty() ? 1 : workers(wanted_.size());
    sweep::LocalWorkers own(
        count, work(count * sweep::mpirun_local_ranks()));  // before MPI, whose library may not support fork
    const auto transport = sweep::load_mpi_transport();
    const auto silence = seconds_option(options_.rank_timeout, "--rank-timeout");
    if (!first) {
      sweep::serve_rank(*transport, own, identity, silence);
      return 0;
    }
    {
      sweep::MpiWorkers worker_group(*transport, own, identity, silence);
      status_ = sweep::run_points(definition_, *store_, worker_group, points, callbacks(points.size()));
    }
    return finish();
  }

  int run_slurm() {
    sweep::SlurmOptions slurm;
    slurm.tasks = static_cast<int>(whole_number(options_.slurm, "--slurm", 1, 10000));
    slurm.sbatch = options_.sbatch;
    slurm.poll = seconds_option(options_.slurm_poll, "--slurm-poll");
    std::error_code code;
    slurm.command = {fs::read_symlink("/proc/self/exe", code).string(), "sweep", options_.config};
    for (const std::string& set : options_.sets) slurm.command.insert(slurm.command.end(), {"--set", set});
    if (!options_.only.empty()) slurm.command.insert(slurm.command.end(), {"--only", options_.only});
    slurm.command.insert(slurm.command.end(), {"--workers", options_.workers.empty() ? "1" : options_.workers});
    slurm.command.insert(slurm.command.end(), {"--rerank", "0"});  // done by the process that has all points
    const std::vector<std::int64_t> points = open_store();
    if (!points.empty()) {
      status_ = sweep::run_slurm(*store_, identity_, points, slurm, callbacks(points.size()));
    }
    if (os::interrupt() == 0 && definition_.rerank()) {
      const sweep::RunStatus of_slurm = status_;
      run_here({});
      status_.done += of_slurm.done;
      status_.failed += of_slurm.failed;
    }
    return finish();
  }

  std::string reranking(std::int64_t recorded) const {
    if (recorded < definition_.points() || !to_rerank().empty()) {
      return fmt::format("re-ranked    after all {} points are recorded: the same command continues\n",
                         definition_.points());
    }
    const sweep::Results results(store_->path(), store_->sweep());
    if (sweep::best_points(results, 1).empty()) return "re-ranked    none: no point is within the constraints\n";
    return rerank_report(results).table;
  }

  int finish() {
    const double seconds = elapsed();
    progress_.reset();
    const auto recorded = static_cast<std::int64_t>(store_->recorded().size());
    const std::int64_t failed = store_->failed();
    const std::int64_t without = store_->without_iteration();
    const std::string reranking = definition_.rerank() ? this->reranking(recorded) : "";
    const fs::path path = store_->path();
    store_->close();
    store_.reset();
    std::string text = fmt::format("{}: {} of {} points recorded", definition_.name(), recorded, definition_.points());
    if (failed > 0) text += fmt::format(", {} of them failed", failed);
    if (without > 0) text += fmt::format(", {} without hours an epoch", without);
    text += fmt::format("; this start ran {} in {:.1f} s", status_.done, seconds);
    if (status_.done > 0) text += fmt::format(" ({:.3g} points/s)", static_cast<double>(status_.done) / seconds);
    if (earlier_ > 0) text += fmt::format(", {} recorded before", earlier_);
    text += fmt::format("\nsaved        {}\n", path.string());
    text += reranking;
    if (os::interrupt() == 0) {
      text += fmt::format("see          weft show {}{}\n", path.string(),
                          definition_.objectives().empty() ? "" : " --pareto");
      if (failed > 0) text += fmt::format("failed       weft show {} --failed\n", path.string());
      if (without > 0) {
        text += fmt::format("without      weft show {} --columns point,{}\n", path.string(), sweep::kIterationError);
      }
    }
    print(text);
    if (os::interrupt() == 0) return 0;
    os::say(fmt::format("weft: interrupted; the same command continues\n"));
    return 128 + os::interrupt();
  }

  SweepOptions options_;
  sweep::Definition definition_;
  sweep::NetworkLoader load_;
  sweep::Identity identity_;
  std::vector<std::int64_t> wanted_;
  std::size_t earlier_ = 0;
  timeline::Iterations iterations_{definition_.library()};
  // Workers inherit the networks read before the fork.
  sweep::PointRunner point_runner_{definition_, load_,
                                   [this](const timeline::Convolutions& of) { return iterations_.of(of); },
                                   open_cache(options_.cache)};
  std::optional<sweep::Store> store_;
  std::optional<Progress> progress_;
  sweep::RunStatus status_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int execute(const SweepOptions& options) {
  try {
    return SweepCommand(options).run();
  } catch (const Error&) {
    // All ranks find the same fault: rank 0 reports it, and mpirun ends the others.
    if (sweep::mpirun_rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    throw;
  }
}

}  // namespace

Command sweep_command() {
  return command<SweepOptions>("sweep", "Simulate every point of a parameter space (resumes after an interrupt)",
                               declare, execute);
}

}  // namespace weft::tools

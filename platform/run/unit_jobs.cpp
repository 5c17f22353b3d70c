#include "platform/run/unit_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/run/unit_words.h"

namespace weft::run {

namespace {

std::int64_t processor_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

// Ends a launch that is watched.
class UntilInterrupted : public waves::Watcher {
 public:
  UntilInterrupted(waves::Watcher& watcher, const volatile std::sig_atomic_t* interrupt)
      : watcher_(watcher), interrupt_(interrupt) {}

  bool interrupted() const { return interrupt_ && *interrupt_ != 0; }
  void begin(const waves::Watched& what, memory::Memory& memory) override { watcher_.begin(what, memory); }
  bool after(Cycles now, const CycleStates& states) override { return watcher_.after(now, states) && !interrupted(); }
  void end(Cycles cycles) override { watcher_.end(cycles); }

 private:
  waves::Watcher& watcher_;
  const volatile std::sig_atomic_t* interrupt_;
};

}  // namespace

std::size_t UnitJobs::add(const design::Work& work, std::size_t unit, std::int64_t weight, std::uint64_t seed,
                          const design::Row& row) {
  jobs_.push_back({&work, unit, seed + unit, &row});
  weights_.push_back(weight);
  checked::add(expected_, weight, "the cycles of all convolutions by the equations");
  return jobs_.size() - 1;
}

void UnitJobs::simulate(const Job& job, std::int64_t* words, const std::function<void(Cycles)>& report,
                        waves::Watcher* watcher) const {
  const auto where = [&](const std::exception& error) {
    return fmt::format("layer '{}', {}: {}", job.row->layer.name, conv::to_string(job.row->kind), error.what());
  };
  const std::int64_t start = processor_us();
  try {
    write_unit(watcher ? job.work->watch(job.unit, job.seed, report, *watcher)
                       : job.work->simulate(job.unit, job.seed, report),
               words);
  } catch (const Deadlock& error) {
    throw Deadlock(where(error));
  } catch (const Error& error) {
    throw Error(where(error));
  }
  words[unit_words(topology_)] = processor_us() - start;
}

void UnitJobs::run(const Progress& progress, const volatile std::sig_atomic_t* interrupt) {
  pool_ = std::make_unique<os::WorkerPool>(jobs_.size(), (unit_words(topology_) + 1) * sizeof(std::int64_t), workers_);
  const bool learn = std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.work->learns(); });
  pool_->run(
      learn ? os::Deal::Neighbours : os::Deal::LongestFirst, weights_,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>& report) {
        simulate(jobs_[job], static_cast<std::int64_t*>(result), report, nullptr);
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected_);
      },
      interrupt);
}

void UnitJobs::watch(waves::Watcher& watcher, const Progress& progress, const volatile std::sig_atomic_t* interrupt) {
  UntilInterrupted until(watcher, interrupt);
  std::int64_t before = 0;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const auto report = [&](Cycles cycles) {
      if (progress) progress(before + std::min(cycles, weights_[job]), expected_);
    };
    std::vector<std::int64_t> words(unit_words(topology_) + 1);
    simulate(jobs_[job], words.data(), report, &until);
    if (until.interrupted()) return;
    watched_.push_back(std::move(words));
    before += weights_[job];
  }
}

const std::int64_t* UnitJobs::result_of(std::size_t job) const {
  return pool_ ? static_cast<const std::int64_t*>(pool_->result(job)) : watched_[job].data();
}

std::vector<std::int64_t> UnitJobs::words(std::size_t job) const {
  const std::int64_t* const words = result_of(job);
  return {words, words + unit_words(topology_)};
}

design::UnitResult UnitJobs::result(std::size_t job) const {
  return read_unit(topology_, result_of(job));
}

std::int64_t UnitJobs::cost_us(std::size_t job) const {
  return result_of(job)[unit_words(topology_)];
}

}  // namespace weft::run

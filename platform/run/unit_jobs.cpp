#include "platform/run/unit_jobs.h"

#include <fmt/core.h>

#include <ctime>
#include <numeric>

#include "model/core/error.h"
#include "platform/run/unit_words.h"

namespace weft::run {

namespace {

std::int64_t processor_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace

std::size_t UnitJobs::add(const design::Work& work, std::size_t unit, std::int64_t weight, std::uint64_t seed,
                          const design::Row& row) {
  jobs_.push_back({&work, unit, seed + unit, &row});
  weights_.push_back(weight);
  return jobs_.size() - 1;
}

void UnitJobs::simulate(const Job& job, std::int64_t* words, const std::function<void(Cycles)>& report) const {
  const auto where = [&](const std::exception& error) {
    return fmt::format("layer '{}', {}: {}", job.row->layer.name, conv::to_string(job.row->kind), error.what());
  };
  const std::int64_t start = processor_us();
  try {
    write_unit(job.work->simulate(job.unit, job.seed, report), words);
  } catch (const Deadlock& error) {
    throw Deadlock(where(error));
  } catch (const Error& error) {
    throw Error(where(error));
  }
  words[unit_words(topology_)] = processor_us() - start;
}

void UnitJobs::run(const Progress& progress, const volatile std::sig_atomic_t* interrupt) {
  pool_ = std::make_unique<os::WorkerPool>(jobs_.size(), (unit_words(topology_) + 1) * sizeof(std::int64_t), workers_);
  const std::int64_t expected = std::accumulate(weights_.begin(), weights_.end(), std::int64_t{0});
  pool_->run(
      os::longest_first(weights_), weights_,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>& report) {
        simulate(jobs_[job], static_cast<std::int64_t*>(result), report);
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      },
      interrupt);
}

std::vector<std::int64_t> UnitJobs::words(std::size_t job) const {
  const auto* const words = static_cast<const std::int64_t*>(pool_->result(job));
  return {words, words + unit_words(topology_)};
}

design::UnitResult UnitJobs::result(std::size_t job) const {
  return read_unit(topology_, static_cast<const std::int64_t*>(pool_->result(job)));
}

std::int64_t UnitJobs::cost_us(std::size_t job) const {
  return static_cast<const std::int64_t*>(pool_->result(job))[unit_words(topology_)];
}

}  // namespace weft::run

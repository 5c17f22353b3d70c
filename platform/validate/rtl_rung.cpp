#include "platform/validate/rtl_rung.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/cosim/lockstep.h"
#include "platform/fpgpt/run_readings.h"
#include "platform/fpgpt/work.h"
#include "platform/os/worker_pool.h"

namespace weft::validate {

namespace {

// The plain result of a job, in memory shared by processes.
struct JobResult {
  Cycles cycles = 0;
  fpgpt::BlockActivities activities{};
};

JobResult run_job(const config::RunConfig& config, const fpgpt::RowWork& work, std::size_t group, std::uint64_t seed,
                  const cosim::Workshop& workshop) {
  std::int64_t sets = 1;
  for (const conv::Convolution& each : work.groups) sets = std::max(sets, ceil_div(each.out_map(), work.alpha.x));
  const cosim::RtlBuild build(work.alpha, sets, workshop);
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  fpgpt::PlacedJob job = fpgpt::place_job(config, work, work.groups[group], true, seed);
  const cosim::Verdict verdict =
      cosim::run_lockstep(*rtl, job.plan, job.stores, {job.memory, job.channel_of_port, 0, seed});
  if (!verdict.equal()) {
    throw Error(fmt::format("layer '{}', {}: the RTL differs from the model: {}", work.layer.name,
                            conv::to_string(work.kind), verdict.difference));
  }
  return {verdict.cycles, verdict.activities};
}

}  // namespace

std::vector<RtlRow> run_rtl(const config::RunConfig& config, const workloads::Network& network,
                            const cosim::Workshop& workshop,
                            const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const std::vector<fpgpt::RowWork> works = fpgpt::plan_rows(config, network, fpgpt::readings_of(config));
  const std::vector<fpgpt::Job> jobs = fpgpt::jobs_of(works);
  const std::vector<std::int64_t> weights = fpgpt::weights_of(works, jobs);
  os::WorkerPool pool(jobs.size(), sizeof(JobResult), config.workers.value_or(os::processors()));
  const std::int64_t expected = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  pool.run(
      os::longest_first(weights), weights,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>&) {
        new (result) JobResult(run_job(config, works[jobs[job].row], jobs[job].group, config.seed + job, workshop));
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      });
  std::vector<RtlRow> rows(works.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto& result = *static_cast<const JobResult*>(pool.result(job));
    RtlRow& row = rows[jobs[job].row];
    row.cycles += result.cycles;
    row.activities.resize(fpgpt::kBlocks);
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) row.activities[block] += result.activities[block];
  }
  return rows;
}

}  // namespace weft::validate

#include "platform/validate/rtl_rung.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/cosim/lockstep.h"
#include "platform/run/work.h"
#include "platform/run/worker_pool.h"

namespace weft::validate {

namespace {

RtlRow run_job(const config::RunConfig& config, const run::Work& work, std::size_t group, std::uint64_t seed,
               const cosim::Workshop& workshop) {
  std::int64_t sets = 1;
  for (const conv::Convolution& each : work.groups) sets = std::max(sets, ceil_div(each.out_map(), work.alpha.x));
  const cosim::RtlBuild build(work.alpha, sets, workshop);
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  run::PlacedJob job = run::place_job(config, work, work.groups[group], true, seed);
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
  const std::vector<run::Work> works = run::plan_work(config, network, config::readings(config));
  const std::vector<run::Job> jobs = run::jobs_of(works);
  const std::vector<std::int64_t> weights = run::weights_of(works, jobs);
  run::WorkerPool pool(jobs.size(), sizeof(RtlRow), config.workers.value_or(run::processors()));
  const std::int64_t expected = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  pool.run(
      run::longest_first(weights), weights,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>&) {
        new (result) RtlRow(run_job(config, works[jobs[job].row], jobs[job].group, config.seed + job, workshop));
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      });
  std::vector<RtlRow> rows(works.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto& result = *static_cast<const RtlRow*>(pool.result(job));
    RtlRow& row = rows[jobs[job].row];
    row.cycles += result.cycles;
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) row.activities[block] += result.activities[block];
  }
  return rows;
}

}  // namespace weft::validate

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <set>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "model/fpgpt/analytical/gamma.h"
#include "platform/designs/fpgpt/dse/explore.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/os/worker_pool.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::exploration {

namespace {

// The run of one convolution on one kernel.
config::RunConfig run_of(const config::RunConfig& base, const Alpha& alpha, conv::Kind kind) {
  config::RunConfig run = with_kernel(base, with_alpha(kernel_of(base), alpha));
  run.kinds = {kind};
  run.only = {};
  run.gi_first = true;
  run.workers = 1;
  run.strict_fit = false;
  return run;
}

struct Job {
  std::size_t rerank = 0, design = 0;
};

// What is simulated, for the message of what went wrong with it.
std::string description(const Convolution& c, const fpgpt::Alpha& alpha) {
  return fmt::format("rerank: layer '{}', {} on {} x {} PEs: ", c.layer.name, conv::to_string(c.kind), alpha.x,
                     alpha.y);
}

Cycles simulated(const config::RunConfig& base, const Convolution& c, const fpgpt::Alpha& alpha,
                 const weft::dse::SimulatedCycles& simulate,
                 const std::function<void(std::int64_t, std::int64_t)>& progress) {
  workloads::Network single;
  single.name = base.name;
  single.batch = base.batch;
  single.layers = {c.layer};
  single.layers.front().batch = base.batch;
  try {
    return simulate(run_of(base, alpha, c.kind), single, progress);
  } catch (const Deadlock& error) {
    throw Deadlock(description(c, alpha) + error.what());
  } catch (const Error& error) {
    throw Error(description(c, alpha) + error.what());
  }
}

}  // namespace

void require_reranked(const Exploration& exploration) {
  const config::Selection& only = exploration.config.rerank.run.only;
  std::vector<std::string> existing;
  for (const Convolution& c : exploration.convolutions) {
    if (only.matches(c.layer.name, c.kind)) return;
    existing.push_back(fmt::format("{}:{}", c.layer.name, conv::to_string(c.kind)));
  }
  throw only.nothing_matches(existing);
}

std::vector<std::size_t> reranked(const Exploration& exploration) {
  const config::Selection& only = exploration.config.rerank.run.only;
  std::vector<std::size_t> found;
  std::set<std::size_t> shapes;
  for (std::size_t i = 0; i < exploration.convolutions.size(); ++i) {
    const Convolution& c = exploration.convolutions[i];
    if (!only.matches(c.layer.name, c.kind) || exploration.optimum(c).best.empty()) continue;
    if (shapes.insert(c.shape).second) found.push_back(i);
  }
  if (found.empty()) {
    throw Error(fmt::format("rerank: of the convolutions that match '{}' none has a kernel that fits", only.pattern()));
  }
  return found;
}

std::vector<Rerank> rerank(const Exploration& exploration, const std::vector<std::size_t>& convolutions,
                           const weft::dse::SimulatedCycles& simulate, const Progress& progress) {
  const config::RunConfig& base = exploration.config.rerank.run;
  std::vector<Rerank> reranks;
  std::vector<Job> jobs;
  std::vector<std::int64_t> weights;
  constexpr const char* kCycles = "the cycles of all kernels that are simulated";
  std::int64_t expected = 0;  // the sum of the weights
  for (const std::size_t index : convolutions) {
    const Convolution& c = exploration.convolutions[index];
    Rerank& one = reranks.emplace_back();
    one.convolution = index;
    conv::Layer layer = c.layer;
    layer.batch = base.batch;
    const conv::Convolution beta = workloads::lower(layer, c.kind);
    for (const fpgpt::dse::Design& design : exploration.optimum(c).best) {
      RankedDesign ranked;
      ranked.design = design;
      ranked.rank = one.designs.size();
      // The sizes of a kernel do not depend on the batch.
      ranked.equations =
          checked::product(kCycles, {fpgpt::gamma(design.alpha, beta, exploration.config.readings).total, c.launches});
      checked::add(expected, ranked.equations, kCycles);
      jobs.push_back({reranks.size() - 1, one.designs.size()});
      weights.push_back(ranked.equations);
      one.designs.push_back(ranked);
    }
  }
  os::WorkerPool pool(jobs.size(), sizeof(Cycles), exploration.config.run.workers.value_or(os::processors()));
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>& report) {
        const Rerank& one = reranks[jobs[job].rerank];
        const Convolution& c = exploration.convolutions[one.convolution];
        new (result) Cycles(simulated(base, c, one.designs[jobs[job].design].design.alpha, simulate,
                                      [&](std::int64_t done, std::int64_t) { report(done); }));
      },
      [&](std::int64_t done) {
        if (progress) progress("simulating the best", done, expected);
      });
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    reranks[jobs[job].rerank].designs[jobs[job].design].simulated = *static_cast<const Cycles*>(pool.result(job));
  }
  for (Rerank& one : reranks) {
    std::stable_sort(one.designs.begin(), one.designs.end(),
                     [](const RankedDesign& a, const RankedDesign& b) { return a.simulated < b.simulated; });
    for (std::size_t i = 0; i < one.designs.size(); ++i) one.designs[i].simulated_rank = i;
  }
  return reranks;
}

}  // namespace weft::fpgpt::exploration

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <set>

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
  config::RunConfig run = with_kernel(base, with_alpha(fpgpt::KernelConfig::of(base), alpha));
  run.kinds = {kind};
  run.only = {};
  run.gi_first = true;
  run.workers = 1;
  run.strict_fit = false;
  return run;
}

struct Job {
  std::size_t shape = 0, design = 0;  // of those that are reranked
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

void require_reranked(const DseConfig& config, const std::vector<Convolution>& convolutions) {
  const config::Selection& only = config.rerank.run.only;
  std::vector<std::string> existing;
  for (const Convolution& c : convolutions) {
    if (only.matches(c.layer.name, c.kind)) return;
    existing.push_back(c.name());
  }
  throw only.nothing_matches(existing);
}

std::vector<std::size_t> reranked(const DseConfig& config, const std::vector<Convolution>& convolutions,
                                  const std::vector<fpgpt::dse::Optimum>& optima) {
  const config::Selection& only = config.rerank.run.only;
  std::vector<std::size_t> found;
  std::set<std::size_t> shapes;
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const Convolution& c = convolutions[i];
    if (!only.matches(c.layer.name, c.kind) || optima[c.shape].best.empty()) continue;
    if (shapes.insert(c.shape).second) found.push_back(i);
  }
  if (found.empty()) {
    throw Error(fmt::format("rerank: of the convolutions that match '{}' none has a kernel that fits", only.pattern()));
  }
  return found;
}

weft::dse::Rerank rerank(const DseConfig& config, const std::vector<Convolution>& convolutions,
                         const std::vector<fpgpt::dse::Optimum>& optima, const std::vector<std::size_t>& chosen,
                         const weft::dse::SimulatedCycles& simulate, const Progress& progress) {
  const config::RunConfig& base = config.rerank.run;
  weft::dse::Rerank result;
  result.rung = config::to_string(base.rung);
  result.batch = base.batch;
  result.count = config.rerank.count;
  std::vector<Job> jobs;
  std::vector<std::int64_t> weights;
  constexpr const char* kCycles = "the cycles of all kernels that are simulated";
  std::int64_t expected = 0;  // the sum of the weights
  for (const std::size_t index : chosen) {
    const Convolution& c = convolutions[index];
    weft::dse::Reranked& one = result.convolutions.emplace_back();
    one.convolution = c.name();
    conv::Layer layer = c.layer;
    layer.batch = base.batch;
    const conv::Convolution beta = workloads::lower(layer, c.kind);
    for (const fpgpt::dse::Design& design : optima[c.shape].best) {
      jobs.push_back({result.convolutions.size() - 1, one.designs.size()});
      weft::dse::RankedKernel& ranked = one.designs.emplace_back();
      ranked.rank = static_cast<std::int64_t>(one.designs.size());
      ranked.kernel = kernel_of(design.alpha);
      // The sizes of a kernel do not depend on the batch.
      ranked.equations =
          checked::product(kCycles, {fpgpt::gamma(design.alpha, beta, config.readings).total, c.launches});
      checked::add(expected, ranked.equations, kCycles);
      weights.push_back(ranked.equations);
    }
  }
  os::WorkerPool pool(jobs.size(), sizeof(Cycles), config.run.workers.value_or(os::processors()));
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t job, void* cycles, const std::function<void(Cycles)>& report) {
        const Convolution& c = convolutions[chosen[jobs[job].shape]];
        new (cycles) Cycles(simulated(base, c, optima[c.shape].best[jobs[job].design].alpha, simulate,
                                      [&](std::int64_t done, std::int64_t) { report(done); }));
      },
      [&](std::int64_t done) {
        if (progress) progress("simulating the best", done, expected);
      });
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    result.convolutions[jobs[job].shape].designs[jobs[job].design].simulated =
        *static_cast<const Cycles*>(pool.result(job));
  }
  for (weft::dse::Reranked& one : result.convolutions) {
    const Cycles of_first = one.designs.front().simulated;
    std::stable_sort(one.designs.begin(), one.designs.end(),
                     [](const auto& a, const auto& b) { return a.simulated < b.simulated; });
    for (std::size_t i = 0; i < one.designs.size(); ++i) {
      one.designs[i].simulated_rank = static_cast<std::int64_t>(i) + 1;
    }
    const Cycles best = one.designs.front().simulated;
    one.loss_of_equations_choice = static_cast<double>(of_first - best) / static_cast<double>(best);
  }
  return result;
}

}  // namespace weft::fpgpt::exploration

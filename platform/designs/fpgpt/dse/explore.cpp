#include "platform/designs/fpgpt/dse/explore.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <set>

#include "model/conv/window.h"
#include "model/core/error.h"
#include "model/fpgpt/dse/served.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/os/worker_pool.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::exploration {

using conv::shape_text;
using fpgpt::dse::Design;
using fpgpt::dse::Item;
using fpgpt::dse::Optimum;
using fpgpt::dse::PenaltyLimit;
using fpgpt::dse::Problem;
using fpgpt::dse::Server;
using fpgpt::dse::SharingInput;
using fpgpt::dse::Windows;

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
  std::size_t shape = 0, design = 0;  // indices among the reranked ones
};

// Names a simulation in an error message.
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

// Throws Error if the rerank chooses no convolution.
void require_reranked(const DseConfig& config, const std::vector<Convolution>& convolutions) {
  const config::Selection& only = config.rerank.run.only;
  std::vector<std::string> existing;
  for (const Convolution& c : convolutions) {
    if (only.matches(c.layer.name, c.kind)) return;
    existing.push_back(c.name());
  }
  throw only.nothing_matches(existing);
}

// Returns the indices of the convolutions to simulate: of those that the rerank chooses, the first of each shape that
// has a kernel. `optima`: by shape. Throws Error if none has one.
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
    throw Error(fmt::format("rerank: no kernel for '{}' fits the budget: raise it", only.pattern()));
  }
  return found;
}

// Simulates the best kernels of the convolutions `chosen`.
weft::dse::Rerank rerank(const DseConfig& config, const Problem& problem, const std::vector<Convolution>& convolutions,
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
      const Cycles each =
          fpgpt::dse::cycles_of(problem, design.alpha, beta, conv::window_geometry(beta, design.alpha.x));
      ranked.equations = checked::product(kCycles, {each, c.launches});
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

constexpr const char* kCycles = "the cycles of all convolutions";

void add(Cycles& sum, const Design& design, std::int64_t launches) {
  checked::add(sum, checked::product(kCycles, {design.cycles, launches}), kCycles);
}

std::vector<Convolution> convolutions_of(const DseConfig& config, const workloads::Network& network,
                                         std::vector<conv::Convolution>& shapes) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  std::vector<Convolution> found;
  for (const config::Chosen& chosen : config::choose(config.run, layers)) {
    Convolution c;
    c.layer = layers[chosen.layer];
    c.kind = chosen.kind;
    const std::vector<conv::Convolution> groups = workloads::lower_groups(c.layer, c.kind);
    const auto same = [&](const conv::Convolution& each) { return fpgpt::dse::same_shape(each, groups.front()); };
    const auto at = std::find_if(shapes.begin(), shapes.end(), same);
    c.shape = static_cast<std::size_t>(at - shapes.begin());
    if (at == shapes.end()) shapes.push_back(groups.front());
    c.launches = static_cast<std::int64_t>(groups.size());
    for (const conv::Convolution& group : groups) c.macs += group.useful_macs;  // at most 2^58, as of the layer
    found.push_back(std::move(c));
  }
  return found;
}

class Explorer {
 public:
  Explorer(const DseConfig& config, weft::dse::Result settings, const workloads::Network& network,
           const weft::dse::SimulatedCycles& simulate, const Progress& progress)
      : config_(config),
        simulate_(simulate),
        progress_(progress),
        workers_(config.run.workers.value_or(os::processors())),
        clock_(config.run.kernel->clock),
        result_(std::move(settings)) {
    result_.network = network.name;
    problem_.base = alpha_of(fpgpt::KernelConfig::of(config.run));
    problem_.readings = config.readings;
    problem_.budget = config.budget;
    problem_.space = config.space;
    problem_.split = fpgpt::KernelConfig::of(config.run).split_by == Split::Filters;
    if (problem_.split) result_.split = "filters";
    convolutions_ = convolutions_of(config, network, problem_.shapes);
  }

  weft::dse::Result explore() {
    // Errors of the rerank are reported before the work that they would waste.
    const bool reranks = config_.rerank.count > 0;
    if (reranks) require_reranked(config_, convolutions_);
    find_optima();
    const std::vector<std::size_t> simulated =
        reranks ? reranked(config_, convolutions_, optima_) : std::vector<std::size_t>();
    share();
    compare_readings();
    if (reranks) result_.rerank = rerank(config_, problem_, convolutions_, optima_, simulated, simulate_, progress_);
    return std::move(result_);
  }

 private:
  using Watch = std::function<void(std::size_t)>;
  Watch watch(const char* phase, std::size_t total) const {
    return [this, phase, total](std::size_t done) {
      if (progress_) progress_(phase, static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
    };
  }

  std::vector<Optimum> optima(const Problem& problem, const char* phase) const {
    std::vector<Optimum> found(problem.shapes.size());
    const auto keep = static_cast<std::size_t>(std::max(1, config_.rerank.count));
    os::parallel_for(
        found.size(), workers_,
        [&](std::size_t shape) { found[shape] = fpgpt::dse::optimum(problem, shape, windows_[shape], keep); },
        watch(phase, found.size()));
    return found;
  }

  void find_optima() {
    const std::vector<conv::Convolution>& shapes = problem_.shapes;
    windows_.resize(shapes.size());
    // Windows depend on the axes alone: of the shapes that differ in channels only, those of the first are made.
    const auto alike = [&](std::size_t shape) {
      const auto equal = [&](const conv::Convolution& c) { return c.h == shapes[shape].h && c.w == shapes[shape].w; };
      return static_cast<std::size_t>(std::find_if(shapes.begin(), shapes.end(), equal) - shapes.begin());
    };
    const auto make = [&](std::size_t shape) {
      if (alike(shape) == shape) windows_[shape] = Windows(shapes[shape], problem_.widest());
    };
    os::parallel_for(shapes.size(), workers_, make, watch("windows", shapes.size()));
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) windows_[shape] = windows_[alike(shape)];
    optima_ = optima(problem_, "optimal kernels");
    const auto fits = [](const Optimum& optimum) { return !optimum.best.empty(); };
    if (std::any_of(optima_.begin(), optima_.end(), fits)) return add_optima();
    const Optimum& first = optima_.front();
    const Convolution& c = convolutions_.front();
    if (first.within_dsp == 0) {
      throw Error(
          fmt::format("space: no array fits the DSPs of the budget; layer '{}', {} has {} arrays in the space, none "
                      "with at most {} DSPs: raise budget.dsp, or widen the space",
                      c.layer.name, conv::to_string(c.kind), first.arrays, problem_.budget.dsp));
    }
    throw Error(
        fmt::format("budget: no convolution has a kernel that fits; layer '{}', {} needs at least {} BRAM18 and "
                    "{} URAM, but the budget has {} and {}: raise the budget",
                    c.layer.name, conv::to_string(c.kind), first.smallest->bram18, first.smallest->uram,
                    problem_.budget.bram18, problem_.budget.uram));
  }

  void add_optima() {
    Cycles cycles = 0;
    for (const Convolution& c : convolutions_) {
      const Optimum& found = optima_[c.shape];
      weft::dse::Convolution& of = result_.convolutions.emplace_back();
      of.layer = c.layer.name;
      of.kind = c.kind;
      of.launches = c.launches;
      of.macs = c.macs;
      of.arrays = found.arrays;
      of.within_dsp = found.within_dsp;
      of.fitting = found.fitting;
      of.shape = shape_text(c.layer);
      if (found.smallest) of.smallest = {found.smallest->bram18, found.smallest->uram};
      if (found.best.empty()) continue;
      const Design& design = found.best.front();
      add(cycles, design, c.launches);
      weft::dse::Optimum& best = of.optimal.emplace();
      best.cycles = design.cycles;
      best.limiter = fpgpt::limiter_name(c.kind, design.limiter);
      best.kernel = kernel_of(design.alpha);
      if (design.parts > 1) best.parts = design.parts;
      best.resources.dsp = design.dsp;
      best.resources.bram18 = design.bram18;
      best.resources.uram = design.uram;
      best.seconds = weft::seconds(design.cycles * c.launches, clock_);
      best.gops = 2e-9 * static_cast<double>(c.macs) / best.seconds;
    }
    result_.optimal = optimal_of(result_, config_.run, cycles, optima_.size());
  }

  // WorkQueue kernels among the shapes that have an optimum; these shapes are renumbered.
  void share() {
    if (config_.penalties.empty()) return;
    Problem problem = problem_;
    problem.shapes.clear();
    std::vector<std::size_t> number(problem_.shapes.size());
    std::vector<Windows> windows;
    std::vector<Design> optimal;
    for (std::size_t shape = 0; shape < problem_.shapes.size(); ++shape) {
      if (optima_[shape].best.empty()) continue;
      number[shape] = problem.shapes.size();
      problem.shapes.push_back(problem_.shapes[shape]);
      windows.push_back(windows_[shape]);
      optimal.push_back(optima_[shape].best.front());
    }
    std::vector<Item> items;
    for (const Convolution& c : convolutions_) {
      if (optima_[c.shape].best.empty()) continue;
      items.push_back({number[c.shape], c.launches});
      item_names_.push_back(c.name());
    }
    const SharingInput input{problem, windows, optimal, items};
    heuristics(input);
    if (config_.minimum) minima(input);
  }

  void heuristics(const SharingInput& input) {
    const std::vector<PenaltyLimit>& limits = config_.penalties;
    os::parallel_for(
        limits.size(), workers_,
        [&](std::size_t i) {
          take(result_.sharing[i].heuristic, fpgpt::dse::share(input, limits[i], config_.sharing));
        },
        watch("shared kernels", limits.size()));
  }

  void minima(const SharingInput& input) {
    const auto widest = static_cast<std::size_t>(input.problem.widest());
    const std::size_t limits = config_.penalties.size();
    std::vector<std::vector<Server>> found(widest * limits);
    // Narrow arrays go first: they have the most heights and the most Z.
    os::parallel_for(
        found.size(), workers_,
        [&](std::size_t i) {
          found[i] = fpgpt::dse::servers(input, static_cast<int>(i / limits) + 1, config_.penalties[i % limits]);
        },
        watch("candidate kernels", found.size()));
    // Sequential, because Z3 uses one allocator for all of its contexts.
    for (std::size_t limit = 0; limit < limits; ++limit) {
      if (progress_) progress_("fewest kernels", static_cast<std::int64_t>(limit), static_cast<std::int64_t>(limits));
      std::vector<Server> all;
      for (std::size_t x = 0; x < widest; ++x) {
        std::vector<Server>& some = found[x * limits + limit];
        std::move(some.begin(), some.end(), std::back_inserter(all));
      }
      fpgpt::dse::FewestKernels fewest = fpgpt::dse::fewest_kernels(input, fpgpt::dse::undominated(std::move(all)));
      weft::dse::Fewest& minimum = result_.sharing[limit].minimum.value();
      minimum.at_least = fewest.at_least;
      take(minimum, fewest.kernels);
    }
  }

  void take(weft::dse::Shared& shared, const std::vector<fpgpt::dse::SharedKernel>& kernels) const {
    shared.kernels = static_cast<std::int64_t>(kernels.size());
    for (const fpgpt::dse::SharedKernel& kernel : kernels) {
      checked::add(shared.cycles, kernel.cycles, kCycles);
      weft::dse::Group& group = shared.groups.emplace_back();
      group.cycles = kernel.cycles;
      group.worst_penalty = kernel.worst_penalty;
      group.kernel = kernel_of(kernel.alpha);
      for (const std::size_t item : kernel.items) group.convolutions.push_back(item_names_[item]);
    }
    const Cycles optimal = result_.optimal.cycles;
    shared.loss = static_cast<double>(shared.cycles - optimal) / static_cast<double>(optimal);
  }

  void compare_readings() {
    const fpgpt::ReadingDescriptor* const reading = config_.compared_reading;
    if (!reading) return;
    auto& [key, compared] = result_.epoch_hours_by_reading.emplace().values.emplace_back();
    key = reading->key;
    for (const auto& alternative : reading->alternatives) {
      Problem problem = problem_;
      reading->set(problem.readings, alternative.value);
      const std::vector<Optimum> found = optima(problem, "other readings");
      weft::dse::ReadingCycles cycles;
      for (const Convolution& c : convolutions_) {
        if (found[c.shape].best.empty()) {
          ++cycles.misfits;
        } else {
          add(cycles.cycles, found[c.shape].best.front(), c.launches);
        }
      }
      cycles.epoch_hours = optimal_of(result_, config_.run, cycles.cycles, 0).epoch_hours;
      compared.values.emplace_back(alternative.name, cycles);
    }
  }

  const DseConfig& config_;
  weft::dse::SimulatedCycles simulate_;
  Progress progress_;
  int workers_;
  Frequency clock_;
  Problem problem_;
  std::vector<Convolution> convolutions_;
  std::vector<Windows> windows_;
  std::vector<Optimum> optima_;          // by shape
  std::vector<std::string> item_names_;  // of the convolutions with a fitting kernel, which share
  weft::dse::Result result_;
};

}  // namespace

std::string Convolution::name() const {
  return fmt::format("{}:{}", layer.name, conv::to_string(kind));
}

weft::dse::Kernel kernel_of(const Alpha& alpha) {
  weft::dse::Kernel kernel{{"x", Value(std::int64_t{alpha.x})}, {"y", Value(std::int64_t{alpha.y})}};
  for_each_size([&](const char* key, auto, auto size) { kernel.emplace_back(key, Value(std::int64_t{alpha.*size})); });
  kernel.emplace_back("variant", Value(std::string(fpgpt::to_string(alpha.variant))));
  kernel.emplace_back("storage", weft::dse::Parts{{{"inp", fpgpt::to_string(alpha.inp_storage)},
                                                   {"kern", fpgpt::to_string(alpha.kern_storage)},
                                                   {"out", fpgpt::to_string(alpha.out_storage)}}});
  return kernel;
}

weft::dse::Result explore(const DseConfig& config, weft::dse::Result settings, const workloads::Network& network,
                          const weft::dse::SimulatedCycles& simulate, const Progress& progress) {
  return Explorer(config, std::move(settings), network, simulate, progress).explore();
}

}  // namespace weft::fpgpt::exploration

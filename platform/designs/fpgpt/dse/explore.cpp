#include "platform/designs/fpgpt/dse/explore.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/os/parallel.h"
#include "platform/os/worker_pool.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::exploration {

using fpgpt::dse::Design;
using fpgpt::dse::Item;
using fpgpt::dse::Optimum;
using fpgpt::dse::PenaltyLimit;
using fpgpt::dse::Problem;
using fpgpt::dse::Server;
using fpgpt::dse::SharingInput;
using fpgpt::dse::Windows;

namespace {

constexpr const char* kCycles = "the cycles of all convolutions";

void add(Cycles& sum, const Design& design, std::int64_t launches) {
  checked::add(sum, checked::product(kCycles, {design.cycles, launches}), kCycles);
}

int workers_of(const DseConfig& config) {
  return config.run.workers.value_or(os::processors());
}

class Explorer {
 public:
  Explorer(const DseConfig& config, const workloads::Network& network, const weft::dse::SimulatedCycles& simulate,
           const Progress& progress)
      : simulate_(simulate), progress_(progress), workers_(workers_of(config)) {
    result_.config = config;
    result_.network = network.name;
    problem_.base = alpha_of(kernel_of(config.run));
    problem_.readings = config.readings;
    problem_.budget = config.budget;
    problem_.space = config.space;
    result_.convolutions = convolutions_of(config, network, problem_.shapes);
  }

  Exploration explore() {
    // What is wrong with the rerank is said before the work is done that it would lose.
    const bool reranks = result_.config.rerank.count > 0;
    if (reranks) require_reranked(result_);
    find_optima();
    const std::vector<std::size_t> simulated = reranks ? reranked(result_) : std::vector<std::size_t>();
    share();
    compare_readings();
    if (reranks) result_.reranks = rerank(result_, simulated, simulate_, progress_);
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
    const auto keep = static_cast<std::size_t>(std::max(1, result_.config.rerank.count));
    os::parallel_for(
        found.size(), workers_,
        [&](std::size_t shape) { found[shape] = fpgpt::dse::optimum(problem, shape, windows_[shape], keep); },
        watch(phase, found.size()));
    return found;
  }

  void find_optima() {
    windows_.resize(problem_.shapes.size());
    os::parallel_for(
        windows_.size(), workers_,
        [&](std::size_t shape) { windows_[shape] = Windows(problem_.shapes[shape], problem_.widest()); },
        watch("windows", windows_.size()));
    result_.optima = optima(problem_, "optimal kernels");
    const auto fits = [](const Optimum& optimum) { return !optimum.best.empty(); };
    if (std::any_of(result_.optima.begin(), result_.optima.end(), fits)) return;
    const Optimum& first = result_.optima.front();
    const Convolution& c = result_.convolutions.front();
    if (first.within_dsp == 0) {
      throw Error(
          fmt::format("space: no array of the space has the DSPs of the budget; layer '{}', {} has {} arrays in "
                      "the space, none with at most {} DSPs",
                      c.layer.name, conv::to_string(c.kind), first.arrays, problem_.budget.dsp));
    }
    throw Error(
        fmt::format("budget: no convolution has a kernel that fits; layer '{}', {} needs at least {} BRAM18 and "
                    "{} URAM, the budget has {} and {}",
                    c.layer.name, conv::to_string(c.kind), first.smallest->bram18, first.smallest->uram,
                    problem_.budget.bram18, problem_.budget.uram));
  }

  // The shapes that have an optimum, renumbered.
  void share() {
    if (result_.config.penalties.empty()) return;
    Problem problem = problem_;
    problem.shapes.clear();
    std::vector<std::size_t> number(problem_.shapes.size());
    std::vector<Windows> windows;
    std::vector<Design> optimal;
    for (std::size_t shape = 0; shape < problem_.shapes.size(); ++shape) {
      if (result_.optima[shape].best.empty()) continue;
      number[shape] = problem.shapes.size();
      problem.shapes.push_back(problem_.shapes[shape]);
      windows.push_back(windows_[shape]);
      optimal.push_back(result_.optima[shape].best.front());
    }
    std::vector<Item> items;
    for (std::size_t i = 0; i < result_.convolutions.size(); ++i) {
      const Convolution& c = result_.convolutions[i];
      if (result_.optimum(c).best.empty()) continue;
      items.push_back({number[c.shape], c.launches});
      result_.sharing_items.push_back(i);
    }
    const SharingInput input{problem, windows, optimal, items};
    heuristics(input);
    if (result_.config.minimum) minima(input);
  }

  void heuristics(const SharingInput& input) {
    const std::vector<PenaltyLimit>& limits = result_.config.penalties;
    result_.sharing.resize(limits.size());
    os::parallel_for(
        limits.size(), workers_,
        [&](std::size_t i) {
          Sharing& sharing = result_.sharing[i];
          sharing.limit = limits[i];
          sharing.heuristic.kernels = fpgpt::dse::share(input, limits[i], result_.config.sharing);
          sum(sharing.heuristic);
        },
        watch("shared kernels", limits.size()));
  }

  void minima(const SharingInput& input) {
    const auto widest = static_cast<std::size_t>(input.problem.widest());
    const std::size_t limits = result_.sharing.size();
    std::vector<std::vector<Server>> found(widest * limits);
    // The narrow arrays have the most heights and the most Z: they come first.
    os::parallel_for(
        found.size(), workers_,
        [&](std::size_t i) {
          found[i] = fpgpt::dse::servers(input, static_cast<int>(i / limits) + 1, result_.sharing[i % limits].limit);
        },
        watch("candidate kernels", found.size()));
    // Z3 keeps an allocator for all of its contexts: one question at a time.
    for (std::size_t limit = 0; limit < limits; ++limit) {
      if (progress_) progress_("fewest kernels", static_cast<std::int64_t>(limit), static_cast<std::int64_t>(limits));
      std::vector<Server> all;
      for (std::size_t x = 0; x < widest; ++x) {
        std::vector<Server>& some = found[x * limits + limit];
        std::move(some.begin(), some.end(), std::back_inserter(all));
      }
      fpgpt::dse::FewestKernels fewest = fpgpt::dse::fewest_kernels(input, fpgpt::dse::undominated(std::move(all)));
      SharedKernels& minimum = result_.sharing[limit].minimum.emplace();
      minimum.kernels = std::move(fewest.kernels);
      minimum.at_least = fewest.at_least;
      sum(minimum);
    }
  }

  static void sum(SharedKernels& shared) {
    for (const fpgpt::dse::SharedKernel& kernel : shared.kernels) {
      checked::add(shared.cycles, kernel.cycles, kCycles);
    }
  }

  void compare_readings() {
    const fpgpt::ReadingDescriptor* const reading = result_.config.compared_reading;
    if (!reading) return;
    for (const fpgpt::ReadingOption& option : *reading) {
      Problem problem = problem_;
      reading->set(problem.readings, option.value);
      const std::vector<Optimum> found = optima(problem, "other readings");
      ReadingCycles cycles{option.name};
      for (const Convolution& c : result_.convolutions) {
        if (found[c.shape].best.empty()) {
          ++cycles.misfits;
        } else {
          add(cycles.cycles, found[c.shape].best.front(), c.launches);
        }
      }
      result_.readings.push_back(cycles);
    }
  }

  weft::dse::SimulatedCycles simulate_;
  Progress progress_;
  int workers_;
  Problem problem_;
  std::vector<Windows> windows_;
  Exploration result_;
};

}  // namespace

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

std::string name_of(const Convolution& c) {
  return fmt::format("{}:{}", c.layer.name, conv::to_string(c.kind));
}

Cycles Exploration::optimal_cycles() const {
  Cycles cycles = 0;
  for (const Convolution& c : convolutions) {
    if (!optimum(c).best.empty()) add(cycles, optimum(c).best.front(), c.launches);
  }
  return cycles;
}

std::int64_t Exploration::misfits() const {
  return std::count_if(convolutions.begin(), convolutions.end(),
                       [&](const Convolution& c) { return optimum(c).best.empty(); });
}

Exploration explore(const DseConfig& config, const workloads::Network& network,
                    const weft::dse::SimulatedCycles& simulate, const Progress& progress) {
  return Explorer(config, network, simulate, progress).explore();
}

}  // namespace weft::fpgpt::exploration

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "model/core/checked.h"
#include "model/core/error.h"
#include "platform/dse/grid.h"
#include "platform/os/parallel.h"
#include "platform/os/worker_pool.h"

namespace weft::dse::grid {

namespace {

constexpr std::size_t kRanked = 20;  // that a result has, and all that are simulated

// What the design says of one combination.
struct Planned {
  std::vector<Convolution> rows;  // none if the combination is no kernel, or computes not all of the network
  std::string why_not;
};

Values values_of(const std::vector<Tried>& tried, std::int64_t combination) {
  Values values(tried.size());
  for (std::size_t i = tried.size(); i-- > 0;) {
    const std::int64_t count = std::max<std::int64_t>(1, tried[i].range.count());
    values[i] = tried[i].range.at(combination % count);
    combination /= count;
  }
  return values;
}

std::string json_name(const ResourceUse& use) {
  std::string name = use.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return name;
}

bool within(const Counts& resources, const Budget& budget) {
  return std::all_of(resources.begin(), resources.end(), [&](const auto& each) {
    if (each.first == "dsp") return each.second <= budget.dsp;
    if (each.first == "bram18") return each.second <= budget.bram18;
    if (each.first == "lut") return !budget.lut || each.second <= *budget.lut;
    if (each.first == "ff") return !budget.ff || each.second <= *budget.ff;
    return each.first != "uram" || each.second <= budget.uram;
  });
}

Convolution convolution_of(const Values& values, const design::Row& row) {
  Found found{values, row.kernel, {}, row.cycles, row.limiter, {}};
  for (const ResourceUse& use : row.resources) found.resources.emplace_back(json_name(use), use.used);
  return {row.layer.name, row.kind, row.launches, row.macs, 0, std::move(found)};
}

// One kernel for all: of each resource as much as the row that takes most.
Found of_all(const std::vector<Convolution>& rows) {
  Found all = *rows.front().best;
  all.limiter.clear();
  all.cycles = 0;
  for (const Convolution& row : rows) {
    checked::add(all.cycles, row.best->cycles, "the cycles of all convolutions");
    for (std::size_t i = 0; i < row.best->resources.size(); ++i) {
      all.resources[i].second = std::max(all.resources[i].second, row.best->resources[i].second);
    }
  }
  return all;
}

bool fewer(const Found& a, const Found& b) {
  return std::tie(a.cycles, a.resources, a.values) < std::tie(b.cycles, b.resources, b.values);
}

Planned plan(const Space& space, const GridConfig& config, const workloads::Network& network, const Values& values) {
  Planned planned;
  try {
    config::RunConfig run = config.run;
    run.rung = config::Rung::Analytical;
    run.kernel = kernel_with(space, *config.run.kernel, config.tried, values);
    for (const design::Row& row : space.design->plan(run, network)->rows()) {
      planned.rows.push_back(convolution_of(values, row));
    }
  } catch (const Error& error) {
    planned.why_not = error.what();
  }
  return planned;
}

void add_convolutions(std::vector<Convolution>& all, const std::vector<Convolution>& rows, const Budget& budget) {
  if (all.empty()) {
    all = rows;
    for (Convolution& each : all) each.best.reset();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!within(rows[i].best->resources, budget)) continue;
    const std::int64_t fitting = all[i].fitting + 1;
    if (!all[i].best || fewer(*rows[i].best, *all[i].best)) all[i] = rows[i];
    all[i].fitting = fitting;
  }
}

// The values that the equations know, which tell combinations apart before they are simulated.
Values known(const GridConfig& config, const Found& found) {
  Values values;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (!config.tried[i].axis.unknown) values.push_back(found.values[i]);
  }
  return values;
}

// Simulates the first `rerank` of the ranked that the equations tell apart, each with every value of the others.
void rerank(const Space& space, GridResult& result, const workloads::Network& network, const SimulatedCycles& simulate,
            const Progress& progress) {
  std::vector<Values> chosen;
  std::vector<Found*> wanted;
  for (Found& found : result.ranked) {
    const Values of = known(result.config, found);
    if (std::find(chosen.begin(), chosen.end(), of) == chosen.end()) {
      if (static_cast<int>(chosen.size()) == result.config.rerank) continue;
      chosen.push_back(of);
    }
    wanted.push_back(&found);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (progress) progress("simulated kernels", static_cast<std::int64_t>(i), static_cast<std::int64_t>(wanted.size()));
    config::RunConfig run = result.config.run;
    if (run.rung == config::Rung::Analytical) run.rung = config::Rung::Exact;
    run.mode = config::Mode::Timing;
    run.kernel = kernel_with(space, *run.kernel, result.config.tried, wanted[i]->values);
    wanted[i]->simulated = simulate(run, network, {});
  }
  std::stable_sort(result.ranked.begin(), result.ranked.end(), [](const Found& a, const Found& b) {
    if (a.simulated.has_value() != b.simulated.has_value()) return a.simulated.has_value();
    return a.simulated && std::tie(*a.simulated, a.resources) < std::tie(*b.simulated, b.resources);
  });
}

}  // namespace

Cycles GridResult::optimal_cycles() const {
  Cycles cycles = 0;
  for (const Convolution& c : convolutions) {
    checked::add(cycles, c.best ? c.best->cycles : 0, "the cycles of all convolutions");
  }
  return cycles;
}

std::int64_t GridResult::misfits() const {
  return std::count_if(convolutions.begin(), convolutions.end(), [](const Convolution& c) { return !c.best; });
}

config::KernelPtr kernel_with(const Space& space, const config::Kernel& base, const std::vector<Tried>& tried,
                              const Values& values) {
  config::Node kernel = base.write();
  for (std::size_t i = 0; i < tried.size(); ++i) {
    kernel.set(tried[i].axis.key, config::scalar_node(std::to_string(values[i])));
  }
  try {  // as a file would be read: what cannot be is refused there
    return space.design->read_kernel(kernel, "kernel");
  } catch (const InputError& error) {
    throw Error(fmt::format("its kernel cannot be ({})", error.what()));
  }
}

GridResult explore(const Space& space, const GridConfig& config, const workloads::Network& network,
                   const SimulatedCycles& simulate, const Progress& progress) {
  GridResult result;
  result.config = config;
  result.network = network.name;
  result.combinations = 1;
  for (const Tried& each : config.tried) result.combinations *= each.range.count();
  std::vector<Planned> all(static_cast<std::size_t>(result.combinations));
  os::parallel_for(
      all.size(), config.run.workers.value_or(os::processors()),
      [&](std::size_t i) {
        all[i] = plan(space, config, network, values_of(config.tried, static_cast<std::int64_t>(i)));
      },
      [&](std::size_t done) {
        if (progress) progress("kernels", static_cast<std::int64_t>(done), result.combinations);
      });
  for (const Planned& planned : all) {
    if (planned.rows.empty()) continue;
    ++result.possible;
    add_convolutions(result.convolutions, planned.rows, config.budget);
    Found found = of_all(planned.rows);
    if (within(found.resources, config.budget)) result.ranked.push_back(std::move(found));
  }
  result.fitting = static_cast<std::int64_t>(result.ranked.size());
  if (result.possible == 0)
    throw Error(fmt::format("space: no combination is possible; of the first: {}", all[0].why_not));
  if (result.fitting == 0) {
    throw Error(fmt::format("budget: none of {} kernels fits; allowed: a larger budget, or a space with smaller ones",
                            result.possible));
  }
  std::sort(result.ranked.begin(), result.ranked.end(), fewer);
  if (config.rerank > 0) rerank(space, result, network, simulate, progress);
  const auto behind =
      std::find_if(result.ranked.begin(), result.ranked.end(), [](const Found& f) { return !f.simulated; });
  const auto simulated = static_cast<std::size_t>(behind - result.ranked.begin());
  result.ranked.resize(std::min(result.ranked.size(), std::max(kRanked, simulated)));
  return result;
}

}  // namespace weft::dse::grid

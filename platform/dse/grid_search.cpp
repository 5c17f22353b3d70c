#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"
#include "platform/dse/grid.h"
#include "platform/os/worker_pool.h"

namespace weft::dse::grid {

namespace {

constexpr std::size_t kRanked = 20;  // kernels in a result; more if more are simulated
constexpr const char* kCycles = "the cycles of all convolutions";

// Plan of the design for one combination.
struct Planned {
  std::vector<Convolution> rows;  // none if the combination is no kernel, or does not compute the whole network
  std::string why_not;
};

Values values_of(const std::vector<Tried>& tried, std::int64_t combination) {
  Values values(tried.size());
  for (std::size_t i = tried.size(); i-- > 0;) {
    const std::int64_t count = std::max<std::int64_t>(1, tried[i].range.count());
    values[i] = {tried[i].axis.key, std::int64_t{tried[i].range.at(combination % count)}};
    combination /= count;
  }
  return values;
}

Resources resources_of(const ResourceReport& report) {
  Resources resources;
  for (const ResourceUse& use : report) {
    const std::string name = use.name;
    if (name == "DSP") resources.dsp = use.used;
    if (name == "BRAM18") resources.bram18 = use.used;
    if (name == "URAM") resources.uram = use.used;
    if (name == "LUT") resources.lut = use.used;
    if (name == "FF") resources.ff = use.used;
  }
  return resources;
}

Resources most(const Resources& a, const Resources& b) {
  return {std::max(a.dsp, b.dsp), std::max(a.bram18, b.bram18), std::max(a.uram, b.uram),
          std::max(a.lut, b.lut), std::max(a.ff, b.ff),         std::max(a.bram_bits, b.bram_bits)};
}

double gops(std::int64_t macs, double seconds) {
  return 2e-9 * static_cast<double>(macs) / seconds;
}

Convolution convolution_of(const design::Row& row, const Frequency& clock) {
  Optimum best;
  best.cycles = row.cycles;
  best.limiter = row.limiter;
  for (const auto& [name, value] : row.kernel) best.kernel.emplace_back(name, value);
  best.resources = resources_of(row.resources);
  best.seconds = seconds(row.cycles, clock);
  best.gops = gops(row.macs, best.seconds);
  best.cycles_first = false;
  Convolution c;
  c.layer = row.layer.name;
  c.kind = row.kind;
  c.launches = row.launches;
  c.macs = row.macs;
  c.optimal = std::move(best);
  return c;
}

// Returns one kernel for all rows: of each resource, the maximum over the rows.
NetworkKernel of_all(const std::vector<Convolution>& rows, const Frequency& clock) {
  NetworkKernel all;
  all.kernel = rows.front().optimal->kernel;
  all.resources = rows.front().optimal->resources;
  for (const Convolution& row : rows) {
    checked::add(all.cycles, row.optimal->cycles, kCycles);
    all.resources = most(all.resources, row.optimal->resources);
  }
  all.seconds = seconds(all.cycles, clock);
  return all;
}

// Compares cycles, then resources. Combinations come in the order of their values, so the first of equal ones stays.
template <class T>
bool fewer(const T& a, const T& b) {
  return std::make_pair(a.cycles, a.resources.counts()) < std::make_pair(b.cycles, b.resources.counts());
}

Planned plan(const Space& space, const GridConfig& config, const workloads::Network& network,
             std::int64_t combination) {
  Planned planned;
  try {
    config::RunConfig run = config.run;
    run.rung = config::Rung::Analytical;
    run.kernel = kernel_with(*space.design, *config.run.kernel, values_of(config.tried, combination));
    for (const design::Row& row : space.design->plan(run, network)->rows()) {
      planned.rows.push_back(convolution_of(row, run.kernel->clock));
    }
  } catch (const Error& error) {
    planned.why_not = error.what();
  }
  return planned;
}

void add_convolutions(Result& result, const std::vector<Convolution>& rows, const Budget& budget) {
  std::vector<Convolution>& all = result.convolutions;
  if (all.empty()) {
    all = rows;
    for (Convolution& each : all) {
      each.arrays = *result.combinations;
      each.optimal.reset();
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!within(rows[i].optimal->resources, budget)) continue;
    const std::int64_t fitting = all[i].fitting + 1;
    if (!all[i].optimal || fewer(*rows[i].optimal, *all[i].optimal)) all[i] = rows[i];
    all[i].arrays = *result.combinations;
    all[i].fitting = fitting;
  }
}

// Returns the values that the equations depend on.
std::vector<Value> known(const GridConfig& config, const Kernel& kernel) {
  std::vector<Value> values;
  for (const Tried& each : config.tried) {
    if (!each.axis.unknown) values.push_back(value_in(kernel, each.axis.key));
  }
  return values;
}

// Simulates the first `rerank` of the ranked that differ in the equations, each with every value of the other keys.
void rerank(const Space& space, const GridConfig& config, const Result& result, std::vector<NetworkKernel>& ranked,
            const workloads::Network& network, const SimulatedCycles& simulate, const Progress& progress) {
  std::vector<std::vector<Value>> chosen;
  std::vector<NetworkKernel*> wanted;
  for (NetworkKernel& found : ranked) {
    const std::vector<Value> of = known(config, found.kernel);
    if (std::find(chosen.begin(), chosen.end(), of) == chosen.end()) {
      if (static_cast<int>(chosen.size()) == config.rerank) continue;
      chosen.push_back(of);
    }
    wanted.push_back(&found);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (progress) progress("simulated kernels", static_cast<std::int64_t>(i), static_cast<std::int64_t>(wanted.size()));
    config::RunConfig run = config.run;
    if (run.rung == config::Rung::Analytical) run.rung = config::Rung::Exact;
    run.mode = config::Mode::Timing;
    run.kernel = kernel_with(*space.design, *run.kernel, values_in(wanted[i]->kernel, result.searched));
    wanted[i]->simulated = simulate(run, network, {});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const NetworkKernel& a, const NetworkKernel& b) {
    if (a.simulated.has_value() != b.simulated.has_value()) return a.simulated.has_value();
    return a.simulated &&
           std::make_pair(*a.simulated, a.resources.counts()) < std::make_pair(*b.simulated, b.resources.counts());
  });
}

}  // namespace

Result explore(const Space& space, const GridConfig& config, Result result, const workloads::Network& network,
               const SimulatedCycles& simulate, const Progress& progress) {
  result.network = network.name;
  const std::int64_t combinations = *result.combinations;
  std::vector<Planned> all(static_cast<std::size_t>(combinations));
  os::parallel_for(
      all.size(), config.run.workers.value_or(os::processors()),
      [&](std::size_t i) { all[i] = plan(space, config, network, static_cast<std::int64_t>(i)); },
      [&](std::size_t done) {
        if (progress) progress("kernels", static_cast<std::int64_t>(done), combinations);
      });
  std::vector<NetworkKernel> ranked;
  result.possible = 0;
  for (const Planned& planned : all) {
    if (planned.rows.empty()) continue;
    ++*result.possible;
    add_convolutions(result, planned.rows, config.budget);
    NetworkKernel found = of_all(planned.rows, config.run.kernel->clock);
    if (within(found.resources, config.budget)) ranked.push_back(std::move(found));
  }
  result.fitting = static_cast<std::int64_t>(ranked.size());
  if (*result.possible == 0) {
    throw Error(fmt::format("space: no combination gives a valid kernel; the first combination: {}", all[0].why_not));
  }
  if (ranked.empty()) {
    throw Error(fmt::format("budget: none of {} kernels fits; allowed: a larger budget, or a space with smaller ones",
                            *result.possible));
  }
  std::stable_sort(ranked.begin(), ranked.end(), fewer<NetworkKernel>);
  if (config.rerank > 0) rerank(space, config, result, ranked, network, simulate, progress);
  const auto behind = std::find_if(ranked.begin(), ranked.end(), [](const NetworkKernel& k) { return !k.simulated; });
  ranked.resize(std::min(ranked.size(), std::max(kRanked, static_cast<std::size_t>(behind - ranked.begin()))));
  Cycles cycles = 0;
  std::int64_t macs = 0;
  for (const Convolution& c : result.convolutions) {
    checked::add(cycles, c.optimal ? c.optimal->cycles : 0, kCycles);
    checked::add(macs, c.macs, "the multiply-accumulates of all convolutions");
  }
  for (NetworkKernel& kernel : ranked) kernel.gops = gops(macs, kernel.seconds);
  result.network_kernels = std::move(ranked);
  result.optimal = optimal_of(result, config.run, cycles, result.convolutions.size());
  return result;
}

}  // namespace weft::dse::grid

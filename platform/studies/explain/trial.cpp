#include "platform/studies/explain/trial.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/timeline/result.h"
#include "platform/run/accounting.h"
#include "platform/run/figures.h"

namespace weft::explain {

using config::RunConfig;

namespace {

constexpr Frequency kPicoseconds{1'000'000, 1};  // clock with a period of 1 ps, in MHz

// Re-reads the kernel as from a file, which refuses an invalid one.
RunConfig as_written(RunConfig run) {
  run.kernel = design::design_of(run).read_kernel(run.kernel->write(), "kernel");
  return run;
}

std::string memory_text(const RunConfig& run) {
  if (const auto* ideal = std::get_if<config::IdealMemory>(&run.board.memory)) {
    return fmt::format("ideal, latency {}", ideal->latency_cycles);
  }
  const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory);
  if (!ddr4) return config::kind_name(run.board.memory);
  return fmt::format("DDR4-{}, {} channels", config::exact_text(ddr4->data_rate_mtps), ddr4->channels);
}

void sort(std::vector<Share>& shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.of_time > b.of_time; });
}

std::vector<Share> limiters_of(const run::Result& result, Cycles cycles) {
  std::map<std::string, Cycles> limiters;
  for (const run::Row& row : result.rows) limiters[row.limiter] += row.cycles;
  std::vector<Share> shares;
  shares.reserve(limiters.size());
  for (const auto& [name, of] : limiters)
    shares.push_back({name, static_cast<double>(of) / static_cast<double>(cycles)});
  sort(shares);
  return shares;
}

std::vector<Share> parts_of(const timeline::TrainingIteration& iteration) {
  std::vector<Share> shares;
  const auto add = [&](const char* name, Picoseconds part) {
    if (part > 0) shares.push_back({name, static_cast<double>(part) / static_cast<double>(iteration.timeline.end)});
  };
  for (std::size_t i = 0; i < timeline::kStepKinds; ++i) {
    add(timeline::kPartNames.at(i).name, iteration.parts.time.at(i));
  }
  add("idle", iteration.parts.idle);
  sort(shares);
  return shares;
}

// Bytes of a beat of the port that moves a tensor: that of its name, else the widest.
Bytes width_of(const config::Kernel& kernel, std::string tensor) {
  std::transform(tensor.begin(), tensor.end(), tensor.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const config::KernelPort& port : kernel.ports()) {
    if (port.name == tensor) return port.beat_bytes;
  }
  return kernel.beat_bytes();
}

// Lower bound: every tensor is moved once. Per row, the time of the slowest port or channel.
double memory_cycles(const run::Result& result) {
  const config::Kernel& kernel = *result.config.kernel;
  const double channel_bytes_per_cycle =
      static_cast<double>(result.channel_peak_bytes_per_second) / (1e6 * mhz(kernel.clock));
  double cycles = 0;
  for (const run::Row& row : result.rows) {
    double longest = 0;
    std::map<int, Bytes> channels;
    for (const design::UnitTensor& tensor : row.tensors) {
      channels[tensor.channel] += tensor.bytes;
      longest = std::max(longest, static_cast<double>(ceil_div(tensor.bytes, width_of(kernel, tensor.name))));
    }
    for (const auto& [channel, bytes] : channels) {
      if (channel_bytes_per_cycle > 0)
        longest = std::max(longest, static_cast<double>(bytes) / channel_bytes_per_cycle);
    }
    cycles += longest;
  }
  return cycles;
}

double array_cycles(const run::Result& result) {
  double cycles = 0;
  for (const run::Row& row : result.rows) cycles += static_cast<double>(row.macs) / static_cast<double>(row.peak_macs);
  return cycles;
}

}  // namespace

std::vector<Bound> convolution_bounds(const run::Result& result, const char* of) {
  const auto bound = [&](const char* name, const char* meaning, double count) {
    Bound bound{name, meaning, of};
    bound.cycles = checked::rounded_up("the cycles of a bound", count);
    bound.seconds = seconds(*bound.cycles, result.config.kernel->clock);
    return bound;
  };
  return {bound("array", "every PE computes in every cycle", array_cycles(result)),
          bound("memory", "every tensor is moved once", memory_cycles(result))};
}

std::string Runs::key_of(const RunConfig& run) {
  const config::KernelsOfDse& kernels = run.schedule.kernels;
  return config::to_yaml(run::cycles_node(run)) +
         fmt::format("{} {} {}", kernels.dse, kernels.own, kernels.penalty_milli_percent);
}

Runs::Convolutions Runs::planned(const RunConfig& run, std::vector<run::Planned>& plans) {
  Convolutions convolutions;
  try {
    const RunConfig read = as_written(run);
    if (read.rung != config::Rung::Analytical) config::require_simulated_memory(read);
    const workloads::Network network = iterations_.network(read);
    if (timeline::on_kernels_of_schedule(read)) {
      convolutions.parts = iterations_.parts(read, network);
    } else {
      convolutions.parts.push_back({read, network, {}, false});
    }
    for (const timeline::Part& part : convolutions.parts) plans.push_back(run::plan(part.run, part.network));
    convolutions.result.config = read;
    convolutions.result.network = network;
  } catch (const Error& error) {
    plans.clear();
    convolutions.why_not = error.what();
  }
  return convolutions;
}

void Runs::simulate(const std::vector<RunConfig>& runs) {
  std::map<std::string, Convolutions> fresh;
  std::map<std::string, std::vector<run::Planned>> plans;
  std::vector<run::Planned*> all;
  for (const RunConfig& run : runs) {
    const std::string key = key_of(run);
    if (known_.count(key) != 0 || fresh.count(key) != 0) continue;
    fresh[key] = planned(run, plans[key]);
    for (run::Planned& each : plans[key]) all.push_back(&each);
  }
  simulations_.simulate(all, progress_);
  for (auto& [key, convolutions] : fresh) {
    if (convolutions.why_not.empty()) {
      std::vector<run::Result> results;
      for (std::size_t i = 0; i < convolutions.parts.size(); ++i) {
        convolutions.parts[i].rows = plans[key][i].result.rows;
        results.push_back(std::move(plans[key][i].result));
      }
      const run::Result& whole = convolutions.result;
      convolutions.result =
          results.size() == 1 ? std::move(results.front()) : run::merged(whole.config, whole.network, results);
      convolutions.misfits = static_cast<std::int64_t>(run::rows_that_do_not_fit(convolutions.result).size());
    }
    known_[key] = std::make_shared<const Convolutions>(std::move(convolutions));
  }
}

Tried Runs::tried(const RunConfig& run) {
  const Convolutions& convolutions = *known_.at(key_of(run));
  Tried tried;
  tried.why_not = convolutions.why_not;
  tried.misfits = convolutions.misfits;
  if (!tried.why_not.empty()) return tried;
  if (!iteration_) {
    tried.time = Time{run::sum_of(convolutions.result).cycles, run.kernel->clock};
    return tried;
  }
  try {
    tried.time = Time{iterations_.of(run, convolutions.parts).timeline.end, kPicoseconds};
  } catch (const Error& error) {
    tried.why_not = error.what();
  }
  return tried;
}

std::vector<Tried> Runs::operator()(const std::vector<RunConfig>& runs) {
  simulate(runs);
  std::vector<Tried> all;
  all.reserve(runs.size());
  for (const RunConfig& run : runs) all.push_back(tried(run));
  return all;
}

const run::Result& Runs::result(const RunConfig& run) const {
  return known_.at(key_of(run))->result;
}

Figures Runs::figures(const RunConfig& run) {
  const Convolutions& convolutions = *known_.at(key_of(run));
  const run::Result& result = convolutions.result;
  const run::Sum sum = run::sum_of(result);
  const run::Figures f = run::figures(result, sum);
  Figures figures;
  figures.seconds = figures.convolutions_seconds = f.seconds;
  figures.limiters = figures.shares = limiters_of(result, sum.cycles);
  figures.kernels = result.kernels;
  if (iteration_) {
    const timeline::TrainingIteration iteration = iterations_.of(run, convolutions.parts);
    figures.seconds = timeline::seconds(iteration.timeline.end);
    figures.shares = parts_of(iteration);
    figures.kernels = static_cast<std::int64_t>(iteration.timeline.kernels);
    figures.loads = iteration.timeline.loads;
  }
  figures.epoch_hours = *figures.seconds * static_cast<double>(run.iterations_per_epoch()) / 3600;
  figures.cycles = sum.cycles;
  figures.kinds.emplace();
  for (const auto& [kind, of_kind] : run::sums_by_kind(result)) {
    figures.kinds->of.at(static_cast<std::size_t>(kind)) = of_kind.cycles;
  }
  figures.utilisation = f.utilisation;
  figures.stall_share = f.stall_share;
  figures.ddr_efficiency = f.ddr_efficiency;
  figures.misfits = convolutions.misfits;
  figures.resources.emplace();
  for (const ResourceUse& use : run::largest_use(result)) {
    if (use.known) figures.resources->push_back({use.name, use.used, use.available});
  }
  figures.kernel = run.schedule.kernels.given()
                       ? fmt::format("{} kernels of {}", result.kernels, run.schedule.kernels.dse)
                       : run.kernel->text().headline;
  figures.memory = memory_text(run);
  return figures;
}

}  // namespace weft::explain

#include "platform/studies/validate/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "platform/catalogue/designs.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/run/simulate.h"

namespace weft::validate {

namespace {

constexpr std::int64_t kWhole = 1'000'000;

std::size_t longest(const std::vector<Cycles>& work) {
  return static_cast<std::size_t>(std::max_element(work.begin(), work.end()) - work.begin());
}

Measurement by_equations(const design::Equations& equations) {
  Measurement result;
  result.cycles = equations.cycles;
  result.work = equations.work;
  result.limiter = longest(result.work);
  return result;
}

Measurement by_simulation(Cycles cycles, const std::vector<Activities>& activities) {
  Measurement result;
  result.cycles = cycles;
  result.simulated = true;
  result.activities = activities;
  for (const Activities& block : activities) result.work.push_back(block.of(Activity::Active));
  result.limiter = longest(result.work);
  return result;
}

config::Rung run_rung(Rung rung) {
  return rung == Rung::SystemC ? config::Rung::SystemC
         : rung == Rung::Exact ? config::Rung::Exact
                               : config::Rung::Analytical;
}

// Every row includes its equations, so one run gives both the analytical and the simulated cycles.
std::vector<Pair> frame(const KernelRun& kernel, const run::Result& result) {
  const Topology& topology = design::design_of(result.config).topology();
  std::vector<Pair> pairs;
  for (const run::Row& row : result.rows) pairs.push_back({kernel.label, &topology, row.layer, row.kind, {}, {}});
  return pairs;
}

class KernelComparison {
 public:
  KernelComparison(const KernelRun& kernel, const config::Library& library, const cosim::BuildContext& build_context)
      : kernel_(kernel), network_(training::load_network(kernel.run, library)), build_context_(build_context) {
    config::RunConfig run = kernel.run;
    run.rung = config::Rung::Analytical;
    equations_ = run::simulate(run, network_, {});
  }

  std::vector<Pair> pairs() const { return frame(kernel_, equations_); }

  std::vector<Measurement> measure(Rung rung, const run::Progress& progress) const {
    std::vector<Measurement> result;
    if (rung == Rung::Analytical) {
      for (const run::Row& row : equations_.rows) result.push_back(by_equations(row.equations));
      return result;
    }
    config::RunConfig run = kernel_.run;
    if (rung == Rung::Rtl) {
      for (const RtlRow& row : run_rtl(run, network_, build_context_, progress)) {
        result.push_back(by_simulation(row.cycles, row.activities));
        result.back().processor_seconds = row.processor_seconds;
      }
      return result;
    }
    run.rung = run_rung(rung);
    for (const run::Row& row : run::simulate(run, network_, progress).rows) {
      result.push_back(by_simulation(row.cycles, row.blocks));
      result.back().repeats = row.repeats;
      result.back().processor_seconds = row.processor_seconds;
    }
    return result;
  }

 private:
  const KernelRun& kernel_;
  workloads::Network network_;
  const cosim::BuildContext& build_context_;
  run::Result equations_;
};

// Terms of `simulated - equations` at the limiting block of the equations.
Cause against_equations(const Measurement& equations, const Measurement& simulated) {
  const Activities& a = simulated.activities[equations.limiter];
  return {equations.limiter, a.of(Activity::Active) - equations.cycles, a.of(Activity::Blocked),
          a.of(Activity::Starved), a.of(Activity::Idle)};
}

Cause between_simulations(const Measurement& model, const Measurement& against) {
  Cause worst;
  Cycles largest = -1;
  for (std::size_t i = 0; i < model.activities.size(); ++i) {
    const auto by = [&](Activity activity) {
      return against.activities[i].of(activity) - model.activities[i].of(activity);
    };
    const Cause one{i, by(Activity::Active), by(Activity::Blocked), by(Activity::Starved), by(Activity::Idle)};
    const Cycles size = std::abs(one.work) + std::abs(one.blocked) + std::abs(one.starved) + std::abs(one.idle);
    if (size > largest) {
      largest = size;
      worst = one;
    }
  }
  return worst;
}

// Returns the blocks at the `far` ends of the FIFOs whose `near` ends are at a block, in FIFO order.
std::vector<std::size_t> blocks_at(const char* FifoInfo::*far, const char* FifoInfo::*near, const Topology& topology,
                                   std::size_t block) {
  std::vector<std::size_t> found;
  for (const FifoInfo& fifo : topology.fifos) {
    if (std::string_view(fifo.*near) != topology.blocks[block].name) continue;
    found.push_back(find_index(topology.blocks, fifo.*far));
  }
  return found;
}

std::vector<std::size_t> producers(const Topology& topology, std::size_t block) {
  return blocks_at(&FifoInfo::producer, &FifoInfo::consumer, topology, block);
}

std::optional<std::size_t> after(const Topology& topology, std::size_t block) {
  const std::vector<std::size_t> next = blocks_at(&FifoInfo::consumer, &FifoInfo::producer, topology, block);
  return next.empty() ? std::nullopt : std::optional(next.front());
}

// The producer that `block` waits for: of several, the one that is blocked least.
std::optional<std::size_t> before(const Topology& topology, std::size_t block,
                                  const std::vector<Activities>& activities) {
  std::optional<std::size_t> found;
  for (const std::size_t one : producers(topology, block)) {
    if (!found || activities[one].of(Activity::Blocked) <= activities[*found].of(Activity::Blocked)) found = one;
  }
  return found;
}

std::string share(Cycles term, const Measurement& against) {
  return fmt::format("{:.2f}%", 100.0 * static_cast<double>(term) / static_cast<double>(against.cycles));
}

}  // namespace

Cause cause(const Measurement& model, const Measurement& against) {
  if (model.simulated && against.simulated) return between_simulations(model, against);
  if (against.simulated) return against_equations(model, against);
  const Cause reverse = against_equations(against, model);
  return {reverse.block, -reverse.work, -reverse.blocked, -reverse.starved, -reverse.idle};
}

std::size_t culprit(const Topology& topology, std::size_t block, Activity activity, Cycles amount,
                    const std::vector<Activities>& activities) {
  const auto waits = [&](std::size_t one, Activity how) { return 2 * activities[one].of(how) >= amount; };
  for (;;) {
    const std::optional<std::size_t> next =
        activity == Activity::Starved ? before(topology, block, activities) : after(topology, block);
    if (!next) return block;
    const std::size_t last = block;
    block = *next;
    if (waits(block, activity)) continue;
    if (activity != Activity::Blocked || !waits(block, Activity::Starved)) return block;
    // The block lacks data of another producer.
    const std::vector<std::size_t> feeders = producers(topology, block);
    const auto other = std::find_if(feeders.begin(), feeders.end(), [&](std::size_t one) { return one != last; });
    if (other == feeders.end()) return block;
    block = *other;
    if (!waits(block, Activity::Starved)) return block;
    activity = Activity::Starved;
  }
}

namespace {

const char* name_of(const Pair& pair, std::size_t block) {
  return pair.topology->blocks[block].name;
}

// Explains a difference between equations and simulation by the excess cycles of the equations' limiting block.
std::string reason_at_limiter(const Pair& pair) {
  const Cause c = cause(pair.model, pair.against);
  const Cycles largest = std::max({std::abs(c.work), std::abs(c.blocked), std::abs(c.starved), std::abs(c.idle)});
  const std::string block = name_of(pair, c.block);
  const auto part = [&](Cycles term) { return block + " " + share(term, pair.against); };
  if (largest == 0) return "no difference";
  if (largest == std::abs(c.work)) return part(c.work) + " of work that its equation does not count";
  const Activity how = largest == std::abs(c.blocked)   ? Activity::Blocked
                       : largest == std::abs(c.starved) ? Activity::Starved
                                                        : Activity::Idle;
  const Measurement& simulated = pair.against.simulated ? pair.against : pair.model;
  const std::size_t by = culprit(*pair.topology, c.block, how, largest, simulated.activities);
  if (by == c.block) {
    return part(largest) +
           (how == Activity::Starved ? " starved, waiting for memory" : " waiting, at the end of the pipe");
  }
  const Cycles works = simulated.activities[by].of(Activity::Active);
  if (how == Activity::Idle)
    return part(largest) + fmt::format(" idle, while {} and what follows finish", name_of(pair, by));
  return part(largest) + fmt::format(" {} by {}, itself active {} of the time",
                                     how == Activity::Blocked ? "held up" : "kept waiting", name_of(pair, by),
                                     share(works, pair.against));
}

std::string reason_between_simulations(const Pair& pair) {
  const Cause c = cause(pair.model, pair.against);
  if (c.work == 0 && c.blocked == 0 && c.starved == 0 && c.idle == 0) return "no block differs";
  return fmt::format("{} {} active, {} blocked, {} starved, {} idle", name_of(pair, c.block),
                     share(c.work, pair.against), share(c.blocked, pair.against), share(c.starved, pair.against),
                     share(c.idle, pair.against));
}

}  // namespace

std::string reason(const Pair& pair) {
  if (pair.model.simulated && pair.against.simulated) return reason_between_simulations(pair);
  const Measurement& equations = pair.against.simulated ? pair.model : pair.against;
  const Measurement& simulated = pair.against.simulated ? pair.against : pair.model;
  std::string text = reason_at_limiter(pair);
  if (equations.limiter == simulated.limiter) return text;
  const std::size_t at = simulated.limiter;
  return text + fmt::format("; {} works longest, {} more than its equation", name_of(pair, simulated.limiter),
                            share(simulated.work[at] - equations.work[at], pair.against));
}

std::vector<Pair> compare(const ValidateConfig& config, const config::Library& library,
                          const cosim::BuildContext& build_context, const Progress& progress) {
  std::vector<Pair> pairs;
  const auto steps = static_cast<std::int64_t>(2 * config.kernels.size());
  std::int64_t step = 0;
  for (const KernelRun& kernel : config.kernels) {
    const KernelComparison comparison(kernel, library, build_context);
    const auto report = [&](std::int64_t done, std::int64_t expected) {
      if (!progress || expected <= 0) return;
      const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(expected));
      const double whole = (static_cast<double>(step) + part) / static_cast<double>(steps);
      progress(static_cast<std::int64_t>(whole * static_cast<double>(kWhole)), kWhole);
    };
    std::vector<Pair> rows = comparison.pairs();
    const std::vector<Measurement> model = comparison.measure(config.model, report);
    ++step;
    const std::vector<Measurement> against = comparison.measure(config.against, report);
    ++step;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].model = model[i];
      rows[i].against = against[i];
      pairs.push_back(std::move(rows[i]));
    }
  }
  return pairs;
}

}  // namespace weft::validate

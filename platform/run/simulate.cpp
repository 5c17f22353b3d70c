#include "platform/run/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "model/core/error.h"
#include "platform/design/designs.h"
#include "platform/os/worker_pool.h"
#include "platform/run/accounting.h"
#include "platform/run/unit_words.h"

namespace weft::run {

namespace {

// The unit that is simulated for each: itself, or an equal one before it. In data mode none are equal: their data
// differ.
std::vector<std::size_t> first_equals(const config::RunConfig& run, const design::Work& work, std::size_t units) {
  std::vector<std::size_t> first(units);
  std::iota(first.begin(), first.end(), std::size_t{0});
  if (run.mode == config::Mode::Data) return first;
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (std::size_t unit = 0; unit < units; ++unit) {
    first[unit] = known.emplace(work.identity(unit), unit).first->second;
  }
  return first;
}

void simulate_rows(const config::RunConfig& config, const Topology& topology, const design::Work& work,
                   std::vector<Row>& rows, const Progress& progress) {
  const std::vector<design::Work::Unit> units = work.units();
  const std::vector<std::size_t> first = first_equals(config, work, units.size());
  std::vector<std::int64_t> weights;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    weights.push_back(first[unit] == unit ? units[unit].weight : 0);
  }
  std::vector<std::size_t> order = os::longest_first(weights);
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t unit) { return first[unit] != unit; }),
              order.end());
  os::WorkerPool pool(units.size(), unit_words(topology) * sizeof(std::int64_t),
                      config.workers.value_or(os::processors()));
  const std::int64_t expected = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  pool.run(
      order, weights,
      [&](std::size_t unit, void* result, const std::function<void(Cycles)>& report) {
        const Row& row = rows[units[unit].row];
        try {
          write_unit(work.simulate(unit, config.seed + unit, report), static_cast<std::int64_t*>(result));
        } catch (const Deadlock& error) {
          throw Deadlock(fmt::format("layer '{}', {}: {}", row.layer.name, conv::to_string(row.kind), error.what()));
        } catch (const Error& error) {
          throw Error(fmt::format("layer '{}', {}: {}", row.layer.name, conv::to_string(row.kind), error.what()));
        }
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      });
  for (Row& row : rows) {
    row.cycles = 0;
    row.pe_cycles.assign(topology.pe_classes.size(), 0);
    row.repeats = config.mode == config::Mode::Timing;
    if (config.mode == config::Mode::Data) row.data = design::DataCheck{};
  }
  std::vector<std::size_t> added(rows.size(), 0);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    Row& row = rows[units[unit].row];
    const bool counted = first[unit] != unit;
    row.repeats = row.repeats && counted;
    const design::UnitResult result = read_unit(topology, static_cast<const std::int64_t*>(pool.result(first[unit])));
    add(row, result, counted);
    row.units[added[units[unit].row]++].cycles = result.cycles + result.drain_cycles;
  }
  for (Row& row : rows) row.limiter = work.limiter(row);
}

Result prepared(const config::RunConfig& config, const workloads::Network& network, const design::Work& work) {
  const design::Design& design = design::design_of(config);
  Result result;
  result.config = config;
  result.network = network;
  result.rows = work.rows();
  for (Row& row : result.rows) {
    row.blocks.resize(design.topology().blocks.size());
    row.ports.resize(design.topology().ports.size());
  }
  describe_units(work, result.rows);
  describe_memory(result);
  count_kernels(result);
  return result;
}

}  // namespace

Result prepare(const config::RunConfig& config, const workloads::Network& network) {
  return prepared(config, network, *design::design_of(config).plan(config, network));
}

Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress) {
  const design::Design& design = design::design_of(config);
  const std::unique_ptr<design::Work> work = design.plan(config, network);
  Result result = prepared(config, network, *work);
  if (config.strict_fit) require_fit(result);
  if (config.rung != config::Rung::Analytical) simulate_rows(config, design.topology(), *work, result.rows, progress);
  return result;
}

}  // namespace weft::run

#include "platform/run/simulate.h"

#include <map>
#include <memory>
#include <numeric>

#include "platform/design/designs.h"
#include "platform/os/worker_pool.h"
#include "platform/run/accounting.h"
#include "platform/run/unit_jobs.h"

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
  UnitJobs jobs(topology, config.workers.value_or(os::processors()));
  std::vector<std::size_t> job(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    if (first[unit] == unit) job[unit] = jobs.add(work, unit, units[unit].weight, config.seed, rows[units[unit].row]);
  }
  jobs.run(progress);
  for (Row& row : rows) {
    begin_adding(row, topology);
    row.repeats = config.mode == config::Mode::Timing;
    if (config.mode == config::Mode::Data) row.data = design::DataCheck{};
  }
  std::vector<std::size_t> added(rows.size(), 0);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    Row& row = rows[units[unit].row];
    const bool counted = first[unit] != unit;
    row.repeats = row.repeats && counted;
    const design::UnitResult result = jobs.result(job[first[unit]]);
    add(row, result, counted);
    row.units[added[units[unit].row]++].cycles = result.cycles + result.drain_cycles;
  }
  for (Row& row : rows) row.limiter = work.limiter(row);
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

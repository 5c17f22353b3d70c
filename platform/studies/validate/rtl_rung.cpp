#include <fmt/core.h>

#include <ctime>
#include <memory>
#include <new>
#include <numeric>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/worker_pool.h"
#include "platform/studies/validate/comparison.h"

namespace weft::validate {

namespace {

// Result of a unit, followed by the activities of each block.
struct UnitHead {
  Cycles cycles = 0;
  double processor_seconds = 0;
};

cosim::Verdict run_unit(const cosim::RunCases& cases, std::size_t unit, std::uint64_t seed,
                        const cosim::BuildContext& build_context) {
  const cosim::RtlBuild build(cases.hardware(unit), build_context);
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  cosim::PlacedCase placed = cases.place(unit, seed);
  cosim::Verdict verdict = cosim::run_lockstep(*rtl, *placed.convolution, placed.stores, placed.environment);
  if (!verdict.equal()) {
    const cosim::RunCases::Unit& what = cases.units()[unit];
    throw Error(
        fmt::format("layer '{}', {}: the RTL differs from the model: {}", what.layer, what.kind, verdict.difference));
  }
  return verdict;
}

}  // namespace

std::vector<RtlRow> run_rtl(const config::RunConfig& config, const workloads::Network& network,
                            const cosim::BuildContext& build_context,
                            const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const cosim::RtlDesign& rtl_design = design::rtl_design_of(design::design_of(config));
  const std::unique_ptr<cosim::RunCases> cases = rtl_design.plan(config, network);
  const std::vector<cosim::RunCases::Unit>& units = cases->units();
  const std::size_t blocks = rtl_design.topology().blocks.size();
  std::vector<std::int64_t> weights;
  weights.reserve(units.size());
  for (const cosim::RunCases::Unit& unit : units) weights.push_back(unit.weight);
  const std::int64_t expected = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  os::WorkerPool pool(units.size(), sizeof(UnitHead) + blocks * sizeof(Activities),
                      config.workers.value_or(os::processors()));
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t unit, void* memory, const std::function<void(Cycles)>&) {
        const std::clock_t start = std::clock();
        const cosim::Verdict verdict = run_unit(*cases, unit, config.seed + unit, build_context);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        auto* const head = new (memory) UnitHead{verdict.cycles, seconds};
        std::uninitialized_copy(verdict.activities.begin(), verdict.activities.end(),
                                reinterpret_cast<Activities*>(head + 1));
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      });
  std::vector<RtlRow> rows(units.empty() ? 0 : units.back().row + 1);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto* const head = static_cast<const UnitHead*>(pool.result(unit));
    const auto* const activities = reinterpret_cast<const Activities*>(head + 1);
    RtlRow& row = rows[units[unit].row];
    row.cycles += head->cycles;
    row.processor_seconds += head->processor_seconds;
    row.activities.resize(blocks);
    for (std::size_t block = 0; block < blocks; ++block) row.activities[block] += activities[block];
  }
  return rows;
}

}  // namespace weft::validate

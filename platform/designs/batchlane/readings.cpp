#include <string>

#include "platform/config/model_config.h"
#include "platform/config/reading_table.h"
#include "platform/designs/batchlane/design.h"

namespace weft::batchlane {

namespace {

const std::vector<Reading<Readings>>& table() {
  using R = Readings;
  static const std::vector<Reading<R>> all{
      reading_of<R, &R::balance>("balance", {{R::Balance::Mean, "mean"}, {R::Balance::Slowest, "slowest"}}),
      reading_of<R, &R::writes>("writes", {{R::Writes::Serial, "serial"}, {R::Writes::Hidden, "hidden"}}),
      reading_of<R, &R::tail>("tail", {{R::Tail::Exposed, "exposed"}, {R::Tail::Hidden, "hidden"}})};
  return all;
}

}  // namespace

Readings readings_of(const std::vector<config::ReadingChoice>& given) {
  return config::readings_of(table(), given, Readings{});
}

std::vector<config::ReadingChoice> all_readings(const Readings& readings) {
  return config::all_readings(table(), readings);
}

Latencies latencies(const config::RunConfig& run) {
  const memory::MemoryConfig config = config::memory_config(run);
  // As model/memory defines them: one cycle to the first DRAM edge, and the first kernel edge behind the last.
  if (config.kind == memory::MemoryKind::ideal)
    return {config.ideal_latency_cycles + 1, config.ideal_latency_cycles + 1};
  const memory::ClockRatio clocks(config.kernel_clock, config.ddr4.data_rate_mtps);
  const auto& timing = config.ddr4.timing;
  const memory::Nck closed_row = timing.rcd_nck + timing.cl_nck + timing.burst_nck();
  return {1 + clocks.cycle_after(closed_row) + config.latency_cycles,
          1 + clocks.cycle_after(0) + config.latency_cycles + config.write_response_cycles};
}

}  // namespace weft::batchlane

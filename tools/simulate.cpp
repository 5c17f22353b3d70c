#include "tools/simulate.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/run/simulate.h"
#include "tools/iteration.h"
#include "tools/network.h"
#include "tools/report.h"
#include "tools/timeline_report.h"

namespace weft::tools {

std::string iteration_line(const run::Result& result) {
  try {
    const std::optional<timeline::TrainingIteration> iteration = Iterations().of(result);
    return iteration ? timeline_line(*iteration) : "";
  } catch (const Error& error) {
    return fmt::format("not known: {}", error.what());
  }
}

run::Result simulated(const config::RunConfig& run, Progress& progress) {
  const workloads::Network network = load_network(run, project_library());
  return run::simulate(run, network, [&](std::int64_t done, std::int64_t expected) {
    progress.set_total(expected);
    progress.update(done);
  });
}

Report simulate(const config::RunConfig& run, Progress& progress) {
  const run::Result result = simulated(run, progress);
  return report(result, iteration_line(result));
}

Report simulate_trace(const memory::Trace& trace, const config::Ddr4Memory& memory) {
  const memory::TraceResult result = memory::run_trace(trace, config::ddr4_config(memory));
  Report report;
  report.table = fmt::format(
      "requests      {} ({} reads, {} writes)\n"
      "DRAM cycles   {}\n"
      "bandwidth     {:.3f} GB/s\n"
      "row hits      {:.2f}%\n",
      result.requests, result.reads, result.writes, result.dram_cycles, result.gbps, 100 * result.row_hit_rate);
  if (result.reads > 0) {
    report.table += fmt::format("read latency  mean {:.1f}, p50 {}, p95 {}, p99 {} nCK\n", result.read_latency_mean,
                                result.read_latency_p50, result.read_latency_p95, result.read_latency_p99);
  }
  nlohmann::ordered_json json{{"requests", result.requests},
                              {"reads", result.reads},
                              {"writes", result.writes},
                              {"dram_cycles", result.dram_cycles},
                              {"gbps", result.gbps},
                              {"row_hit_rate", result.row_hit_rate},
                              {"read_latency_nck",
                               {{"mean", result.read_latency_mean},
                                {"p50", result.read_latency_p50},
                                {"p95", result.read_latency_p95},
                                {"p99", result.read_latency_p99}}}};
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools

#include "tools/run/simulate.h"

#include <fmt/core.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/iteration/training/run_network.h"
#include "platform/os/interrupt.h"
#include "platform/run/simulate.h"
#include "tools/run/report.h"

namespace weft::tools {

namespace {

// The line, or why it is not known. What the run's schedule says must be right all the same.
std::string unless_unknown(const std::function<std::string()>& line) {
  try {
    return line();
  } catch (const timeline::ScheduleError&) {
    throw;
  } catch (const Error& error) {
    return fmt::format("not known: {}", error.what());
  }
}

std::string line_of(timeline::Iterations& iterations, const run::Result& result) {
  const std::optional<timeline::TrainingIteration> iteration = iterations.of(result);
  return iteration ? timeline::line_of(timeline::result_of(*iteration, WEFT_VERSION)) : "";
}

}  // namespace

run::Result simulated(const config::RunConfig& run, Progress& progress) {
  return run::simulate(run, training::load_network(run, project_library()), progress.watcher());
}

std::variant<Report, run::Interrupted> simulate(const config::RunConfig& run, Progress& progress, const TableView& view,
                                                stream::Observer* observer,
                                                const std::function<void(const run::Result&)>& finished,
                                                run::RowCache* cache) {
  timeline::Iterations iterations(project_library());
  run::Planned planned = run::plan(run, iterations.network(run));
  const std::string unknown = unless_unknown([&] {
    iterations.check(planned.result);
    return std::string();
  });
  const std::variant<run::Result, run::Interrupted> done =
      run::simulate(std::move(planned), progress.watcher(), cache, &os::interrupt(), observer);
  if (const auto* const interrupted = std::get_if<run::Interrupted>(&done)) return *interrupted;
  const run::Result& result = std::get<run::Result>(done);
  if (finished) finished(result);
  const std::string line = unknown.empty() ? unless_unknown([&] { return line_of(iterations, result); }) : unknown;
  return report(run::record_of(result, line, WEFT_VERSION), view);
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

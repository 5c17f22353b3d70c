#include "tools/bench/rate.h"

#include <algorithm>

#include "platform/catalogue/load.h"
#include "platform/iteration/training/run_network.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"

namespace weft::tools {

Cost median_cost(const std::function<void()>& work, int runs) {
  std::vector<Cost> costs;
  costs.reserve(static_cast<std::size_t>(runs));
  for (int i = 0; i < runs; ++i) costs.push_back(cost_of(work));
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return a.processor_seconds < b.processor_seconds; });
  return costs[costs.size() / 2];
}

Rate rate_of(const std::string& config, const std::string& only, const std::string& rung, int batch, int runs,
             const std::vector<config::Override>& extra) {
  std::vector<config::Override> overrides{{"batch", std::to_string(batch), "bench"},
                                          {"rung", rung, "bench"},
                                          {"only", only, "bench", true},
                                          {"workers", "1", "bench"}};
  overrides.insert(overrides.end(), extra.begin(), extra.end());
  const config::RunConfig run = design::load_run(config, overrides, project_library());
  const workloads::Network network = training::load_network(run, project_library());
  const auto work = [&] { return run::simulate(run, network, {}).rows; };
  Rate rate;
  for (const run::Row& row : work()) {
    rate.cycles += row.cycles;
    rate.account += row.account;
  }
  const Cost cost = median_cost(work, runs);
  rate.seconds = cost.processor_seconds;
  rate.peak_bytes = cost.peak_bytes;
  return rate;
}

}  // namespace weft::tools

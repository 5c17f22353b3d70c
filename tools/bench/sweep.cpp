#include "tools/bench/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "model/core/error.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/iteration/training/run_network.h"
#include "platform/os/temporary_folder.h"
#include "platform/record/bytes.h"
#include "platform/run/simulate.h"
#include "platform/studies/sweep/crew/point.h"
#include "platform/studies/sweep/crew/runner.h"
#include "tools/bench/cost.h"
#include "tools/cli/cli.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

constexpr int kTurns = 3;

workloads::Network network_of(const config::RunConfig& run) {
  return training::load_network(run, project_library());
}

// A sweep of equal points in a folder that goes with it.
class EqualSweep {
 public:
  EqualSweep(const std::string& run, const std::string& set, int points) {
    std::ofstream(file("s.yaml")) << fmt::format("run: {}\nset: {}\nspace: {{seed: {{from: 1, to: {}, step: 1}}}}\n",
                                                 run, set, points);
  }

  sweep::Definition definition() const { return {file("s.yaml").string(), {}, project_library()}; }

  // All of it, as `weft sweep` does it. Workers at work at a time.
  double run(int workers) const {
    const sweep::Definition definition = this->definition();
    fs::remove(file("s.db"));
    sweep::Store store(file("s.db"));
    store.begin(definition, {definition.digest(network_of), "bench"}, false);
    timeline::Iterations iterations(project_library());
    sweep::PointRunner runner(definition, network_of, [&](const run::Result& result) { return iterations.of(result); });
    std::vector<std::int64_t> points(static_cast<std::size_t>(definition.points()));
    std::iota(points.begin(), points.end(), std::int64_t{0});
    const auto start = std::chrono::steady_clock::now();
    sweep::RunStatus status;
    {
      sweep::LocalCrew crew(workers, [&](std::int64_t point) { return record::to_bytes(runner.run(point)); });
      status = sweep::run_points(definition, store, crew, points, {});
    }
    if (status.failed > 0) throw Error("a point of the bench failed");
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    store.close();
    return status.busy_seconds / wall.count();
  }

 private:
  fs::path file(const char* name) const { return folder_.path() / name; }

  os::TemporaryFolder folder_{fs::temp_directory_path(), "weft-bench-"};
};

}  // namespace

double sweep_overhead_ms(const std::string& run, const std::string& set, int points) {
  const EqualSweep sweep(run, set, points);
  const config::RunConfig config = sweep.definition().run(0);
  const workloads::Network network = network_of(config);
  std::vector<double> overheads;
  for (int i = 0; i < kTurns; ++i) {
    const Cost whole = cost_of([&] { sweep.run(1); });
    const Cost bare = cost_of([&] {
      for (int point = 0; point < points; ++point) run::simulate(config, network, {});
    });
    overheads.push_back(1e3 * (whole.processor_seconds - bare.processor_seconds) / points);
  }
  std::sort(overheads.begin(), overheads.end());
  return overheads[kTurns / 2];
}

double sweep_speed_up() {
  const EqualSweep sweep("conv-small", "{batch: 8}", 40);
  std::vector<double> ratios;
  ratios.reserve(kTurns);
  for (int i = 0; i < kTurns; ++i) ratios.push_back(sweep.run(2));
  std::sort(ratios.begin(), ratios.end());
  return ratios[kTurns / 2];
}

}  // namespace weft::tools

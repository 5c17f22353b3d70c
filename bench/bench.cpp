#include "bench/bench.h"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"
#include "platform/os/standard_streams.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"

namespace weft::bench {

double processor_seconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Cost cost_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) os::fail("cannot start a process", errno);
  if (child == 0) {
    int code = 0;
    try {
      work();
    } catch (const std::exception& error) {
      os::say(fmt::format("weft: error: {}\n", error.what()));
      code = 1;
    }
    _exit(code);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0)
    throw Error("a benchmark failed before its work was done");
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {processor_seconds(usage), wall.count(), usage.ru_maxrss * 1024L};
}

std::string output_of_weft(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{WEFT_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  os::Output output = os::output_of({words});
  if (output.exit_code == 0) return std::move(output.text);
  throw Error(fmt::format("weft {} ended with {}: {}", arguments.front(), output.exit_code, output.text));
}

void add(const std::string& name, int repetitions, const std::string& unit, std::function<Counters()> measure) {
  const auto repetition = [unit, measure = std::move(measure)](benchmark::State& state) {
    for (auto _ : state) {
      const Counters counters = measure();
      state.SetIterationTime(counters.front().second);
      for (const auto& [key, value] : counters) state.counters[key] = value;
    }
    state.SetLabel(unit);
  };
  benchmark::RegisterBenchmark(name.c_str(), repetition)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kSecond);
}

void add(const std::string& name, const Bar& bar, std::function<Figure()> measure, int repetitions) {
  add(name, repetitions, bar.unit, [bar, measure = std::move(measure)] {
    const auto [measured, cost] = measure();
    return Counters{{"processor_seconds", cost.processor_seconds},
                    {"measured", measured},
                    {"bar", bar.value},
                    {"ratio", bar.at_least ? measured / bar.value : bar.value / measured},
                    {"peak_bytes", static_cast<double>(cost.peak_bytes)}};
  });
}

static config::RunConfig load(const std::string& name, Settings settings) {
  settings.emplace_back("workers=1");
  return design::load_run(name, tools::parse_overrides(settings), config::project_library());
}

Simulation::Simulation(const std::string& name, const Settings& settings)
    : run(load(name, settings)), network(training::load_network(run, config::project_library())) {}

Simulation Simulation::counted(const std::string& name, const Settings& settings) {
  Simulation simulation(name, settings);
  for (const run::Row& row : run::simulate(simulation.run, simulation.network, {}).rows) {
    simulation.cycles += row.cycles;
    simulation.account += row.account;
  }
  return simulation;
}

void Simulation::simulate() const {
  run::simulate(run, network, {});
}
Cost Simulation::cost() const {
  return cost_of([this] { simulate(); });
}

Figure Simulation::speed(const Cost& cost) const {
  return {static_cast<double>(cycles) / cost.processor_seconds / kMega, cost};
}

}  // namespace weft::bench

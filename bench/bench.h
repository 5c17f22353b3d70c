#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/run/result.h"
#include "workloads/network.h"

// weft-bench: speed of the project itself, by Google Benchmark. Benchmarks are named PART/WHAT; the median of the
// repetitions counts. Work runs in separate processes and is measured in processor seconds, so that other load on the
// machine has little effect.
namespace weft::bench {

struct Cost {
  double processor_seconds = 0, wall_seconds = 0;
  std::int64_t peak_bytes = 0;
};
double processor_seconds(const rusage& usage);
// Cost of `work` in a separate process, including its child processes. Throws Error if it fails.
Cost cost_of(const std::function<void()>& work);
// Output of the program weft with these arguments. Throws Error if it fails.
std::string output_of_weft(const std::vector<std::string>& arguments);

// Repetition: the value compared with a bar, and the cost of measuring it.
struct Figure {
  double measured = 0;
  Cost cost;
};
constexpr bool kAtLeast = true, kAtMost = false;
struct Bar {
  double value = 0;
  const char* unit = "";
  bool at_least = kAtLeast;
};

inline constexpr int kRepetitions = 3;
inline constexpr double kMega = 1e6, kGiga = 1e9;
inline constexpr const char *kHeadline = "googlenet-u250", *kIdeal = "memory={kind: ideal, latency_cycles: 40}";

using Counters = std::vector<std::pair<const char*, double>>;
// `measure`: returns the counters of a repetition; the first is its time in seconds.
void add(const std::string& name, int repetitions, const std::string& unit, std::function<Counters()> measure);
void add(const std::string& name, const Bar& bar, std::function<Figure()> measure, int repetitions = kRepetitions);
inline Figure seconds(const Cost& cost) {
  return {cost.processor_seconds, cost};
}

// Returns a function that calls `make` once and caches the result.
template <class Make>
auto lazy(Make make) {
  using Made = decltype(make());
  return [make, made = std::make_shared<std::optional<Made>>()]() -> const Made& {
    return *made ? **made : made->emplace(make());
  };
}

using Settings = std::vector<std::string>;  // KEY=VALUE

// Run on one worker.
struct Simulation {
  config::RunConfig run;
  workloads::Network network;
  Cycles cycles = 0;  // cycles of the convolutions; 0 if not counted
  engine::ExactAccount account;

  Simulation(const std::string& name, const Settings& settings);
  // Makes a simulation and runs it once to count its cycles.
  static Simulation counted(const std::string& name, const Settings& settings);
  void simulate() const;
  Cost cost() const;
  Figure speed(const Cost& cost) const;  // M cycles/s
};

void add_simulations();
void add_systems();  // simulated card with host programs, sweeps, pipelines, links and memories
// Prints the speed of the exact rung on 60 settings drawn at random, each some 8 million cycles times `batches`, and
// the worst, the tenth percentile and the median. Seed 20261127: those of draw_20261127.txt.
void print_draw(std::int64_t seed, int batches);
void add_growth();  // exact rung over batch, groups, convolutions, layer and array size

}  // namespace weft::bench

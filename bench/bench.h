#pragma once

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

// weft-bench: the project's own speed, by Google Benchmark. A benchmark is named PART/WHAT; the median of its
// repetitions counts. What is measured runs in processes of their own, in processor seconds, so that other work on the
// machine counts little.
namespace weft::bench {

struct Cost {
  double processor_seconds = 0, wall_seconds = 0;
  std::int64_t peak_bytes = 0;
};
// The cost of `work` in a process of its own, the processes that it starts included. Throws Error if it fails.
Cost cost_of(const std::function<void()>& work);
// The output of the program weft with these arguments. Throws Error if it fails.
std::string output_of_weft(const std::vector<std::string>& arguments);

// A repetition: the value that is held to a bar, and the cost of measuring it.
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
// `measure` returns the counters of a repetition; the first is its time in seconds.
void add(const std::string& name, int repetitions, const std::string& unit, std::function<Counters()> measure);
void add(const std::string& name, const Bar& bar, std::function<Figure()> measure, int repetitions = kRepetitions);
inline Figure seconds(const Cost& cost) {
  return {cost.processor_seconds, cost};
}

// A function that returns what `make` makes when it is first called.
template <class Make>
auto lazy(Make make) {
  using Made = decltype(make());
  return [make, made = std::make_shared<std::optional<Made>>()]() -> const Made& {
    return *made ? **made : made->emplace(make());
  };
}

using Settings = std::vector<std::string>;  // KEY=VALUE

// A run on one worker.
struct Simulation {
  config::RunConfig run;
  workloads::Network network;
  Cycles cycles = 0;  // of its convolutions; 0 unless they were counted
  engine::ExactAccount account;

  Simulation(const std::string& name, const Settings& settings);
  // The same, simulated once to count its cycles.
  static Simulation counted(const std::string& name, const Settings& settings);
  void simulate() const;
  Cost cost() const;
  Figure speed(const Cost& cost) const;  // M cycles/s
};

void add_simulations();
void add_systems();  // the simulated card, its host programs, sweeps, pipelines, links and memories
void add_growth();   // of the exact rung, as the batch, the groups, the convolutions, the layer and the array change

}  // namespace weft::bench

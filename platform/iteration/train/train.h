#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/train/train_config.h"
#include "platform/run/result.h"
#include "workloads/network.h"

namespace weft::train {

// Picoseconds of many iterations: holds 2^63 iterations of 2^63 ps.
__extension__ using LongTime = __int128;
double seconds(LongTime time);

// Figures of an iteration by its timeline.
struct IterationTime {
  Picoseconds end = 0;
  Picoseconds kernels = 0, host = 0;  // kernels: kernels run; host: only the host computes
  std::int64_t loads = 0;             // of bitstreams, in an iteration that follows an equal one
  std::size_t bitstreams = 0;
  Picoseconds load = 0;  // of each bitstream
};

// Levels of all convolutions, and the resulting cost of an iteration.
struct Setup {
  std::vector<precision::Level> levels;
  Cycles cycles = 0;
  std::int64_t macs = 0;                   // of weights that are kept
  Picoseconds convolutions = 0;            // time of the cycles, one convolution after the other
  std::optional<IterationTime> iteration;  // if the run has a host and a link
  Picoseconds counted = 0;

  // Bitstreams loaded once on entering this setup; 0 if an iteration has loads of its own, which include them.
  std::int64_t entering_loads() const { return iteration && iteration->loads == 0 ? 1 : 0; }
};

struct TimedStretch {
  std::int64_t iterations = 0;
  std::size_t setup = 0;
  bool enters = false;  // true if bitstreams are loaded: the previous setup has others, or there is none
};

struct Training {
  Counted counted = Counted::Iteration;
  std::vector<std::string> convolutions;     // "layer1.0.conv1:F", in the order of the graph
  std::vector<precision::LevelTimes> times;  // of each convolution in each of TrainConfig::runs
  std::vector<std::size_t> for_80_percent;   // fewest convolutions with 80 % of the lowest level's gain
  precision::PrecisionSchedule precision_schedule;
  std::vector<Setup> setups;                      // distinct; the first is FP32 only, or dense
  std::vector<std::vector<TimedStretch>> epochs;  // of `precision_schedule`

  LongTime time(const TimedStretch& stretch) const;
  LongTime time(std::size_t epoch) const;
  LongTime time() const;
  // Time without that in which only the host computes, with loads on entering: what the card takes when a host trains
  // live. Needs an iteration in each setup.
  LongTime card_time() const;
  // Loads of bitstreams; 0 without an iteration. All of these throw checked::Overflow.
  std::int64_t loads(const TimedStretch& stretch) const;
  std::int64_t loads(std::size_t epoch) const;
  std::int64_t loads() const;
};
// Time with FP32 only; of a training that prunes, with all weights. Throws checked::Overflow.
LongTime fp32_alone(const TrainConfig& config, const Training& training);

// The convolutions of a training, and the time of each in each of TrainConfig::runs.
struct Measured {
  std::vector<std::string> convolutions;     // "layer1.0.conv1:F", in the order of the graph
  std::vector<precision::LevelTimes> times;  // GM only; else empty
};
// Simulates each level once, for GM. Throws Error.
Measured measure(const TrainConfig& config, const workloads::Network& network, const config::Library& library,
                 const run::Progress& progress);

// Simulates each level once and replays the policy. `graph`: of the network as trained; null if there is no timeline.
// `progress`: of the simulations. Throws Error.
Training train(const TrainConfig& config, const workloads::Network& network,
               const std::shared_ptr<const timeline::TrainedGraph>& graph, const config::Library& library,
               const run::Progress& progress);

}  // namespace weft::train

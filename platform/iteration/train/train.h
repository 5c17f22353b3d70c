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

// Picoseconds of many iterations: 2^63 iterations of 2^63 ps fit.
__extension__ using LongTime = __int128;
double seconds(LongTime time);

// An iteration as a timeline has it.
struct IterationTime {
  Picoseconds end = 0;
  Picoseconds kernels = 0, host = 0;  // while kernels run; while only the host computes
  std::int64_t loads = 0;             // of bitstreams, in an iteration that follows an equal one
  std::size_t bitstreams = 0;
  Picoseconds load = 0;  // each
};

// Levels of all convolutions, and what an iteration takes in them.
struct Setup {
  std::vector<precision::Level> levels;
  Cycles cycles = 0;
  Picoseconds convolutions = 0;            // the cycles, one convolution behind the other
  std::optional<IterationTime> iteration;  // where the run has a host and a link
  Picoseconds counted = 0;

  // Bitstreams that are loaded once when training comes to this setup: those of an iteration that has loads of its own
  // are among these.
  std::int64_t entering_loads() const { return iteration && iteration->loads == 0 ? 1 : 0; }
};

struct TimedStretch {
  std::int64_t iterations = 0;
  std::size_t setup = 0;
  bool enters = false;  // another setup was before it, or none
};

struct Training {
  Counted counted = Counted::Iteration;
  std::vector<std::string> convolutions;     // "layer1.0.conv1:F", in the order of the graph
  std::vector<precision::LevelTimes> times;  // of each, in each of TrainConfig::runs
  std::vector<std::size_t> for_80_percent;   // the fewest convolutions with 80 % of what the lowest level gains
  precision::Course course;
  std::vector<Setup> setups;                      // distinct; the first is FP32 alone
  std::vector<std::vector<TimedStretch>> epochs;  // of the course

  LongTime time(const TimedStretch& stretch) const;
  LongTime time(std::size_t epoch) const;
  LongTime time() const;
  // Of bitstreams; 0 where no setup has an iteration. All throw checked::Overflow.
  std::int64_t loads(const TimedStretch& stretch) const;
  std::int64_t loads(std::size_t epoch) const;
  std::int64_t loads() const;
};
// Throws checked::Overflow.
LongTime fp32_alone(const TrainConfig& config, const Training& training);

// The convolutions of a training, and what each takes in each of TrainConfig::runs.
struct Measured {
  std::vector<std::string> convolutions;     // "layer1.0.conv1:F", in the order of the graph
  std::vector<precision::LevelTimes> times;  // for GM; else empty
};
// Simulates each level once, for GM. Throws Error.
Measured measure(const TrainConfig& config, const workloads::Network& network, const config::Library& library,
                 const run::Progress& progress);

// Simulates each level once and replays the policy. `graph`: of the network as it is trained; nothing where there is no
// timeline. `progress`: of the simulations. Throws Error.
Training train(const TrainConfig& config, const workloads::Network& network,
               const std::shared_ptr<const timeline::TrainedGraph>& graph, const config::Library& library,
               const run::Progress& progress);

}  // namespace weft::train

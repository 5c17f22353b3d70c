#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"
#include "tools/cli/progress.h"

namespace weft::tools {

// What an iteration of a run is made of beside the cycles of its convolutions: its network, and the training graph of
// that, nothing for a run that has no iteration (timeline::has_iteration), or no host or link. Throws Error.
struct IterationNetwork {
  workloads::Network network;
  std::shared_ptr<const timeline::TrainedGraph> graph;
};
IterationNetwork iteration_network(const config::RunConfig& run);

// A training iteration of the run's network: its convolutions are simulated, or, with `from`, their cycles are those of
// that result of `weft run`. Throws Error: a run without an iteration; a result of another run, naming the first key
// that differs.
timeline::TrainingIteration iteration(const config::RunConfig& run, const std::optional<std::string>& from,
                                      Progress& progress, run::RowCache* cache = nullptr);

// The iterations that results of runs make. Keeps the networks, training graphs and transfers that it has met.
class Iterations {
 public:
  // Nothing for a run that has none (timeline::has_iteration), or no host or link. Throws Error as iteration() does.
  std::optional<timeline::TrainingIteration> of(const run::Result& result);
  // What of() will find wrong with a run that is planned but not yet simulated. Throws Error.
  void check(const run::Result& prepared);
  // The network of a run, as load_network() gives it: it is read once for all that is asked here.
  workloads::Network network(const config::RunConfig& run);

 private:
  static bool has(const config::RunConfig& run);
  std::shared_ptr<const timeline::TrainedGraph> graph(const config::RunConfig& run);

  const training::TrainedNetwork& trained(const config::RunConfig& run);

  std::map<std::tuple<std::string, int, bool>, std::optional<training::TrainedNetwork>> networks_;
  using Key = std::tuple<const training::TrainedNetwork*, bool, config::Updates, std::string>;
  std::map<Key, std::shared_ptr<const timeline::TrainedGraph>> graphs_;
  timeline::Links links_;
};

}  // namespace weft::tools

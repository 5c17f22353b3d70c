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

// The network of a run as it is trained. Throws Error.
training::TrainedNetwork trained_network(const config::RunConfig& run);

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

// The iterations that results of runs make. Keeps the training graphs and the transfers that it has met.
class Iterations {
 public:
  // Nothing for a run that has none (timeline::has_iteration), or no host or link. Throws Error as iteration() does.
  std::optional<timeline::TrainingIteration> of(const run::Result& result);
  // What of() will find wrong with the run, as far as it is known before it is simulated. Throws Error.
  void check(const config::RunConfig& run, const workloads::Network& network);

 private:
  static bool has(const config::RunConfig& run);
  std::shared_ptr<const timeline::TrainedGraph> graph(const config::RunConfig& run);

  using Key = std::tuple<std::string, int, bool, bool, config::Updates, std::string>;
  std::map<Key, std::shared_ptr<const timeline::TrainedGraph>> graphs_;
  timeline::Links links_;
};

}  // namespace weft::tools

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "platform/iteration/timeline/run_iteration.h"
#include "platform/run/row_cache.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/store/store.h"

namespace weft::sweep {

// Returns the training iteration of simulated convolutions; nothing if there is none. Throws Error.
using IterationLoader = std::function<std::optional<timeline::TrainingIteration>(const timeline::Convolutions&)>;

// Runs points one after the other; caches the networks read.
class PointRunner {
 public:
  // `cache`: cache of simulated rows, if any.
  PointRunner(const Definition& definition, NetworkLoader load, IterationLoader iteration = {},
              std::optional<run::RowCache> cache = {})
      : definition_(&definition), load_(std::move(load)), iteration_(std::move(iteration)), cache_(std::move(cache)) {}

  // Throws Error if the values of a point make no valid run or cluster, or its network cannot be loaded.
  void check(std::int64_t point);
  // An error of the point is part of its outcome and is not thrown. `processes`: those of the sweep on this machine,
  // which share its memory.
  Outcome run(std::int64_t point, int processes = 1);

 private:
  const workloads::Network& network(const config::RunConfig& run);
  void simulate(std::int64_t point, int processes, Outcome& outcome);
  void plan(std::int64_t point, Outcome& outcome);
  PointIteration iteration(const timeline::Convolutions& convolutions) const;

  const Definition* definition_;
  NetworkLoader load_;
  IterationLoader iteration_;
  std::optional<run::RowCache> cache_;
  std::map<std::tuple<std::string, int, bool, bool, std::vector<std::int64_t>>, workloads::Network> networks_;
  std::map<std::string, workloads::ImportedGraph> graphs_;  // by path, for clusters
};

}  // namespace weft::sweep

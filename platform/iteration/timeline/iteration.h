#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/link/link.h"
#include "platform/config/run_config.h"
#include "platform/iteration/host/price.h"
#include "platform/iteration/timeline/parts.h"
#include "platform/iteration/timeline/timeline.h"
#include "workloads/graph/dependencies.h"
#include "workloads/graph/graph.h"

namespace weft::timeline {

// An invalid `schedule` of a run. Other errors of an iteration do not concern the schedule.
class ScheduleError : public InputError {
 public:
  explicit ScheduleError(const InputError& error) : InputError(error) {}
};

// Training graph of a network.
struct TrainedGraph {
  workloads::Graph graph;
  workloads::Dependencies dependencies;
  std::vector<std::string> notes;  // on the network: assumptions, omissions, possibly folded operators

  TrainedGraph(workloads::Graph of, std::vector<std::string> about)
      : graph(std::move(of)), dependencies(graph), notes(std::move(about)) {}
};

// A training iteration of a run's network, with all inputs of its timeline.
struct TrainingIteration {
  config::RunConfig run;
  config::Host host;
  std::shared_ptr<const TrainedGraph> network;
  Timeline timeline;
  Breakdown parts;                  // of the timeline
  std::vector<host::Price> prices;  // by operator
  std::vector<std::string> kernel_names;
  Picoseconds load_time = 0;
  std::int64_t queued_launches = 0;    // launches of groups after the first
  std::int64_t convolution_flops = 0;  // convolutions of the graph: 2 per useful multiply-accumulate

  const workloads::Graph& graph() const { return network->graph; }
  std::int64_t iterations_per_epoch() const { return run.iterations_per_epoch(); }
};

// Links in use, each with its memoised transfers.
class Links {
 public:
  link::Link& of(const link::PcieConfig& config);  // throws Error as link::Link does

 private:
  std::deque<link::Link> links_;
};

// True if the run has a training iteration: a whole network (by name or file), all kinds of convolutions.
bool has_iteration(const config::RunConfig& run);

// Training graph of the run's network. `forward`: the network as trained. Throws Error.
workloads::Graph training_graph_of(const config::RunConfig& run, const workloads::Graph& forward);

// Checks a run's iteration as far as possible before simulation. Throws InputError for a run without a host, a board
// without a link, an overlap that the rung does not simulate, missing memory channels, and operators without a price.
void check_iteration(const config::RunConfig& run, const workloads::Graph& graph);

// Throws InputError if the card's memory is too small. `parts`: from run::prepare, or simulated.
void check_room(const config::RunConfig& run, const TrainedGraph& network, const std::vector<PartView>& parts);

// Builds the iteration. Throws Error as the two checks do. `links`: keeps memoised transfers between calls.
TrainingIteration iteration_of(const config::RunConfig& run, std::shared_ptr<const TrainedGraph> network,
                               const std::vector<PartView>& parts, Links& links);

}  // namespace weft::timeline

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

// What a run's `schedule` says cannot be. Other errors of an iteration are of what the run is without it.
class ScheduleError : public InputError {
 public:
  explicit ScheduleError(const InputError& error) : InputError(error) {}
};

// The training graph of a network.
struct TrainedGraph {
  workloads::Graph graph;
  workloads::Dependencies dependencies;
  std::vector<std::string> notes;  // about the network: what is assumed, left out or may have been folded

  TrainedGraph(workloads::Graph of, std::vector<std::string> about)
      : graph(std::move(of)), dependencies(graph), notes(std::move(about)) {}
};

// A training iteration of the network of a run, and all that its timeline was made of.
struct TrainingIteration {
  config::RunConfig run;
  config::Host host;
  std::shared_ptr<const TrainedGraph> network;
  Timeline timeline;
  Breakdown parts;                  // of the timeline
  std::vector<host::Price> prices;  // by operator
  std::vector<std::string> kernel_names;
  Picoseconds load_time = 0;
  std::int64_t queued_launches = 0;    // of groups behind the first
  std::int64_t convolution_flops = 0;  // of the graph's convolutions: two a useful multiply-accumulate

  const workloads::Graph& graph() const { return network->graph; }
  std::int64_t iterations_per_epoch() const { return run.iterations_per_epoch(); }
};

// Links that are in use, each with the transfers that it knows.
class Links {
 public:
  link::Link& of(const link::PcieConfig& config);  // throws Error as link::Link does

 private:
  std::deque<link::Link> links_;
};

// Whether the run has a training iteration: a whole network (of a name or a file), all kinds of convolutions.
bool has_iteration(const config::RunConfig& run);

// The training graph of the run's network. `forward`: as it is trained. Throws Error.
workloads::Graph training_graph_of(const config::RunConfig& run, const workloads::Graph& forward);

// What is wrong with the iteration of a run, as far as it is known before anything is simulated: a run without a host
// or a board without a link, an overlap that the rung does not simulate, memory channels that there are not, operators
// without a price. Throws InputError.
void check_iteration(const config::RunConfig& run, const workloads::Graph& graph);

// Likewise: a card that is too small. `parts`: as run::prepare gives them, or simulated.
void check_room(const config::RunConfig& run, const TrainedGraph& network, const std::vector<PartView>& parts);

// Throws Error as both of these. `links`: remembers transfers from one call to the next.
TrainingIteration iteration_of(const config::RunConfig& run, std::shared_ptr<const TrainedGraph> network,
                               const std::vector<PartView>& parts, Links& links);

}  // namespace weft::timeline

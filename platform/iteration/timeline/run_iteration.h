#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/progress.h"
#include "platform/run/record.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"
#include "platform/run/simulate.h"

namespace weft::timeline {

// Which of the figures of host, board and schedule an iteration was made of.
// The keys of `assumed` that had a part in the iteration.
struct Assumed {
  std::vector<std::string> schedule;  // of the run's `schedule`: all of them, for each is a choice
  std::vector<std::string> host, board;
};
Assumed assumed_of(const TrainingIteration& iteration);

// Operators of the host whose prices were measured, and entries of the host's `measured` that none of them has.
struct MeasuredUse {
  std::int64_t operators = 0;
  std::int64_t scaled = 0;       // of them, from another batch
  std::int64_t plain_loops = 0;  // of them, by no library
  std::int64_t unused = 0;
};
MeasuredUse measured_use(const TrainingIteration& iteration);

// What an iteration of a run is made of beside the cycles of its convolutions: its network, and the training graph of
// that, nothing for a run that has no iteration (has_iteration), or no host or link. Throws Error.
struct IterationNetwork {
  workloads::Network network;
  std::shared_ptr<const TrainedGraph> graph;
};
IterationNetwork iteration_network(const config::RunConfig& run, const config::Library& library);

// Known rows of the run with this network.
using Rows = std::function<std::vector<design::Row>(const workloads::Network& network)>;

// A training iteration of the run's network: its convolutions are simulated, or, with `rows`, are those. Throws Error
// for a run without an iteration, or, with `rows`, on other kernels than its own.
TrainingIteration iteration(const config::RunConfig& run, const config::Library& library, const run::Progress& progress,
                            run::RowCache* cache = nullptr, const Rows& rows = {});

// The iterations that results of runs make. Keeps the networks, training graphs and transfers that it has met.
class Iterations {
 public:
  explicit Iterations(config::Library library) : library_(std::move(library)) {}

  // Nothing for a run that has none (has_iteration), or no host or link. Throws Error as iteration() does.
  std::optional<TrainingIteration> of(const run::Result& result);
  // What of() will find wrong with a run that is planned but not yet simulated. Throws Error.
  void check(const run::Result& prepared);
  // The network of a run, as load_network() gives it: it is read once for all that is asked here.
  workloads::Network network(const config::RunConfig& run);

 private:
  static bool has(const config::RunConfig& run);
  std::shared_ptr<const TrainedGraph> graph(const config::RunConfig& run);

  const training::TrainedNetwork& trained(const config::RunConfig& run);

  config::Library library_;
  std::map<std::tuple<std::string, int, bool>, std::optional<training::TrainedNetwork>> networks_;
  using Key = std::tuple<const training::TrainedNetwork*, bool, config::Updates, std::string>;
  std::map<Key, std::shared_ptr<const TrainedGraph>> graphs_;
  Links links_;
};

// The run on its rung as a result, its training iteration in a line, unless SIGINT or SIGTERM was noted
// (os::interrupt()). `observer` and `cache`: as run::simulate() takes them. Throws Error and Deadlock, and
// ScheduleError before anything is simulated where that is possible.
std::variant<run::Record, run::Interrupted> recorded(const config::RunConfig& run, const config::Library& library,
                                                     const run::Progress& progress, stream::Observer* observer,
                                                     run::RowCache* cache);

}  // namespace weft::timeline

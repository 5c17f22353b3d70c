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
#include "platform/iteration/timeline/parts.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/progress.h"
#include "platform/run/record.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"
#include "platform/run/simulate.h"

namespace weft::timeline {

// Keys of `assumed` of schedule, host and board that affected an iteration.
struct Assumed {
  std::vector<std::string> schedule;  // all of the run's `schedule`, because each is a choice
  std::vector<std::string> host, board;
};
Assumed assumed_of(const TrainingIteration& iteration);

// Use of measured prices: host operators with one, and entries of the host's `measured` without an operator.
struct MeasuredUse {
  std::int64_t operators = 0;
  std::int64_t scaled = 0;       // of these, scaled from another batch
  std::int64_t plain_loops = 0;  // of these, computed by loops of weft
  std::int64_t unused = 0;
};
MeasuredUse measured_use(const TrainingIteration& iteration);

// Inputs of a run's iteration besides convolution cycles: its network and training graph; no graph if the run has no
// iteration (has_iteration), no host or no link. Throws Error.
struct IterationNetwork {
  workloads::Network network;
  std::shared_ptr<const TrainedGraph> graph;
};
IterationNetwork iteration_network(const config::RunConfig& run, const config::Library& library);

// Returns known rows of the run with this network.
using Rows = std::function<std::vector<design::Row>(const workloads::Network& network)>;

// Builds the training iteration of a run's network; convolutions are simulated, or taken from `rows`. Throws Error for
// a run without an iteration, and for `rows` together with kernels other than the run's.
TrainingIteration iteration(const config::RunConfig& run, const config::Library& library, const run::Progress& progress,
                            run::RowCache* cache = nullptr, const Rows& rows = {});

// True if the convolutions of `weft run` are on kernels that the schedule names, not on the run's.
bool on_kernels_of_schedule(const config::RunConfig& run);

// Simulated convolutions of a run. `parts`: only if they are on kernels of the schedule.
struct Convolutions {
  run::Result result;
  std::vector<Part> parts;
};

// Simulates the convolutions of a run, on the kernels of its schedule if it names any; `observer`, `cache`,
// `interrupt`: see run::simulate(). Throws Error, Deadlock and ScheduleError.
std::variant<Convolutions, run::Interrupted> convolutions(const config::RunConfig& run,
                                                          const workloads::Network& network,
                                                          const config::Library& library, const run::Progress& progress,
                                                          run::RowCache* cache,
                                                          const volatile std::sig_atomic_t* interrupt = nullptr,
                                                          stream::Observer* observer = nullptr);

// Builds training iterations from results; caches networks, training graphs and transfer times.
class Iterations {
 public:
  explicit Iterations(config::Library library) : library_(std::move(library)) {}

  // Returns nothing if the run has no iteration (has_iteration), no host or no link. Throws Error as iteration() does.
  std::optional<TrainingIteration> of(const Convolutions& convolutions);
  // The same from the parts of a run, simulated.
  TrainingIteration of(const config::RunConfig& run, const std::vector<Part>& parts);
  // Returns the parts of a run, on the kernels of its schedule if it names any; not simulated. Throws ScheduleError.
  std::vector<Part> parts(const config::RunConfig& run, const workloads::Network& network) const;
  // Checks a planned run before its simulation. Throws the Error that of() would throw.
  void check(const run::Result& prepared);
  // True if the run has an iteration, a host and a link to it.
  static bool has(const config::RunConfig& run);
  // Returns the network of a run, as load_network() does, from the cache.
  workloads::Network network(const config::RunConfig& run);

 private:
  std::shared_ptr<const TrainedGraph> graph(const config::RunConfig& run);

  const training::TrainedNetwork& trained(const config::RunConfig& run);

  config::Library library_;
  std::map<std::tuple<std::string, int, bool, bool, std::vector<std::int64_t>>, std::optional<training::TrainedNetwork>>
      networks_;
  using Key = std::tuple<const training::TrainedNetwork*, bool, config::Updates, std::string>;
  std::map<Key, std::shared_ptr<const TrainedGraph>> graphs_;
  Links links_;
};

// Replaces the counts of kernels and loads of a result by those of its iteration.
void take_loads(run::Result& result, const TrainingIteration& iteration);

// Runs `run` on its rung and returns its result, with a line on its training iteration; Interrupted after SIGINT or
// SIGTERM (os::interrupt()). `observer`, `cache`: see run::simulate(). Throws Error, Deadlock, and ScheduleError, the
// latter before simulation if possible.
std::variant<run::Record, run::Interrupted> recorded(const config::RunConfig& run, const config::Library& library,
                                                     const run::Progress& progress, stream::Observer* observer,
                                                     run::RowCache* cache);

}  // namespace weft::timeline

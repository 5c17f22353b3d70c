#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/explain/ladder.h"
#include "workloads/network.h"

namespace weft::explain {

// Time of a training iteration; the shares add up to 1.
struct IterationTime {
  Picoseconds end = 0;
  std::vector<Share> shares;
};

struct Request {
  config::RunConfig run;
  int search_batch = 1;            // batch of the search; its order is replayed at the run's batch
  int workers = 1;                 // processes
  run::RowCache* cache = nullptr;  // cache of simulated rows; may be null
  // Returns the network of a run, batch set. Throws Error.
  std::function<workloads::Network(const config::RunConfig&)> network;
  // Returns the iteration of a simulated run. Throws Error. Empty if there is none; no_iteration is then the reason.
  std::function<IterationTime(const run::Result&)> iteration;
  std::string no_iteration;
};

// Callbacks during explain(). Each may be empty.
struct Listener {
  std::function<void(const std::string& label)> stage;  // called at the start of a stage
  run::Progress progress;                               // of the current stage
  std::function<void(const std::string& text)> notice;
};

struct Explained {
  Explanation explanation;
  std::map<std::string, std::string> configs;  // file name -> run (YAML); the files that Line::config names
};

// Finds what limits a run. Throws Error if the run is invalid, Deadlock if its simulation stalls for ever.
Explained explain(const Request& request, const Listener& listener);

}  // namespace weft::explain

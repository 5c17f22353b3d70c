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

// A training iteration, and what it is made of: shares that add up to 1.
struct IterationTime {
  Picoseconds end = 0;
  std::vector<Share> shares;
};

struct Request {
  config::RunConfig run;
  int search_batch = 1;            // at which the order is looked for; at another batch than the run's it is replayed
  int workers = 1;                 // processes
  run::RowCache* cache = nullptr;  // of what was simulated before; null: none
  // The network of a run, batch set. Throws Error.
  std::function<workloads::Network(const config::RunConfig&)> network;
  // The iteration of a run that was simulated. Throws Error. Empty: there is none, and no_iteration says why.
  std::function<IterationTime(const run::Result&)> iteration;
  std::string no_iteration;
};

// What is told while it works. Any may be empty.
struct Listener {
  std::function<void(const std::string& label)> stage;  // what is tried now
  run::Progress progress;                               // of the stage
  std::function<void(const std::string& text)> notice;
};

struct Explained {
  Explanation explanation;
  std::map<std::string, std::string> configs;  // file name -> run (YAML), those that Line::config names
};

// What limits a run. Throws Error if it cannot be run, Deadlock if it is stuck.
Explained explain(const Request& request, const Listener& listener);

}  // namespace weft::explain

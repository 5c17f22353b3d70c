#pragma once

#include <map>
#include <optional>
#include <vector>

#include "platform/config/schedule.h"
#include "platform/iteration/timeline/job.h"
#include "platform/iteration/timeline/timeline.h"
#include "workloads/graph/dependencies.h"

namespace weft::timeline {

// What the iteration is made of. `jobs`: of each operator that the card computes; the others are the host's.
struct Iteration {
  const workloads::Graph* graph = nullptr;
  const workloads::Dependencies* dependencies = nullptr;
  std::vector<std::optional<Job>> jobs;   // by operator
  std::vector<std::string> kernel_names;  // by kernel: "x 16, y 16, ..."
  std::map<int, int> other_channels;      // a channel -> the one that takes its place for every second convolution
};

// Puts one training iteration, of many equal ones, on host, link and card, as the schedule of a run says
// (docs/timeline.md has the rules). The host issues everything in the order of the operators. Throws CardMemoryError
// (residency.h) where the card's memory cannot hold what must lie there: it names the operator, the channel and how
// much is missing.
Timeline schedule(const Iteration& iteration, const Prices& prices, const config::Schedule& how, const Card& card);

}  // namespace weft::timeline

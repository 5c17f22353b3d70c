#pragma once

#include <map>
#include <optional>
#include <vector>

#include "platform/config/schedule.h"
#include "platform/iteration/timeline/job.h"
#include "platform/iteration/timeline/timeline.h"
#include "workloads/graph/dependencies.h"

namespace weft::timeline {

// Inputs of an iteration. `jobs`: of each operator that the card computes; the others run on the host.
struct Iteration {
  const workloads::Graph* graph = nullptr;
  const workloads::Dependencies* dependencies = nullptr;
  std::vector<std::optional<Job>> jobs;   // by operator
  std::vector<std::string> kernel_names;  // by kernel: "x 16, y 16, ..."
  std::map<int, int> other_channels;      // channel -> the channel used instead by every second convolution
};

// Schedules one training iteration of many equal ones on host, link and card, by the run's schedule (rules:
// docs/explanation/timeline.md). The host issues everything in the order of the operators. Throws CardMemoryError
// (residency.h), with operator, channel and missing bytes, if the card's memory is too small.
Timeline schedule(const Iteration& iteration, const Prices& prices, const config::Schedule& how, const Card& card);

}  // namespace weft::timeline

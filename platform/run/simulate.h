#pragma once

#include <functional>

#include "platform/config/run_config.h"
#include "platform/run/result.h"

namespace weft::run {

// Called from time to time with the kernel cycles done and those expected in all (by the equations).
using Progress = std::function<void(std::int64_t done, std::int64_t expected)>;

// What is known of a run without simulating it: its cycles are those of the equations. Throws Error as simulate() does.
Result prepare(const config::RunConfig& config, const workloads::Network& network);

// Runs what `config` says. `network`: the layers of its workload, batch set. Throws Error for a
// convolution that the kernel or the board cannot hold, Deadlock for one that is stuck.
Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress);

}  // namespace weft::run

#pragma once

#include "platform/config/run_config.h"
#include "platform/run/progress.h"
#include "platform/run/result.h"

namespace weft::run {

// What is known of a run without simulating it: its cycles are those of the equations. Throws Error as simulate() does.
Result prepare(const config::RunConfig& config, const workloads::Network& network);

// Runs what `config` says. `network`: the layers of its workload, batch set. Throws Error for a
// convolution that the kernel or the board cannot hold, Deadlock for one that is stuck.
Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress);

}  // namespace weft::run

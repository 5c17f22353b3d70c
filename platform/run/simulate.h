#pragma once

#include <csignal>
#include <variant>

#include "platform/config/run_config.h"
#include "platform/hardware/waves/watcher.h"
#include "platform/run/checkpoint.h"
#include "platform/run/progress.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"

namespace weft::run {

// What is known of a run without simulating it: its cycles are those of the equations. Throws Error as simulate() does.
Result prepare(const config::RunConfig& config, const workloads::Network& network);

// Runs what `config` says. `network`: the layers of its workload, batch set. What `cache` has, if there is one and
// may_cache(config), is not simulated again; what it has not is stored. Throws Error for a convolution that the kernel
// or the board cannot hold, Deadlock for one that is stuck.
Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress,
                RowCache* cache = nullptr);

// A run that was interrupted.
struct Part {
  Result result;         // of the rows that were finished
  std::size_t rows = 0;  // of the whole run
  Checkpoint checkpoint;
};

// The same, but ends early once `interrupt` is not 0. What `known` has of it, that of an earlier start, is not
// simulated again; its `work` is empty if there is none. Throws Error if that was of another network. `watcher`, if
// there is one, sees every unit, one after the other; for rung systemc, and without `known`.
std::variant<Result, Part> simulate(const config::RunConfig& config, const workloads::Network& network,
                                    const Progress& progress, const Checkpoint& known,
                                    const volatile std::sig_atomic_t* interrupt, waves::Watcher* watcher = nullptr,
                                    RowCache* cache = nullptr);

}  // namespace weft::run

#pragma once

#include <functional>
#include <vector>

#include "model/core/activity.h"
#include "platform/config/run_config.h"
#include "platform/hardware/cosim/build.h"
#include "workloads/network.h"

namespace weft::validate {

// What a row of a run took in the RTL, its groups summed.
struct RtlRow {
  Cycles cycles = 0;
  std::vector<Activities> activities;
};

// The convolutions of `config` in the order of a run's rows, on the RTL under Verilator, which runs in lockstep with
// the model: where they differ in any handshake, no cycle count is worth anything, and that is an Error. The kernels
// are built when they are first met. Progress: kernel cycles done and expected.
std::vector<RtlRow> run_rtl(const config::RunConfig& config, const workloads::Network& network,
                            const cosim::Workshop& workshop,
                            const std::function<void(std::int64_t done, std::int64_t expected)>& progress);

}  // namespace weft::validate

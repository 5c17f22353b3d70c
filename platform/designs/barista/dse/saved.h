#pragma once

#include <string>

#include "platform/designs/barista/dse/explore.h"
#include "platform/designs/barista/kernel_config.h"
#include "platform/dse/kernel_set.h"

namespace weft::barista::exploration {

// The exploration that a report on it, as JSON, is of. `network`: of the configuration. `file`: where the JSON stands.
// Throws InputError.
Exploration read_exploration(const DseConfig& config, const workloads::Network& network, const std::string& json,
                             const std::string& file);

// Likewise the kernels of its convolutions, each on its own tile; equal tiles are one kernel. All else of them is as
// `base` has it.
weft::dse::KernelSet own_kernels(const KernelConfig& base, const std::string& json, const std::string& file);

}  // namespace weft::barista::exploration

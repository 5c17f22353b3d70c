#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/designs/fpgpt/dse/explore.h"

namespace weft::fpgpt::exploration {

// The kernel parameters that a report on an exploration has. Throws Error, and what nlohmann throws.
Alpha read_alpha(const nlohmann::json& json);

// The exploration that a report on it, as JSON, is of; what no report has (further designs of a convolution, penalties
// of single members) is left out. `network`: of the configuration. `file`: where the JSON stands. Throws InputError.
Exploration read_exploration(const DseConfig& config, const workloads::Network& network, const std::string& json,
                             const std::string& file);

}  // namespace weft::fpgpt::exploration

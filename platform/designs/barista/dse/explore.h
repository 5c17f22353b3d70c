#pragma once

#include "platform/designs/barista/dse/dse_config.h"
#include "platform/dse/explorer.h"
#include "workloads/network.h"

namespace weft::barista::exploration {

// Explores; `settings`: of the result. It does not depend on the number of workers. Throws Error if a published layer
// is none of the network, and if no tile of the space fits.
weft::dse::Result explore(const DseConfig& config, weft::dse::Result settings, const workloads::Network& network,
                          const weft::dse::Progress& progress);

}  // namespace weft::barista::exploration

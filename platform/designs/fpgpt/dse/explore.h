#pragma once

#include <string>

#include "platform/designs/fpgpt/dse/dse_config.h"
#include "platform/dse/explorer.h"
#include "workloads/network.h"

namespace weft::fpgpt::exploration {

using weft::dse::Progress;

struct Convolution {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  std::size_t shape = 0;      // index of its shape; equal convolutions are explored once
  std::int64_t launches = 1;  // one per group of the layer
  std::int64_t macs = 0;      // useful multiply-accumulates of all groups

  std::string name() const;  // "inception3a.branch1.conv:F"
};

weft::dse::Kernel kernel_of(const Alpha& alpha);

// Runs the exploration; `settings`: result with its settings filled in. The result does not depend on the number of
// workers. Throws Error if no convolution has a kernel that fits, and errors of the simulation.
weft::dse::Result explore(const DseConfig& config, weft::dse::Result settings, const workloads::Network& network,
                          const weft::dse::SimulatedCycles& simulate, const Progress& progress);

}  // namespace weft::fpgpt::exploration

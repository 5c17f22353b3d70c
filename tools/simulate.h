#pragma once

#include "model/memory/trace.h"
#include "platform/config/run_config.h"
#include "tools/cli.h"
#include "tools/progress.h"

namespace weft::tools {

// The run on its rung: every convolution that it chooses, in parallel on its workers. Throws Error and Deadlock.
Report simulate(const config::RunConfig& run, Progress& progress);

// `weft dram`: a trace through the DRAM model alone, at most one request per DRAM clock, in order.
Report simulate_trace(const memory::Trace& trace, const config::Ddr4Memory& memory);

}  // namespace weft::tools

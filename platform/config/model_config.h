#pragma once

#include "model/core/resources.h"
#include "model/memory/config.h"
#include "platform/config/run_config.h"

namespace weft::config {

// Returns the memory of the run for the models. It must be simulated memory (require_simulated_memory).
memory::MemoryConfig memory_config(const RunConfig& run);
memory::Ddr4Config ddr4_config(const Ddr4Memory& memory);

// Returns the resources that a board's shell leaves to kernels, in units of the resource equations; 0 if it has none.
Budget budget(const Board& board);

}  // namespace weft::config

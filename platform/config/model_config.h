#pragma once

#include "model/core/resources.h"
#include "model/memory/config.h"
#include "platform/config/run_config.h"

namespace weft::config {

// What the run's files say, as the models take it. The memory must be one that is simulated (require_simulated_memory).
memory::MemoryConfig memory_config(const RunConfig& run);
memory::Ddr4Config ddr4_config(const Ddr4Memory& memory);

// What the shell of a board leaves to kernels, as the resource equations count it; 0 for what the board does not have.
Budget budget(const Board& board);

}  // namespace weft::config

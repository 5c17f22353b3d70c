#pragma once

#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/memory/config.h"
#include "platform/config/run_config.h"

namespace weft::config {

// The ports of a kernel as the memory numbers them.
inline constexpr memory::PortId kInpPort = 0;
inline constexpr memory::PortId kKernPort = 1;
inline constexpr memory::PortId kOutPort = 2;

// What the run's files say, as the models take it. The memory must be one that is simulated (require_simulated_memory).
memory::MemoryConfig memory_config(const RunConfig& run);
memory::Ddr4Config ddr4_config(const Ddr4Memory& memory);

// What the shell of a board leaves to kernels, as the resource equations count it; 0 for what the board does not have.
fpgpt::Budget budget(const Board& board);

// The readings of the analytical equations: those that the run gives; of the others those that follow the kernel's
// profile do so (`auto`), the rest are the defaults. Throws InputError at the key or value that does not exist.
fpgpt::Readings readings(const RunConfig& run);

// The keys of the run that the equations do not depend on: the switches of the profile that its readings do not stand
// for, then what they never know.
std::vector<std::string> unknown_to_equations(const RunConfig& run);

// Every reading of the run with its value, as a file would give it.
std::vector<ReadingChoice> all_readings(const RunConfig& run);

}  // namespace weft::config

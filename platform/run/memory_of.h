#pragma once

#include <array>

#include "model/fpgpt/result.h"
#include "model/memory/config.h"
#include "platform/config/board.h"

namespace weft::run {

// The memory of a board as the model takes it, for a kernel of the given clock and port width. Throws Error for a
// memory that cannot be simulated.
memory::MemoryConfig memory_of(const config::Board& board, const Frequency& kernel_clock, Bytes beat_bytes);

// One channel of a DDR4 board as the model takes it.
memory::Ddr4Config ddr4_of(const config::Ddr4Memory& memory);

std::array<int, fpgpt::kPorts> channels_of(const config::Board& board);

}  // namespace weft::run

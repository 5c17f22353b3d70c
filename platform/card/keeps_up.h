#pragma once

#include "platform/config/board.h"

namespace weft::card {

// That a bank of the card's memory never holds up a transfer, so that the link alone says how long it takes: its rate,
// refreshes included, exceeds the link's in either direction, and the DMA engine's FIFO has room for what arrives while
// a refresh stops it. Throws Error that names the keys. A board without PCIe is an error too.
void require_memory_keeps_up(const config::Board& board);

}  // namespace weft::card

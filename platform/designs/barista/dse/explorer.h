#pragma once

#include "platform/dse/explorer.h"

namespace weft::barista::exploration {

// Eq. 4.13: the tile of each convolution, of each layer and of a network.
const weft::dse::Explorer& explorer();

}  // namespace weft::barista::exploration

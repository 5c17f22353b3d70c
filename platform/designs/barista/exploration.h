#pragma once

#include "platform/dse/explorer.h"

namespace weft::barista {

// Eq. 4.13: the tile of each convolution, of each layer and of a network.
const dse::Explorer& explorer();

}  // namespace weft::barista

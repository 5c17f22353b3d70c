#pragma once

#include "model/link/link.h"
#include "tools/bench/cost.h"

namespace weft::tools {

// One call of so many bytes between a host and memory of the simulated card that was not touched before, in messages
// as XRT's shim cuts it: 1 MiB each.
Cost transfer_cost(link::Direction direction, Bytes bytes);

}  // namespace weft::tools

#pragma once

#include "tools/cli/cli.h"

namespace weft::tools {

// `weft bench --growth`: what the exact rung costs as the batch, the groups, the number of convolutions,
// the layer and the array change, one core.
Report growth();

}  // namespace weft::tools

#pragma once

#include "platform/config/run_config.h"

namespace weft::run {

// The run as a file would have it, without what cycles do not depend on.
config::Node cycles_node(const config::RunConfig& run);

}  // namespace weft::run

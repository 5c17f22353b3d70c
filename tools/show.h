#pragma once

#include <string>

#include "platform/config/run_config.h"

namespace weft::tools {

// What a configuration says, for a reader: a few aligned lines each.
std::string describe_run(const config::RunConfig& run);
std::string describe_board(const config::Board& board);
std::string describe_kernel(const config::Kernel& kernel);

}  // namespace weft::tools

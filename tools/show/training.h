#pragma once

#include <string>

#include "tools/cli/show_options.h"

namespace weft::tools {

// `weft show NETWORK --training`: the operators of one training iteration with what they compute and move, and the peak
// of memory; as a table, JSON or CSV.
std::string show_training(const ShowOptions& options);

}  // namespace weft::tools

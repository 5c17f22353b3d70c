#pragma once

#include <string>

#include "tools/commands.h"

namespace weft::tools {

// `weft show FILE.db`: what a sweep has recorded, filtered, sorted, its Pareto front; as a table, JSON or CSV.
std::string show_sweep(const ShowOptions& options);

}  // namespace weft::tools

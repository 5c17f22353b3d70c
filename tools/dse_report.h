#pragma once

#include <vector>

#include "platform/dse/explore.h"
#include "tools/cli.h"

namespace weft::tools {

// The version of an exploration's result.json; it grows when a key changes its meaning or goes.
inline constexpr int kDseSchema = 2;

// Explorations as tables to look at (and one that compares them, if there are several), as JSON (complete; a list if
// there are several) and as CSV (a line per convolution).
Report report(const std::vector<dse::Exploration>& explorations);

}  // namespace weft::tools

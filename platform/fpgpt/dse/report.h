#pragma once

#include <vector>

#include "platform/fpgpt/dse/explore.h"
#include "platform/report/report.h"

namespace weft::fpgpt::exploration {

// The version of an exploration's result.json; it grows when a key changes its meaning or goes.
inline constexpr int kDseSchema = 2;

// Explorations as tables to look at (and one that compares them, if there are several), as JSON (complete; a list if
// there are several) and as CSV (a line per convolution).
report::Report report(const std::vector<Exploration>& explorations);

}  // namespace weft::fpgpt::exploration

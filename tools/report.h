#pragma once

#include "platform/run/result.h"
#include "tools/cli.h"

namespace weft::tools {

// The version of result.json; it grows when a key changes its meaning or goes.
inline constexpr int kResultSchema = 2;

// A result as a table to look at, as JSON (complete) and as CSV (a line per convolution).
Report report(const run::Result& result);

}  // namespace weft::tools

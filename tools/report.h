#pragma once

#include <string>
#include <vector>

#include "platform/run/result.h"
#include "tools/cli.h"

namespace weft::tools {

// The version of result.json; it grows when a key changes its meaning or goes.
inline constexpr int kResultSchema = 3;

// Throws Error that suggests others if a result on `rung` of the design has no such column.
void check(const TableView& view, const config::RunConfig& run);

// A result as a table to look at, as JSON (complete) and as CSV (a line per convolution).
// `line`: what the table says of the whole iteration; empty for nothing.
Report report(const run::Result& result, const std::string& line = {}, const TableView& view = {});

}  // namespace weft::tools

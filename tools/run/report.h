#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run/result.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The version of result.json; it grows when a key changes its meaning or goes.
inline constexpr int kResultSchema = 3;

// What a result says beside its convolutions that does not follow from them and the run. It is saved with the result.
struct Around {
  std::string iteration;             // what the whole iteration takes, or why that is not known; empty: there is none
  std::int64_t operators = 0;        // of the network: its convolutions and the host's layers
  std::vector<std::string> remarks;  // of the design, a line each
};

// Of a result that was just made.
Around around(const run::Result& result, std::string iteration);

// Throws Error that suggests others if a result on `rung` of the design has no such column.
void check(const TableView& view, const config::RunConfig& run);

// A result as a table to look at, as JSON (complete) and as CSV (a line per convolution).
Report report(const run::Result& result, const Around& around, const TableView& view = {});

}  // namespace weft::tools

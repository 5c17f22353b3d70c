#pragma once

#include <filesystem>
#include <vector>

#include "platform/document/document.h"
#include "platform/run/record.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// `folder`: that of the result, with what else weft run saved there; empty: none. `first`: sections that stand before
// all others, as the ladders of an explanation of the same run.
report::Document view_of(const run::Record& record, const std::filesystem::path& folder = {},
                         std::vector<report::Section> first = {});
// Columns of its table of convolutions.
std::vector<report::Column> usual_columns(bool simulated);

// Throws Error that suggests others if a result on `rung` of the design has no such column.
void check(const TableView& view, const config::RunConfig& run);

// A run as a table to look at, as JSON (complete) and as CSV (a line per convolution).
Report report(const run::Record& record, const TableView& view = {});

// The run of a folder that weft run wrote. Throws Error if there is none.
run::Record load_run(const std::filesystem::path& folder);
// Its config.yaml, key by key.
config::Node saved_config(const std::filesystem::path& folder);

}  // namespace weft::tools

#pragma once

#include <filesystem>
#include <vector>

#include "platform/document/document.h"
#include "platform/run/record.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// `folder`: folder of the result with other files saved by weft run; empty: none. `first`: sections placed before all
// others, such as the ladders of an explanation of the run.
report::Document view_of(const run::Record& record, const std::filesystem::path& folder = {},
                         std::vector<report::Section> first = {});
// Columns of the table of convolutions.
std::vector<report::Column> usual_columns(bool simulated);

// Throws Error with suggestions if results of the run's rung and design lack a column.
void check(const TableView& view, const config::RunConfig& run);

// Run as a text table, as JSON (complete) and as CSV (one line per convolution).
Report report(const run::Record& record, const TableView& view = {});

// Reads the run in a folder written by weft run. Throws Error if there is none.
run::Record load_run(const std::filesystem::path& folder);
// Reads its config.yaml as a node.
config::Node saved_config(const std::filesystem::path& folder);

}  // namespace weft::tools

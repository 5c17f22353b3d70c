#pragma once

#include <string>
#include <vector>

#include "platform/designs/fpgpt/dse/explore.h"
#include "platform/document/report.h"
#include "platform/document/table_view.h"

namespace weft::fpgpt::exploration {

// The version of an exploration's result.json; it grows when a key changes its meaning or goes.
inline constexpr int kDseSchema = 2;

// Explorations as tables to look at (and one that compares them, if there are several), as JSON (complete; a list if
// there are several) and as CSV (a line per convolution).
report::Report report(const std::vector<Exploration>& explorations, const report::TableView& view);

std::string csv_head(const DseConfig& config);  // the first line of the CSV

}  // namespace weft::fpgpt::exploration

#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/document/table_view.h"
#include "platform/dse/result.h"

namespace weft::tools {

report::Document view_of(const dse::Result& result);
// Explorations of one design as tables to look at (and one that compares them, if there are several), as JSON
// (complete; a list if there are several) and as CSV (a line per convolution).
report::Report dse_report(const std::vector<dse::Result>& results, const report::TableView& view);

// The first line of the CSV; it follows from what is known before anything is found.
std::string csv_head(const dse::Result& settings);

}  // namespace weft::tools

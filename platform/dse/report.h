#pragma once

#include <string>
#include <vector>

#include "platform/document/report.h"
#include "platform/document/table_view.h"
#include "platform/dse/result.h"

namespace weft::dse {

// Explorations of one design as tables to look at (and one that compares them, if there are several), as JSON
// (complete; a list if there are several) and as CSV (a line per convolution).
report::Report report(const std::vector<Result>& results, const report::TableView& view);

// The first line of the CSV; it follows from what is known before anything is found.
std::string csv_head(const Result& settings);

}  // namespace weft::dse

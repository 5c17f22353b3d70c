#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/document/table_view.h"
#include "platform/dse/result.h"

namespace weft::tools {

report::Document view_of(const dse::Result& result);
// Explorations of one design as text tables (with a comparison if there are several), as JSON (complete; a list if
// there are several) and as CSV (one line per convolution).
report::Report dse_report(const std::vector<dse::Result>& results, const report::TableView& view);

// First line of the CSV; depends only on the settings.
std::string csv_head(const dse::Result& settings);

}  // namespace weft::tools

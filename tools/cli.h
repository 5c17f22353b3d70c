#pragma once

#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/report/report.h"

namespace weft::tools {

using report::Format;
using report::Report;

// "table", "json" or, where `csv` allows it, "csv". Throws Error that lists what there is.
Format parse_format(const std::string& text, bool csv);

// The project's configs/.
config::Library project_library();

std::vector<config::Override> parse_overrides(const std::vector<std::string>& texts);

// Writes to standard output and makes sure that it arrived. Throws Error, for instance on a full disk.
void print(const std::string& text);

}  // namespace weft::tools

#pragma once

#include <string>
#include <vector>

#include "platform/studies/validate/link_validation.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// Columns of its CSV.
std::vector<std::string> link_columns();

// A line, an object, a row for each figure.
Report report(const validate::LinkResult& result, const TableView& view);

}  // namespace weft::tools

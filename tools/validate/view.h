#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/result.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// `width`: of its histogram on a terminal.
report::Document view_of(const validate::ValidateResult& result, std::size_t width = 120);
// A validation as a table to look at, as JSON (complete) and as CSV (a line per kernel and convolution).
Report report(const validate::ValidateResult& result, const TableView& view);

// Columns of its CSV.
std::vector<std::string> validate_columns();

// The same of a link: a row for each figure.
report::Document view_of(const validate::LinkResult& result);
Report report(const validate::LinkResult& result, const TableView& view);
std::vector<std::string> link_columns();

// Two lines: the limits, and what is beyond them. Empty without limits.
std::string limits_text(const validate::ValidateResult& result);

// The same as JUnit XML: a suite per kernel, a test per convolution, failed if its error left the baseline or is
// beyond the limit.
inline constexpr const char* kJunitMark = "<testsuites name=\"weft ";
std::string junit_xml(const validate::ValidateResult& result);

}  // namespace weft::tools

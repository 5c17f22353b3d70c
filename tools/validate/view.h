#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/result.h"

namespace weft::tools {

// `width`: of the histogram on a terminal.
report::Document view_of(const validate::ValidateResult& result, std::size_t width = 120);
std::string csv_of(const validate::ValidateResult& result);  // one line per kernel and convolution

// Columns of the CSV.
std::vector<std::string> validate_columns();

// Views of a link validation: one row per figure.
report::Document view_of(const validate::LinkResult& result);
std::string csv_of(const validate::LinkResult& result);
std::vector<std::string> link_columns();

// Two lines: the limits, and the errors beyond them. Empty without limits.
std::string limits_text(const validate::ValidateResult& result);

}  // namespace weft::tools

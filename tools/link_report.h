#pragma once

#include <vector>

#include "platform/validate/link_validation.h"
#include "tools/cli.h"

namespace weft::tools {

// The version of the JSON of a link's validation; it grows when a key changes its meaning or goes.
inline constexpr int kLinkSchema = 1;

// A line, an object, a row for each figure.
Report report(const validate::LinkValidation& validation, const std::vector<validate::LinkRow>& rows);

}  // namespace weft::tools

#pragma once

#include <vector>

#include "platform/studies/validate/link_validation.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The version of the JSON of a link's validation; it grows when a key changes its meaning or goes.
inline constexpr int kLinkSchema = 1;

// The first line of its CSV.
inline constexpr const char* kLinkColumns =
    "held_to,what,direction,bytes,unit,model,reference,error_percent,tolerance_percent,holds\n";

const char* short_name(link::Direction direction);  // "H2C", "C2H"

// A line, an object, a row for each figure.
Report report(const validate::LinkValidation& validation, const std::vector<validate::LinkRow>& rows,
              const TableView& view);

}  // namespace weft::tools

#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/explain/explanation.h"

namespace weft::tools {

// Columns of its CSV.
std::vector<std::string> ladder_columns();

report::Document view_of(const explain::Explanation& explanation);
// Its ladders, for the page of the run, too.
std::vector<report::Section> ladder_sections(const explain::Explanation& explanation);

std::string csv_of(const explain::Explanation& explanation);

}  // namespace weft::tools

#pragma once

#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/explain/explanation.h"

namespace weft::tools {

report::Document view_of(const explain::Explanation& explanation);
// Sections of the ladders, also shown on the run's page.
std::vector<report::Section> ladder_sections(const explain::Explanation& explanation);

}  // namespace weft::tools

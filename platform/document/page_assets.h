#pragma once

#include <string_view>

namespace weft::report {

// Parts of every page of weft report (platform/document/page): the script that draws its charts, its style, and the
// licences of the libraries in the script.
extern const std::string_view kPageScript, kPageStyle, kPageLicences;

}  // namespace weft::report

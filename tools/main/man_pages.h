#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/main/command_tree.h"

namespace weft::tools {

// Stands in the first line of every page.
inline constexpr const char* kManPageMark = " 1 \"\" \"weft ";

// A page of section 1 for weft and one for each command, by their file names: "weft.1", "weft-run.1". `footer`: what
// weft --help ends with.
std::map<std::string, std::string> man_pages(const std::vector<CommandInfo>& commands, const std::string& description,
                                             const std::string& footer, const std::string& version);

}  // namespace weft::tools

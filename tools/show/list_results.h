#pragma once

#include <filesystem>
#include <string>

#include "tools/cli/cli.h"

namespace weft::tools {

// What results lie in a folder, newest first: those of run, timeline, dse, train and validate (directories), and of
// sweep (databases). What lies beside them is left alone. Throws Error if there is none.
std::string list_results(const std::filesystem::path& folder, Format format);

// Whether the folder has a result in it.
bool has_results(const std::filesystem::path& folder);

}  // namespace weft::tools

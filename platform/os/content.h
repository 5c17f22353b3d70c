#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// The whole of a file. Throws Error if it cannot be read.
std::string content(const std::filesystem::path& path);

}  // namespace weft::os

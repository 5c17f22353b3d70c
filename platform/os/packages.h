#pragma once

#include <filesystem>
#include <string>

namespace weft::os {

// Sees to it that the Debian packages of packages-LIST.txt are there before their programs are started: the launcher of
// the project in `source` installs those that are missing, and says so on standard error. Asks once per process and
// list. Throws Error if they cannot be installed.
void require_packages(const std::filesystem::path& source, const std::string& list);

}  // namespace weft::os

#pragma once

#include <filesystem>
#include <string>

// Location of the program's data. A program that was built in a checkout reads the checkout. An installed program
// PREFIX/bin/weft reads PREFIX/share/weft, which has the configurations and the RTL but no C++ sources.
namespace weft::os {

// True if this program is installed, that is, if its prefix has share/weft/configs.
bool is_installed();

// Folder of `configs` and `kernels`: the checkout, or PREFIX/share/weft of an installed program.
const std::filesystem::path& data_root();

// Returns the path of another file of the build: `of_build`, or PREFIX/lib/weft/NAME if this program is installed.
std::filesystem::path built_file(const std::filesystem::path& of_build);

// Throws Error if `root` lacks `file`, which `what` is compiled from: only a checkout has such files.
void require_checkout(const std::filesystem::path& root, const std::string& file, const std::string& what);

}  // namespace weft::os

#pragma once

#include <string>

namespace weft::sweep {

// "0.1.0+3f2a9c1b7d5e": the version, and a digest of the sources that decide results.
std::string code_version();

}  // namespace weft::sweep

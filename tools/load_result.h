#pragma once

#include <filesystem>

#include "platform/run/result.h"

namespace weft::tools {

// The result of `weft run` in a directory, all of it: nothing is simulated. Throws Error if there is none, InputError
// for one that is not as `weft run` writes it, or whose configuration has other convolutions now.
run::Result load_result(const std::filesystem::path& folder);

}  // namespace weft::tools

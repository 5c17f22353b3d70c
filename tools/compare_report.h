#pragma once

#include <string>

#include "platform/run/comparison.h"
#include "tools/cli.h"

namespace weft::tools {

// Two results side by side; `a`, `b`: what the user calls them. The table has the `most` convolutions that moved most.
Report compare_report(const run::Result& a, const run::Result& b, const std::string& name_a, const std::string& name_b,
                      std::size_t most);

}  // namespace weft::tools

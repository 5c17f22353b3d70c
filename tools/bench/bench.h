#pragma once

#include <string>

#include "tools/cli/cli.h"

namespace weft::tools {

// `weft bench`: the project's own speed. Every figure is the median of several runs in processes of their own, in
// processor seconds, so that other work on the machine counts little; memory is the peak of those processes.
// `only`: one part of it, "rtl" for one, or "" for all. Throws Error that names the parts.
Report bench(const std::string& only);

}  // namespace weft::tools

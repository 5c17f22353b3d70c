#pragma once

#include "tools/cli.h"

namespace weft::tools {

// `weft bench`: the project's own speed. Every figure is the median of several runs in processes of their own, in
// processor seconds, so that other work on the machine counts little; memory is the peak of those processes.
Report bench();

}  // namespace weft::tools

#pragma once

#include <string>

#include "model/core/units.h"

namespace weft::os {

// Memory that new data may take without swapping: MemAvailable of the machine, at most what the limits of this
// process's control groups (a container's, Slurm's) leave. `root`: of the file system, for tests. 0 if unknown.
Bytes free_memory(const std::string& root = "");

}  // namespace weft::os

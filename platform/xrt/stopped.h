#pragma once

#include <sys/types.h>

namespace weft::xrt {

// Whether a process is stopped, as by a debugger: it will go on where it was, and nobody may lose patience with it.
bool is_stopped(pid_t process);

}  // namespace weft::xrt

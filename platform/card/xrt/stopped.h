#pragma once

#include <sys/types.h>

namespace weft::xrt {

// Shared by programs without weft's libraries.

// Whether a process is stopped, as by a debugger: it will go on where it was, and nobody may lose patience with it.
bool is_stopped(pid_t process);
// The same of a process or one of its children.
bool has_stopped(pid_t process);
// Whether a process has a child that has not ended.
bool has_child(pid_t process);
// Whether a process has ended; nobody may have asked for its status yet.
bool has_ended(pid_t process);

}  // namespace weft::xrt

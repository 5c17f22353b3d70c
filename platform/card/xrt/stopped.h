#pragma once

#include <sys/types.h>

namespace weft::xrt {

// Also included by programs that do not link weft's libraries.

// True if a process is stopped, as by a debugger: it may go on later, so time limits must not count.
bool is_stopped(pid_t process);
// True if the process or one of its children is stopped.
bool has_stopped(pid_t process);
// True if a process has a child that has not ended.
bool has_child(pid_t process);
// True if a process has ended, even if its status has not been collected yet.
bool has_ended(pid_t process);

}  // namespace weft::xrt

#pragma once

#include <exception>
#include <string>

namespace weft::os {

// Throws the error "WHAT: REASON" of a system call that failed with `code` (errno): MachineError, which names the
// limit, if the disk, memory, processes, open files or a limit of the user ran out; Error otherwise.
[[noreturn]] void fail(const std::string& what, int code);

// End of a program after an exception.
struct Ending {
  int exit_code = 0;      // 2 Error, 3 Deadlock, 1 all others (README.md)
  const char* kind = "";  // "error", "deadlock" or "internal error"
  std::string text;
};
Ending ending_of(const std::exception_ptr& exception);

}  // namespace weft::os

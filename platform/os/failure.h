#pragma once

#include <exception>
#include <string>

namespace weft::os {

// Throws for a call of the operating system that failed with `code` (errno): "WHAT: REASON". MachineError, which names
// the limit, where the disk, memory, processes, open files or a limit of the user's ran out; Error otherwise.
[[noreturn]] void fail(const std::string& what, int code);

// How a program ends because of an exception.
struct Ending {
  int exit_code = 0;      // 2 Error, 3 Deadlock, 1 all others (README.md)
  const char* kind = "";  // "error", "deadlock" or "internal error"
  std::string text;
};
Ending ending_of(const std::exception_ptr& exception);

}  // namespace weft::os

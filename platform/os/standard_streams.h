#pragma once

#include <csignal>
#include <exception>
#include <string_view>

namespace weft::os {

// Writes `text` to standard error. Drops a message that cannot be written (a closed stream, a full disk, a reader that
// has gone): it must not end the work that it reports.
void say(std::string_view text);

// Prepares a program for failing writes; main() calls it first.
// - A closed standard stream becomes one that cannot be written, so that no file that is opened later gets its number
//   and receives messages.
// - SIGPIPE and SIGXFSZ are ignored: a write to a reader that has gone, or beyond `ulimit -f`, fails with an error.
void expect_failed_writes();

// Signals that expect_failed_writes() has ignored. A program that this process starts gets their default actions back.
const sigset_t& signals_for_programs();

// Thrown when the reader of standard output has gone. main() then calls end_by_broken_pipe().
class BrokenPipe : public std::exception {
 public:
  const char* what() const noexcept override { return "the reader of standard output has gone"; }
};

// Ends this process as SIGPIPE would have ended it.
[[noreturn]] void end_by_broken_pipe();

}  // namespace weft::os

#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// What a user did wrong or asked for in vain: bad input, a beta beyond its alpha, an unwritable directory. The message
// is one complete sentence for the user; the command line prints it and exits with 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An error at a place in a file: "file:line: key: message". `line` counts from 1; 0 means the file as a whole.
class InputError : public Error {
 public:
  InputError(const std::string& file, int line, const std::string& key, const std::string& message);
};

// Two ways of finding the same thing do not agree: an error of the simulator that a check has found. Exit code 1.
class Mismatch : public Error {
 public:
  using Error::Error;
};

// The machine failed, not the input: a disk, memory, processes or a limit of the user's ran out, or a process was
// killed. Exit code 1.
class MachineError : public Error {
 public:
  using Error::Error;
};

// The model cannot make progress: which block waits for which FIFO since which cycle. Exit code 3.
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft

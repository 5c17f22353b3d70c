#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace weft {

// User error: bad input, a beta beyond its alpha, an unwritable directory. The message is one complete sentence for the
// user; the command line prints it and exits with 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Error at a place in a file: "file:line: key: message". `line` counts from 1; 0 means the file as a whole.
class InputError : public Error {
 public:
  InputError(const std::string& file, int line, const std::string& key, const std::string& message);
};

// Two computations of the same value disagree: an error of the simulator, found by a check. Exit code 1.
class Mismatch : public Error {
 public:
  using Error::Error;
};

// Failure of the machine, not of the input: disk, memory, processes or a user limit ran out, or a process was killed.
// Exit code 1.
class MachineError : public Error {
 public:
  using Error::Error;
};

// The model cannot make progress. The message says which block waits for which FIFO since which cycle. Exit code 3.
class Deadlock : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft

// Checked sums and products of counts and times, for building plans and adding up results. All throw Overflow if the
// result exceeds std::int64_t; `what` names the quantity, as in "the cycles of all convolutions".
namespace weft::checked {

class Overflow : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void fail(const char* what);

inline void add(std::int64_t& sum, std::int64_t term, const char* what) {
  if (__builtin_add_overflow(sum, term, &sum)) fail(what);
}
inline std::int64_t sum(const char* what, std::initializer_list<std::int64_t> terms) {
  std::int64_t result = 0;
  for (const std::int64_t term : terms) add(result, term, what);
  return result;
}
inline std::int64_t product(const char* what, std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) fail(what);
  }
  return result;
}

// Returns the smallest integer that is not below `value`.
std::int64_t rounded_up(const char* what, double value);

}  // namespace weft::checked

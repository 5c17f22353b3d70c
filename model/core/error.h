#pragma once

#include <cstdint>
#include <initializer_list>
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

// Sums and products of counts and times, for where plans are made and results are added up. All throw Overflow where
// the result leaves the 64 bits of std::int64_t; `what` names the quantity, as in "the cycles of all convolutions".
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

// The least whole number that is not below `value`.
std::int64_t rounded_up(const char* what, double value);

}  // namespace weft::checked

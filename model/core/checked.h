#pragma once

#include <cstdint>
#include <initializer_list>

#include "model/core/error.h"
#include "model/core/units.h"

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

#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <limits>

#include "model/core/error.h"
#include "model/core/units.h"

namespace weft {

// Exact, in lowest terms. Common factors are cancelled before a multiplication, so only the result must fit.
using Rational = boost::rational<std::int64_t>;

// Frequency in MHz. Never a floating point number, because edges of two clocks must coincide exactly.
using Frequency = Rational;

constexpr std::int64_t floor(const Rational& positive) {
  return positive.numerator() / positive.denominator();
}
constexpr std::int64_t ceil(const Rational& positive) {
  return ceil_div(positive.numerator(), positive.denominator());
}

constexpr double mhz(const Frequency& clock) {
  return boost::rational_cast<double>(clock);
}
// Duration of `cycles` cycles of `clock` in seconds.
constexpr double seconds(Cycles cycles, const Frequency& clock) {
  return static_cast<double>(cycles) * static_cast<double>(clock.denominator()) /
         (static_cast<double>(clock.numerator()) * 1e6);
}

// Duration in whole picoseconds, rounded up. Throws checked::Overflow.
inline Picoseconds duration(Cycles cycles, const Frequency& clock) {
  // GCC's 128-bit integer (`__extension__` for -Wpedantic): 2^63 cycles times 2^31 times 10^6 fit.
  __extension__ using Wide = __int128;
  const Wide ps = static_cast<Wide>(cycles) * clock.denominator() * 1'000'000;  // duration of `numerator` cycles
  const Wide rounded = ps / clock.numerator() + (ps % clock.numerator() > 0 ? 1 : 0);
  if (rounded > std::numeric_limits<Picoseconds>::max()) checked::fail("the picoseconds of a kernel's cycles");
  return static_cast<Picoseconds>(rounded);
}
// Start of cycle `cycle` in whole picoseconds, rounded down. Throws checked::Overflow.
inline Picoseconds cycle_start(Cycles cycle, const Frequency& clock) {
  const Picoseconds up = duration(cycle, clock);
  __extension__ using Wide = __int128;
  return up - (static_cast<Wide>(up) * clock.numerator() > static_cast<Wide>(cycle) * clock.denominator() * 1'000'000);
}
// Whole cycles of `clock` within `time` picoseconds. Throws checked::Overflow.
inline Cycles cycles_within(Picoseconds time, const Frequency& clock) {
  __extension__ using Wide = __int128;
  const Wide cycles =
      static_cast<Wide>(time) * clock.numerator() / (static_cast<Wide>(clock.denominator()) * 1'000'000);
  if (cycles > std::numeric_limits<Cycles>::max()) checked::fail("the kernel's cycles of a time");
  return static_cast<Cycles>(cycles);
}

}  // namespace weft

#pragma once

#include <boost/rational.hpp>
#include <cstdint>

#include "model/core/units.h"

namespace weft {

// Exact and in lowest terms. What cancels goes before two are multiplied, so that only a result must fit.
using Rational = boost::rational<std::int64_t>;

// In MHz. Never a floating point number: edges of two clocks must coincide exactly.
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
// What so many cycles of `clock` last.
constexpr double seconds(Cycles cycles, const Frequency& clock) {
  return static_cast<double>(cycles) * static_cast<double>(clock.denominator()) /
         (static_cast<double>(clock.numerator()) * 1e6);
}

// The same in whole picoseconds, rounded up.
constexpr Picoseconds duration(Cycles cycles, const Frequency& clock) {
  constexpr std::int64_t kPsOfUs = 1000000;
  // Of `numerator` cycles, which last `denominator` us.
  const std::int64_t whole = cycles / clock.numerator(), rest = cycles % clock.numerator();
  const std::int64_t ps = clock.denominator() * kPsOfUs;
  return whole * ps + ceil_div(rest * ps, clock.numerator());
}
// Whole cycles in so many picoseconds.
constexpr Cycles cycles_within(Picoseconds time, const Frequency& clock) {
  const std::int64_t ps = clock.denominator() * 1000000;  // of `numerator` cycles
  return time / ps * clock.numerator() + time % ps * clock.numerator() / ps;
}

}  // namespace weft

#pragma once

#include <cstdint>

#include "model/copy/plan.h"

namespace weft::copy {

// Cycles of a launch (CONTRACT.md, section 6).
struct EquationTerms {
  std::int64_t beats = 0;
  Cycles in_stalls = 0, out_stalls = 0;  // of a port whose open bursts do not cover the latency
  Cycles cycles = 0;                     // T
};
// `latency`: cycles from a request to its first beat and from the last beat to the response, beyond one.
EquationTerms equations(const Alpha& alpha, Words words, Cycles latency);

}  // namespace weft::copy

#pragma once

#include <cstdint>
#include <functional>

#include "model/core/units.h"

namespace weft::engine {

struct ExactOptions {
  // What may be remembered, about; then it is forgotten. Half of it is the unit's own, the other half is what it shares
  // with the units before it (Knowledge).
  std::int64_t memo_bytes = std::int64_t{128} << 20;
  std::int64_t verify = 0;        // stretches that are replayed step by step and compared
  std::uint64_t seed = 1;         // which ones
  Cycles stretch_cycles = 12000;  // about, at most; long ones are fewer to look up, short ones repeat sooner
  // What a stretch's transfers come to in a memory channel is kept as a whole when they come again at a distance to the
  // next refresh, or at once; until then it is put together from parts.
  bool sum_at_once = false;
  std::function<void(Cycles done)> on_progress;
};

// How a unit of work was counted: every cycle of it was either simulated where it happened, or walked, that is known
// from a stretch that had been simulated before.
struct ExactAccount {
  Cycles simulated = 0;  // with the memory, cycle by cycle or quiet
  Cycles walked = 0;
  Cycles learnt = 0;           // cycles that were simulated to know the stretches
  std::int64_t stretches = 0;  // walked ...
  std::int64_t distinct = 0;   // ... different ones
  // Events of the memory channels that were simulated to know them: those that no unit before it had met.
  std::int64_t memory_steps = 0;
  std::int64_t verified = 0;    // stretches that were replayed, all equal
  std::int64_t memo_bytes = 0;  // of its own, remembered at most

  ExactAccount& operator+=(const ExactAccount& other);
};

}  // namespace weft::engine

#pragma once

#include <cstdint>
#include <functional>

#include "model/core/units.h"

namespace weft::engine {

struct ExactOptions {
  // Approximate limit of memo entries, bytes: a quarter for kernels, the rest for memory channels. Entries are evicted
  // beyond it. 0: no memo, every cycle is simulated.
  std::int64_t memo_bytes = std::int64_t{128} << 20;
  std::int64_t verify = 0;         // intervals that are simulated again and compared
  std::uint64_t seed = 1;          // of the choice of these intervals
  Cycles interval_cycles = 96000;  // approximate limit; long ones need fewer look-ups, short ones recur sooner
  std::function<void(Cycles done)> on_progress;
  // Clock, seconds: Pace decides by it where memo entries are used. Without it, and with `verify`, they always are.
  std::function<double()> clock;
};

// Source of the cycles of a unit: simulated, or replayed from a memoised interval.
struct ExactAccount {
  Cycles simulated = 0;  // with the memory, stepped or quiet
  Cycles replayed = 0;
  std::int64_t intervals = 0;  // replayed
  std::int64_t verified = 0;   // simulated again, all equal
  // Entries that no unit before had recorded (they depend on the order of units): cycles simulated to record intervals,
  // distinct intervals, and events of memory channels simulated to record their outcomes.
  Cycles recorded = 0;
  Cycles recorded_joint = 0;  // of these, with the memory
  std::int64_t distinct = 0;
  std::int64_t memory_steps = 0;

  ExactAccount& operator+=(const ExactAccount& other) {
    for (const auto member :
         {&ExactAccount::simulated, &ExactAccount::replayed, &ExactAccount::recorded, &ExactAccount::recorded_joint,
          &ExactAccount::intervals, &ExactAccount::distinct, &ExactAccount::memory_steps, &ExactAccount::verified}) {
      this->*member += other.*member;
    }
    return *this;
  }
};

}  // namespace weft::engine

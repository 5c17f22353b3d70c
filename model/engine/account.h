#pragma once

#include <cstdint>
#include <functional>

#include "model/core/units.h"

namespace weft::engine {

struct ExactOptions {
  // What may be remembered, about; then it is forgotten. A quarter of it of the units, the rest of memory channels. 0:
  // nothing is looked up, all is stepped.
  std::int64_t memo_bytes = std::int64_t{128} << 20;
  std::int64_t verify = 0;         // intervals that are replayed step by step and compared
  std::uint64_t seed = 1;          // which ones
  Cycles interval_cycles = 96000;  // about, at most; long ones are fewer to look up, short ones repeat sooner
  std::function<void(Cycles done)> on_progress;
  // Seconds of a clock, by which it is decided where memo entries pay (Pace). Without it, and where intervals are
  // verified, they are used everywhere.
  std::function<double()> clock;
};

// How a unit of work was counted: every cycle of it was either simulated where it happened, or walked, that is known
// from a interval that had been simulated before.
struct ExactAccount {
  Cycles simulated = 0;  // with the memory, cycle by cycle or quiet
  Cycles replayed = 0;
  std::int64_t intervals = 0;  // walked
  std::int64_t verified = 0;   // intervals that were replayed, all equal
  // What no unit before it had met, and so depends on which those were: cycles that were simulated to know intervals,
  // different ones, events of the memory channels that were simulated to know them.
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

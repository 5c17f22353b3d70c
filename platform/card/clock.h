#pragma once

#include <algorithm>

#include "model/core/checked.h"
#include "model/core/units.h"

namespace weft::card {

// Simulated time of a card run, in whole picoseconds.
class CardClock {
 public:
  Picoseconds now() const { return now_; }
  void advance(Picoseconds duration) { checked::add(now_, duration, "the picoseconds of a card run"); }
  void advance_to(Picoseconds time) { now_ = std::max(now_, time); }

 private:
  Picoseconds now_ = 0;
};

}  // namespace weft::card

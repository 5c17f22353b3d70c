#pragma once

#include "model/core/units.h"

namespace weft::engine {

// Decides whether a unit goes on with memo entries or is stepped, by what either costs as measured. Entries cost more
// than stepping until they are found again, and in some settings they never are. So they are used while they are
// cheaper, and while what they have cost more is small against the time that stepping all of the unit would take.
// Results do not depend on it.
class Pace {
 public:
  enum class Way : bool { Stepped, WithMemo };

  // Sets the cycles that the unit takes, about.
  void expect(Cycles unit) { unit_ = static_cast<double>(unit); }
  // Counts cycles that were done in this way, and the seconds that they took.
  void add(Way way, Cycles cycles, double seconds);
  // Returns how to go on. Now and then that is stepping, to measure it.
  Way way() const;

 private:
  static constexpr double kMeasureAfter = 0.05;

  struct Cost {
    double cycles = 0, seconds = 0;
    void add(Cycles more, double more_seconds);
    double of_a_cycle() const { return cycles > 0 ? seconds / cycles : 0; }
  };
  // Cost of the last fraction of a second.
  struct RecentCost : Cost {
    void add(Cycles more, double more_seconds);
  };

  // Seconds that memo entries have cost more than stepping, and may have.
  double loss() const { return with_memo_.seconds - with_memo_.cycles * stepped_.of_a_cycle(); }
  double most_loss() const;

  double unit_ = 0;
  RecentCost stepped_, recent_with_memo_;
  Cost with_memo_;                        // gains beyond most_loss() left out
  double since_measured_ = 0;             // seconds with memo entries since stepping was measured, ...
  double measure_after_ = kMeasureAfter;  // ... and those after which it is measured again
};

}  // namespace weft::engine

#pragma once

#include "model/core/units.h"

namespace weft::engine {

// Decides by measured costs whether a unit uses memo entries or is stepped. Entries cost more than stepping until they
// recur, and in some settings they never do. They are used while they are cheaper, and while their excess cost is small
// against stepping the whole unit. Results do not depend on it.
class Pace {
 public:
  enum class Way : bool { Stepped, WithMemo };

  // Sets the approximate cycles of the unit.
  void expect(Cycles unit) { unit_ = static_cast<double>(unit); }
  // Adds cycles done in this way and their seconds.
  void add(Way way, Cycles cycles, double seconds);
  // Returns the way to continue; from time to time Stepped, to measure it.
  Way way() const;

 private:
  static constexpr double kMeasureAfter = 0.05;

  struct Cost {
    double cycles = 0, seconds = 0;
    void add(Cycles more, double more_seconds);
    double of_a_cycle() const { return cycles > 0 ? seconds / cycles : 0; }
  };
  // Cost of the last kRecentSeconds to 2 kRecentSeconds.
  struct RecentCost : Cost {
    void add(Cycles more, double more_seconds);
  };

  // Return the excess cost of memo entries over stepping and its limit, seconds.
  double loss() const { return with_memo_.seconds - with_memo_.cycles * stepped_.of_a_cycle(); }
  double most_loss() const;

  double unit_ = 0;
  RecentCost stepped_, recent_with_memo_;
  Cost with_memo_;                        // without gains beyond most_loss()
  double since_measured_ = 0;             // seconds with memo entries since stepping was measured
  double measure_after_ = kMeasureAfter;  // stepping is measured again after these seconds
};

}  // namespace weft::engine

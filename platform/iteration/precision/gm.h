#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "model/core/units.h"
#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// Constants of GM; defaults as in the thesis (section 6.4.2).
struct GmRules {
  std::vector<Level> levels = thesis_levels();  // lowest first; a superset of MuPPET's
  double error_threshold = 0.05;                // epsilon_threshold
  int history = 10;                             // eta: ticks in the history
  int passes = 3;                               // psi: ticks of the history that must pass to lower a convolution
  int ticks_per_epoch = 1;                      // omega
  Picoseconds gain_threshold = 0;               // tau_threshold, per iteration
  double total_percent = 100;                   // tau_total
  bool in_fp32 = false;                         // true: GM continues after MuPPET is in FP32
};

// Time of a convolution per iteration, in each of GmRules::levels.
using LevelTimes = std::vector<Picoseconds>;

// Returns the fewest convolutions whose gains from FP32 to the lowest level reach tau_total of all gains, in ascending
// order. Of equal gains the first counts first; a convolution without gain is never included.
std::vector<std::size_t> worth_lowering(const std::vector<LevelTimes>& times, double total_percent);

// GM: in addition to MuPPET, lowers single convolutions whose error would grow little. The trainer reports the errors
// of every iteration and the ticks (docs/how-to/train.md), and after an epoch MuPPET's level.
class Gm {
 public:
  // `times`: of each convolution, in the order of the graph. Throws std::invalid_argument for times or a level that do
  // not match the rules.
  Gm(GmRules rules, std::vector<LevelTimes> times, Level level);

  const std::vector<std::size_t>& accelerated() const { return accelerated_; }
  Level level(std::size_t convolution) const { return rules_.levels[states_[convolution].at]; }
  std::vector<Level> levels() const;

  // True if the errors of a convolution count now: it is in accelerated(), has a level below its own, and would gain
  // tau_threshold there.
  bool watches(std::size_t convolution) const;
  Level lower(std::size_t convolution) const;  // level below; of a watched convolution
  // tau: gain per iteration of lowering a watched convolution.
  Picoseconds gain(std::size_t convolution) const;

  // Adds the relative absolute errors (Eq. 6.3) of an iteration of a watched convolution.
  void observe(std::size_t convolution, double error_now, double error_lower);
  // Ends a tick; returns the convolutions that it lowers.
  std::vector<std::size_t> tick();
  // Sets every convolution to MuPPET's new level and clears the histories.
  void follow(Level level);

 private:
  struct State {
    std::size_t at = 0;  // index in rules_.levels
    bool accelerated = false;
    std::deque<bool> history;   // latest last
    double sum = 0;             // differences since the last tick
    std::int64_t observed = 0;  // number of differences
    void clear();
  };

  GmRules rules_;
  std::vector<LevelTimes> times_;
  std::vector<std::size_t> accelerated_;
  std::vector<State> states_;
  bool resting_ = false;  // MuPPET is in FP32
};

}  // namespace weft::precision

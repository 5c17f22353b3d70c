#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "model/core/units.h"
#include "platform/iteration/precision/trace.h"

namespace weft::precision {

// The constants of GM, as the thesis has them (section 6.4.2).
struct GmRules {
  std::vector<Level> levels = thesis_levels();  // lowest first; a superset of MuPPET's
  double error_threshold = 0.05;                // epsilon_threshold
  int history = 10;                             // eta: ticks that are remembered
  int passes = 3;                               // psi: of them, that lower a convolution
  int ticks_per_epoch = 1;                      // omega
  Picoseconds gain_threshold = 0;               // tau_threshold, of an iteration
  double total_percent = 100;                   // tau_total
  bool in_fp32 = false;                         // go on once MuPPET is in FP32
};

// What a convolution takes of an iteration in each of GmRules::levels.
using LevelTimes = std::vector<Picoseconds>;

// The fewest convolutions whose gains from FP32 to the lowest level add up to tau_total of all gains; in ascending
// order. Of equal gains the first counts first; one that gains nothing is none of them.
std::vector<std::size_t> worth_lowering(const std::vector<LevelTimes>& times, double total_percent);

// GM: on top of MuPPET, convolutions whose error would grow by little are lowered one by one. A trainer tells it the
// errors of every iteration, and when a tick is due (docs/train.md); after an epoch it tells what MuPPET did.
class Gm {
 public:
  // `times`: of each convolution, in the order of the graph. Throws std::invalid_argument for times or a level that do
  // not go with the rules.
  Gm(GmRules rules, std::vector<LevelTimes> times, Level level);

  const std::vector<std::size_t>& accelerated() const { return accelerated_; }
  Level level(std::size_t convolution) const { return rules_.levels[states_[convolution].at]; }
  std::vector<Level> levels() const;

  // Whether the errors of a convolution count now: it is one of accelerated(), there is a level below its own, and it
  // would gain tau_threshold there.
  bool watches(std::size_t convolution) const;
  Level lower(std::size_t convolution) const;  // of one that it watches: the level below
  // tau: what an iteration gains if it is lowered, of one that it watches.
  Picoseconds gain(std::size_t convolution) const;

  // The relative absolute errors (Eq. 6.3) of an iteration of a convolution that it watches.
  void observe(std::size_t convolution, double error_now, double error_lower);
  // The end of a tick: those that are lowered.
  std::vector<std::size_t> tick();
  // MuPPET has switched: every convolution follows, and nothing is remembered.
  void follow(Level level);

 private:
  struct State {
    std::size_t at = 0;  // in rules_.levels
    bool accelerated = false;
    std::deque<bool> history;   // the latest last
    double sum = 0;             // of the differences since the last tick
    std::int64_t observed = 0;  // how many
    void clear();
  };

  GmRules rules_;
  std::vector<LevelTimes> times_;
  std::vector<std::size_t> accelerated_;
  std::vector<State> states_;
  bool resting_ = false;  // MuPPET is in FP32
};

}  // namespace weft::precision

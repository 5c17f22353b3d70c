#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/catalogue/designs.h"

// What limits a run, by counterfactuals: which change makes it fastest, which is then the next, and so on.
namespace weft::explain {

// What may be asked of the training iteration of a run on a card: the link, the calls, the loads of bitstreams, and the
// kernel and memory of `kernels`, the end of the ladder of its convolutions.
std::vector<design::Counterfactual> card_changes(const config::RunConfig& kernels);

// So many periods of a clock, compared exactly.
struct Time {
  std::int64_t periods = 0;
  Frequency clock = 1;

  double seconds() const { return weft::seconds(periods, clock); }
};
bool operator<(const Time& a, const Time& b);
inline bool operator==(const Time& a, const Time& b) {
  return !(a < b) && !(b < a);
}

// What a run takes; or why it cannot be.
struct Tried {
  std::optional<config::RunConfig> run;  // that was tried
  std::optional<Time> time;
  std::string why_not;
};

// A run to try, and the resource of which it may not need more than the board has (Counterfactual::within).
struct Candidate {
  config::RunConfig run;
  std::string within;
};

// Tries all of them; each result depends on its candidate alone. Throws Error and Deadlock.
using Trial = std::function<std::vector<Tried>(const std::vector<Candidate>&)>;

// A change at its place of the ladder.
struct Step {
  std::size_t change = 0;
  config::RunConfig run;  // with it and all before it
  Time time;
};

struct Ladder {
  config::RunConfig start;
  Time start_time;
  std::vector<Step> steps;  // kept

  const config::RunConfig& end() const { return steps.empty() ? start : steps.back().run; }
  Time end_time() const { return steps.empty() ? start_time : steps.back().time; }
};

// What a change does on its own, and in company.
struct Effect {
  Tried alone;                // made to the start
  std::optional<Tried> left;  // made to the end: of a change that is not kept, or not kept again
  // The end without it, or of one that may be made again without the last time: of a change that is kept.
  std::optional<Tried> without;
};

struct Climb {
  Ladder ladder;
  std::vector<Effect> effects;  // of each change
};

// Called before what is left is tried for the next step, with how many are.
using Watch = std::function<void(std::size_t step, std::size_t left)>;

// Greedy and cumulative: of all changes that are left, the one with which the run takes least is made; of equal ones
// the first of the list. It ends when none makes it faster: what makes it slower, or changes nothing, is not kept.
Climb climb(const config::RunConfig& start, const std::vector<design::Counterfactual>& changes, const Trial& trial,
            const Watch& watch);

// The changes of `order`, one after the other, on another run; what does not make it faster is left out and is in
// `dropped`, with the number of steps before it.
struct Replay {
  Ladder ladder;
  struct Dropped {
    std::size_t change = 0, after = 0;
    Tried tried;
  };
  std::vector<Dropped> dropped;
};
Replay replay(const config::RunConfig& start, const std::vector<design::Counterfactual>& changes,
              const std::vector<std::size_t>& order, const Trial& trial, const Watch& watch);

}  // namespace weft::explain

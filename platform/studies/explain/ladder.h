#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/catalogue/designs.h"

// Bottleneck analysis by counterfactuals: finds the change that makes the run fastest, then the next one, and so on.
namespace weft::explain {

// Changes for the training iteration of a run on a card: link, calls, loads of bitstreams, and the kernel and memory of
// `kernels`, the end of the ladder of the convolutions.
std::vector<design::Counterfactual> card_changes(const config::RunConfig& kernels);

// Number of periods of a clock; compared exactly.
struct Time {
  std::int64_t periods = 0;
  Frequency clock = 1;

  double seconds() const { return weft::seconds(periods, clock); }
};
bool operator<(const Time& a, const Time& b);
inline bool operator==(const Time& a, const Time& b) {
  return !(a < b) && !(b < a);
}

// Time of a run, or the reason why the run is impossible.
struct Tried {
  std::optional<config::RunConfig> run;  // the run tried
  std::optional<Time> time;
  std::string why_not;
};

// Run to try, and the resource that must fit the board (Counterfactual::within).
struct Candidate {
  config::RunConfig run;
  std::string within;
};

// Tries all candidates; each result depends only on its candidate. Throws Error and Deadlock.
using Trial = std::function<std::vector<Tried>(const std::vector<Candidate>&)>;

// Change in its place on the ladder.
struct Step {
  std::size_t change = 0;
  config::RunConfig run;  // with this change and all before it
  Time time;
};

struct Ladder {
  config::RunConfig start;
  Time start_time;
  std::vector<Step> steps;  // kept changes

  const config::RunConfig& end() const { return steps.empty() ? start : steps.back().run; }
  Time end_time() const { return steps.empty() ? start_time : steps.back().time; }
};

// Effect of a change alone and combined with others.
struct Effect {
  Tried alone;                // applied to the start
  std::optional<Tried> left;  // applied to the end: for a change not kept, or not kept again
  // The end without the change (or, for a repeatable change, without its last use); for a kept change.
  std::optional<Tried> without;
};

struct Climb {
  Ladder ladder;
  std::vector<Effect> effects;  // by change
};

// Called before each step, with the number of changes left to try.
using Watch = std::function<void(std::size_t step, std::size_t left)>;

// Greedy, cumulative search: each step makes the remaining change with the shortest time, the first one of equals. It
// ends when no change makes the run faster; changes that do not help are not kept.
Climb climb(const config::RunConfig& start, const std::vector<design::Counterfactual>& changes, const Trial& trial,
            const Watch& watch);

// Changes of `order` applied one after the other to another run. A change that does not make it faster is left out and
// recorded in `dropped`, with the number of steps before it.
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

#include "platform/studies/explain/ladder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weft::explain {

using config::RunConfig;
using design::Changed;
using design::Counterfactual;

namespace {

__extension__ using Wide = __int128;

// Tries those that can be made, at once.
std::vector<Tried> try_all(const std::vector<const Counterfactual*>& changes, std::vector<Changed> made,
                           const Trial& trial) {
  std::vector<Candidate> candidates;
  std::vector<Tried> results(made.size());
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].run) {
      candidates.push_back({std::move(*made[i].run), changes[i]->within});
      at.push_back(i);
    } else {
      results[i].why_not = std::move(made[i].why_not);
    }
  }
  std::vector<Tried> tried = trial(candidates);
  for (std::size_t i = 0; i < at.size(); ++i) results[at[i]] = std::move(tried[i]);
  return results;
}

std::vector<Tried> try_all(const RunConfig& on, const std::vector<Counterfactual>& changes,
                           const std::vector<std::size_t>& which, const Trial& trial) {
  std::vector<const Counterfactual*> chosen;
  std::vector<Changed> made;
  for (const std::size_t change : which) {
    chosen.push_back(&changes[change]);
    made.push_back(changes[change].make(on));
  }
  return try_all(chosen, std::move(made), trial);
}

// The start with all steps but one.
Changed without(const Ladder& ladder, std::size_t left_out, const std::vector<Counterfactual>& changes) {
  Changed made = Changed::to(ladder.start);
  for (std::size_t i = 0; i < ladder.steps.size() && made.run; ++i) {
    if (i != left_out) made = changes[ladder.steps[i].change].make(*made.run);
  }
  return made;
}

Ladder begin(const RunConfig& start, const Trial& trial) {
  Ladder ladder;
  Tried tried = std::move(trial({{start, ""}}).front());
  if (!tried.time) throw Error(tried.why_not);
  ladder.start = std::move(*tried.run);
  ladder.start_time = *tried.time;
  return ladder;
}

}  // namespace

bool operator<(const Time& a, const Time& b) {
  // periods / clock, both sides times both clocks.
  return Wide{a.periods} * a.clock.denominator() * b.clock.numerator() <
         Wide{b.periods} * b.clock.denominator() * a.clock.numerator();
}

Climb climb(const RunConfig& start, const std::vector<Counterfactual>& changes, const Trial& trial,
            const Watch& watch) {
  Climb result;
  Ladder& ladder = result.ladder;
  ladder = begin(start, trial);
  result.effects.resize(changes.size());
  std::vector<std::size_t> left(changes.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (;;) {
    if (watch) watch(ladder.steps.size() + 1, left.size());
    std::vector<Tried> tried = try_all(ladder.end(), changes, left, trial);
    if (ladder.steps.empty()) {
      for (std::size_t i = 0; i < left.size(); ++i) result.effects[left[i]].alone = tried[i];
    }
    std::size_t best = left.size();
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (tried[i].time && *tried[i].time < (best == left.size() ? ladder.end_time() : *tried[best].time)) best = i;
    }
    if (best == left.size()) {
      for (std::size_t i = 0; i < left.size(); ++i) result.effects[left[i]].left = std::move(tried[i]);
      break;
    }
    ladder.steps.push_back({left[best], std::move(*tried[best].run), *tried[best].time});
    if (!changes[left[best]].again) left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }

  // What each gains where all others are.
  std::vector<const Counterfactual*> kept;
  std::vector<Changed> made;
  for (std::size_t change = 0; change < changes.size(); ++change) {
    std::size_t last = ladder.steps.size();
    for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
      if (ladder.steps[i].change == change) last = i;
    }
    if (last == ladder.steps.size()) continue;
    kept.push_back(&changes[change]);
    made.push_back(without(ladder, last, changes));
  }
  const std::vector<Tried> tried = try_all(kept, std::move(made), trial);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    result.effects[static_cast<std::size_t>(kept[i] - changes.data())].without = tried[i];
  }
  return result;
}

Replay replay(const RunConfig& start, const std::vector<Counterfactual>& changes, const std::vector<std::size_t>& order,
              const Trial& trial, const Watch& watch) {
  Replay result;
  if (watch) watch(0, order.size());
  result.ladder = begin(start, trial);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (watch) watch(i + 1, order.size() - i);
    Tried tried = std::move(try_all(result.ladder.end(), changes, {order[i]}, trial).front());
    if (tried.time && *tried.time < result.ladder.end_time()) {
      result.ladder.steps.push_back({order[i], std::move(*tried.run), *tried.time});
    } else {
      result.dropped.push_back({order[i], result.ladder.steps.size(), std::move(tried)});
    }
  }
  return result;
}

}  // namespace weft::explain

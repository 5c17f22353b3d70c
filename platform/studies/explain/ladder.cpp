#include "platform/studies/explain/ladder.h"

#include <algorithm>
#include <set>

namespace weft::explain {

namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kAllSubsets = 10;  // maximum of changes made once whose subsets are all tried
constexpr std::size_t kBeam = 6;         // sets that are extended
constexpr std::size_t kReplaced = 2;     // sets of the beam whose changes are also replaced

// True if a set with `a` is better than one with `b`.
bool better(const Tried& a, const Tried& b) {
  if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
  if (!a.time) return false;
  if (a.misfits != b.misfits) return a.misfits < b.misfits;
  return *a.time < *b.time;
}

class Search {
 public:
  Search(Sets& sets, const std::vector<std::size_t>& allowed, const Watch& watch)
      : sets_(sets), allowed_(allowed), watch_(watch) {}

  Set best() {
    if (!sets_.of({}).time) throw Error(sets_.of({}).why_not);
    const bool few = allowed_.size() <= kAllSubsets && std::none_of(allowed_.begin(), allowed_.end(), [&](auto change) {
                       return sets_.changes()[change].again;
                     });
    return pruned(few ? best_of_all() : best_by_beam());
  }

 private:
  void try_all(const std::set<Set>& sets) {
    if (watch_) watch_(sets_.tried());
    sets_.try_all({sets.begin(), sets.end()});
  }

  Set best_of_all() {
    std::set<Set> all{Set()};
    for (const std::size_t change : allowed_) {
      const std::set<Set> before = all;
      for (const Set& set : before) all.insert(with(set, change));
    }
    try_all(all);
    return first(all).front();
  }

  Set best_by_beam() {
    std::vector<Set> beam{Set()};
    bool pairs = true;  // of the best set are to be tried
    for (;;) {
      std::set<Set> next(beam.begin(), beam.end());
      if (pairs) add_pairs(beam.front(), next);
      for (std::size_t i = 0; i < beam.size(); ++i) add_near(beam[i], i < kReplaced, next);
      try_all(next);
      std::vector<Set> found = first(next);
      const bool improved = better(sets_.of(found.front()), sets_.of(beam.front()));
      beam = std::move(found);
      if (!improved && pairs) return beam.front();
      pairs = !improved;
    }
  }

  bool may_add(const Set& set, std::size_t change) const {
    return sets_.changes()[change].again || std::find(set.begin(), set.end(), change) == set.end();
  }
  void add_near(const Set& set, bool replaced, std::set<Set>& to) const {
    for (const std::size_t change : allowed_) {
      if (may_add(set, change)) to.insert(with(set, change));
    }
    for (const std::size_t change : std::set<std::size_t>(set.begin(), set.end())) {
      const Set less = explain::without(set, change);
      to.insert(less);
      if (!replaced) continue;
      for (const std::size_t other : allowed_) {
        if (other != change && may_add(less, other)) to.insert(with(less, other));
      }
    }
  }
  void add_pairs(const Set& set, std::set<Set>& to) const {
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      if (!may_add(set, allowed_[i])) continue;
      const Set one = with(set, allowed_[i]);
      for (std::size_t k = i; k < allowed_.size(); ++k) {
        if (may_add(one, allowed_[k])) to.insert(with(one, allowed_[k]));
      }
    }
  }

  // Returns the best sets, one of those with equal results: the smallest, then the first.
  std::vector<Set> first(const std::set<Set>& sets) {
    std::vector<Set> order(sets.begin(), sets.end());
    std::stable_sort(order.begin(), order.end(), [&](const Set& a, const Set& b) {
      const Tried &of_a = sets_.of(a), &of_b = sets_.of(b);
      if (better(of_a, of_b) || better(of_b, of_a)) return better(of_a, of_b);
      return a.size() < b.size();
    });
    std::vector<Set> best;
    for (const Set& set : order) {
      if (best.size() == kBeam || !sets_.of(set).time) break;
      if (best.empty() || better(sets_.of(best.back()), sets_.of(set))) best.push_back(set);
    }
    return best;
  }

  // Removes the change that saves least as long as that is less than kLeastGain.
  Set pruned(Set set) {
    for (;;) {
      const Set* best = nullptr;
      std::set<Set> less;
      for (const std::size_t change : set) less.insert(explain::without(set, change));
      try_all(less);
      const Tried now = sets_.of(set);
      for (const Set& each : less) {
        const Tried& tried = sets_.of(each);
        if (!tried.time || tried.misfits > now.misfits) continue;
        if (tried.time->seconds() * (1 - kLeastGain) > now.time->seconds()) continue;
        if (!best || better(tried, sets_.of(*best))) best = &each;
      }
      if (!best) return set;
      set = Set(*best);
    }
  }

  Sets& sets_;
  const std::vector<std::size_t>& allowed_;
  const Watch& watch_;
};

}  // namespace

bool operator<(const Time& a, const Time& b) {
  // Compares periods / clock, both sides multiplied by both clocks.
  return Wide{a.periods} * a.clock.denominator() * b.clock.numerator() <
         Wide{b.periods} * b.clock.denominator() * a.clock.numerator();
}

Set with(Set set, std::size_t change) {
  set.insert(std::upper_bound(set.begin(), set.end(), change), change);
  return set;
}

Set without(Set set, std::size_t change) {
  set.erase(std::upper_bound(set.begin(), set.end(), change) - 1);
  return set;
}

design::Changed Sets::run(const Set& set) const {
  design::Changed made = design::Changed::to(start_);
  for (std::size_t i = 0; i < set.size() && made.run; ++i) made = changes_[set[i]].make(*made.run);
  return made;
}

void Sets::try_all(const std::vector<Set>& sets) {
  std::vector<config::RunConfig> runs;
  std::vector<const Set*> possible;
  for (const Set& set : sets) {
    if (tried_.count(set) != 0) continue;
    design::Changed made = run(set);
    if (made.run) {
      runs.push_back(std::move(*made.run));
      possible.push_back(&set);
    } else {
      tried_[set].why_not = std::move(made.why_not);
    }
  }
  if (runs.empty()) return;
  std::vector<Tried> tried = trial_(runs);
  for (std::size_t i = 0; i < possible.size(); ++i) tried_[*possible[i]] = std::move(tried[i]);
}

const Tried& Sets::of(const Set& set) {
  try_all({set});
  return tried_.at(set);
}

Set best_set(Sets& sets, const std::vector<std::size_t>& allowed, const Watch& watch) {
  return Search(sets, allowed, watch).best();
}

std::vector<Step> order_of(Sets& sets, const Set& set) {
  std::vector<Step> steps;
  Set done, left = set;
  // Adds the change, or the pair, with the least time that adds no misfit.
  const auto add = [&](const std::set<Set>& choices) {
    std::vector<Set> all;
    for (const Set& choice : choices) {
      Set& with_it = all.emplace_back(done);
      for (const std::size_t change : choice) with_it = with(with_it, change);
    }
    sets.try_all(all);
    const Tried now = sets.of(done);
    auto best = choices.end();
    std::size_t at = 0, best_at = 0;
    for (auto choice = choices.begin(); choice != choices.end(); ++choice, ++at) {
      const Tried& tried = sets.of(all[at]);
      if (!tried.time || tried.misfits > now.misfits) continue;
      if (best != choices.end() && !(*tried.time < *sets.of(all[best_at]).time)) continue;
      best = choice;
      best_at = at;
    }
    if (best == choices.end()) return false;
    for (const std::size_t change : *best) left = without(left, change);
    done = all[best_at];
    steps.push_back({*best, done});
    return true;
  };
  while (!left.empty()) {
    std::set<Set> singles, pairs;
    for (std::size_t i = 0; i < left.size(); ++i) {
      singles.insert({left[i]});
      for (std::size_t k = i + 1; k < left.size(); ++k) pairs.insert({left[i], left[k]});
    }
    if (!add(singles) && !add(pairs)) add({left});
  }
  return steps;
}

}  // namespace weft::explain

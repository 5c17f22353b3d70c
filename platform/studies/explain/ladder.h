#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/catalogue/designs.h"

// Search for the set of changes with which a run takes least, and for the order that shows what each of them gains. It
// knows neither designs nor simulators.
namespace weft::explain {

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

// Time of a run and number of its convolutions whose kernels do not fit the board, or the reason why the run is
// impossible.
struct Tried {
  std::optional<Time> time;
  std::int64_t misfits = 0;
  std::string why_not;
};

// Tries all runs; each result depends only on its run. Throws Error and Deadlock.
using Trial = std::function<std::vector<Tried>(const std::vector<config::RunConfig>&)>;

// Changes made to a run: indices, ascending. A repeatable change may occur repeatedly.
using Set = std::vector<std::size_t>;
Set with(Set set, std::size_t change);
Set without(Set set, std::size_t change);  // without its last use

// Sets of changes made to one run, each tried once.
class Sets {
 public:
  Sets(config::RunConfig start, const std::vector<design::Counterfactual>& changes, Trial trial)
      : start_(std::move(start)), changes_(changes), trial_(std::move(trial)) {}

  void try_all(const std::vector<Set>& sets);
  const Tried& of(const Set& set);
  // Makes the changes in the order of their list.
  design::Changed run(const Set& set) const;
  const std::vector<design::Counterfactual>& changes() const { return changes_; }
  std::size_t tried() const { return tried_.size(); }

 private:
  config::RunConfig start_;
  const std::vector<design::Counterfactual>& changes_;
  Trial trial_;
  std::map<Set, Tried> tried_;
};

// Share of the time that a change must save to be kept.
constexpr double kLeastGain = 0.001;

// Called from time to time with the number of sets tried.
using Watch = std::function<void(std::size_t sets)>;

// Returns the set of `allowed` changes with the fewest misfits and, of these, the least time, without changes that save
// less than kLeastGain. All subsets are tried if they are few. Otherwise a beam search adds, removes and replaces
// changes of the best sets, and adds pairs to the best one, until nothing is better. Throws Error if the start is
// impossible.
Set best_set(Sets& sets, const std::vector<std::size_t>& allowed, const Watch& watch);

// Step of a ladder: changes made together, after those of all earlier steps.
struct Step {
  Set changes;
  Set all;  // with those of all earlier steps
};

// Orders a set: each step makes the change that then gives the least time without adding a misfit. Changes that are
// possible only together make one step.
std::vector<Step> order_of(Sets& sets, const Set& set);

}  // namespace weft::explain

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/run/progress.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"

namespace weft::run {

// A run, and what processors spent on its convolutions, whichever run they were simulated for; or why it is none.
struct Simulated {
  std::optional<Result> result;
  std::string why_not;
  double processor_seconds = 0;
};

// What speaks against simulating a run of which all is known but that; empty: nothing.
using Objection = std::function<std::string(std::size_t run, const Result& prepared)>;

// Runs of one design, in timing mode, that differ in a few of their keys. A convolution whose units are equal, and to
// which the runs look alike (design::Design::as_seen_by), is simulated once for all of them.
class Simulations {
 public:
  // `workers`: processes. `cache`: as simulate() takes it.
  explicit Simulations(int workers, RowCache* cache = nullptr) : workers_(workers), cache_(cache) {}

  // The runs as simulate() gives them but for what it took to simulate (Row::account, Row::repeats). A run that cannot
  // be planned is none. Throws Error and Deadlock of a simulation.
  std::vector<Simulated> of(const std::vector<config::RunConfig>& runs, const workloads::Network& network,
                            const Objection& objection, const Progress& progress);

  std::int64_t convolutions() const { return convolutions_; }  // of all runs
  std::int64_t different() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  struct Known {
    Row row;
    double processor_seconds = 0;
  };
  // What a run looks like to a row, and the identities of the row's units, each by a number.
  using Key = std::pair<std::size_t, std::vector<std::size_t>>;
  struct Planned;

  Planned plan(const config::RunConfig& run, const workloads::Network& network);
  std::vector<Key> keys_of(const Planned& planned);
  void simulate_new(std::vector<Planned>& all, const Progress& progress);

  static void add_unit(Known& known, std::size_t unit, const design::UnitResult& result, std::int64_t cost_us);
  std::optional<std::string> cache_key(const Planned& planned, std::size_t row) const;  // nothing if none is asked
  // Whether the cache has it; then it is known.
  bool look_up(const Planned& planned, std::size_t row, const std::string& key);

  int workers_;
  RowCache* cache_;
  std::map<std::string, std::size_t> looks_;
  std::map<std::vector<std::int64_t>, std::size_t> identities_;
  std::map<Key, Known> known_;
  std::int64_t convolutions_ = 0;
};

}  // namespace weft::run

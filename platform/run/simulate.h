#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/stream/observer.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"

namespace weft::run {

// Planned run: `result` holds everything known without simulation; its cycles are those of the equations until it is
// simulated.
struct Planned {
  Result result;
  std::unique_ptr<const design::Work> work;
  double processor_seconds = 0;  // of its units once simulated, including units that were simulated for another run
};

// `network`: layers of the run's workload, batch set. Throws Error if a convolution exceeds the kernel or the board.
Planned plan(const config::RunConfig& config, const workloads::Network& network);
// Returns the result of plan() only.
Result prepare(const config::RunConfig& config, const workloads::Network& network);

// Interrupted run, with the number of its finished convolutions.
struct Interrupted {
  std::size_t finished = 0, convolutions = 0;
};

// Simulates a planned run on its workers. If `cache` is set and may_cache(), rows in the cache are not simulated again;
// others are stored within a tenth of a second after they finish. Ends early once `*interrupt` is not 0. `observer`
// (rung systemc only, no cache) sees all units, one after the other. Throws Error for a kernel that does not fit if the
// run is strict, and Error and Deadlock of a unit.
std::variant<Result, Interrupted> simulate(Planned run, const Progress& progress, RowCache* cache,
                                           const volatile std::sig_atomic_t* interrupt,
                                           stream::Observer* observer = nullptr);
// Simulates without interruption.
Result simulate(Planned run, const Progress& progress, RowCache* cache = nullptr);
// Plans and simulates a run.
Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress,
                RowCache* cache = nullptr);

// Result of a run that was simulated with others, or the reason why there is none.
struct Simulated {
  std::optional<Result> result;
  std::string why_not;
  double processor_seconds = 0;  // as in Planned
};

// Returns the reason not to simulate a planned run; empty to simulate it.
using Objection = std::function<std::string(std::size_t run, const Result& prepared)>;

// Simulates runs of one design that differ in a few keys. Equal units of work are simulated once: units of equal
// identity in runs whose look_of() for the kind of convolution is equal.
class Simulations {
 public:
  // `workers`: number of processes. `cache`: as in simulate().
  explicit Simulations(int workers, RowCache* cache = nullptr) : workers_(workers), cache_(cache) {}

  // Returns the results of simulate() for the runs, except Row::account. A run that cannot be planned has no result.
  // Throws Error and Deadlock of a unit.
  std::vector<Simulated> of(const std::vector<config::RunConfig>& runs, const workloads::Network& network,
                            const Objection& objection, const Progress& progress);

  // Simulates the unknown units and adds up the units of each row. Returns the number of unfinished rows: 0 unless
  // interrupted. Throws Error and Deadlock of the first unit that fails; the message names the layer.
  std::size_t simulate(const std::vector<Planned*>& runs, const Progress& progress,
                       const volatile std::sig_atomic_t* interrupt = nullptr, stream::Observer* observer = nullptr);

  std::int64_t convolutions() const { return convolutions_; }  // summed over all runs
  std::int64_t different() const { return static_cast<std::int64_t>(rows_.size()); }

 private:
  using Units = std::vector<std::size_t>;  // of a row, as indices into units_
  // look_of() of its run (in looks_), and its identity.
  using UnitKey = std::pair<const std::string*, std::vector<std::int64_t>>;
  struct Unit {
    const UnitKey* key = nullptr;
    UnitWords done;  // empty words: not simulated
  };

  std::vector<Units> units_of(const Planned& run);
  bool is_done(const Units& row) const;
  std::string cache_key(const Units& row) const;
  // Returns the rows missing from the cache; nothing if the cache is not used.
  std::vector<Units> look_up(const Planned& run, const std::vector<Units>& rows);
  void store_finished(std::vector<Units>& missed);
  std::size_t add_up(Planned& run, const std::vector<Units>& rows) const;

  int workers_;
  RowCache* cache_;
  std::set<std::string> looks_;
  std::map<UnitKey, std::size_t> unit_of_;
  std::vector<Unit> units_;
  std::set<Units> rows_;
  std::int64_t convolutions_ = 0;
};

}  // namespace weft::run

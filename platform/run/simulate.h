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

// A run that is planned: `result` has all that is known without simulating it, and its cycles are those of the
// equations until it is simulated.
struct Planned {
  Result result;
  std::unique_ptr<const design::Work> work;
  double processor_seconds = 0;  // of its units once they are simulated, whichever run they were simulated for
};

// `network`: the layers of the run's workload, batch set. Throws Error if kernel or board cannot hold a convolution.
Planned plan(const config::RunConfig& config, const workloads::Network& network);
// Its result alone.
Result prepare(const config::RunConfig& config, const workloads::Network& network);

// A run that was interrupted: how many of its convolutions are finished.
struct Interrupted {
  std::size_t finished = 0, convolutions = 0;
};

// Simulates a planned run on its workers. Rows that `cache` has, if there is one and may_cache(), are not simulated
// again; others are stored within a tenth of a second after they are finished. Ends early once `interrupt`, if any, is
// not 0. `observer`, if any, sees every unit, one after the other, for rung systemc: then there is no cache. Throws
// Error for a kernel that does not fit where the run is strict, Error and Deadlock of a unit.
std::variant<Result, Interrupted> simulate(Planned run, const Progress& progress, RowCache* cache,
                                           const volatile std::sig_atomic_t* interrupt,
                                           stream::Observer* observer = nullptr);
// The same to its end.
Result simulate(Planned run, const Progress& progress, RowCache* cache = nullptr);
// Plans and simulates a run.
Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress,
                RowCache* cache = nullptr);

// A run that was simulated with others; or why it is none.
struct Simulated {
  std::optional<Result> result;
  std::string why_not;
  double processor_seconds = 0;  // as Planned has them
};

// The reason not to simulate a planned run; empty: there is none.
using Objection = std::function<std::string(std::size_t run, const Result& prepared)>;

// Simulates runs of one design that differ in a few of their keys. A unit of work is simulated once for all units that
// are equal to it: those of the same identity, in runs that look alike to its kind of convolution.
class Simulations {
 public:
  // `workers`: processes. `cache`: as simulate() takes it.
  explicit Simulations(int workers, RowCache* cache = nullptr) : workers_(workers), cache_(cache) {}

  // The runs as simulate() gives them but for what it took to simulate (Row::account). A run that cannot be planned is
  // none. Throws Error and Deadlock of a unit.
  std::vector<Simulated> of(const std::vector<config::RunConfig>& runs, const workloads::Network& network,
                            const Objection& objection, const Progress& progress);

  // Simulates the units that are not known yet, and adds up those of each row. Returns the number of rows that are not
  // finished: 0 unless `interrupt` ended it. Throws Error and Deadlock of the first unit that fails; it names the
  // layer.
  std::size_t simulate(const std::vector<Planned*>& runs, const Progress& progress,
                       const volatile std::sig_atomic_t* interrupt = nullptr, stream::Observer* observer = nullptr);

  std::int64_t convolutions() const { return convolutions_; }  // of all runs
  std::int64_t different() const { return static_cast<std::int64_t>(rows_.size()); }

 private:
  using Units = std::vector<std::size_t>;  // of a row, as indices into units_
  // How its run looks to it (in looks_), and its identity.
  using UnitKey = std::pair<const std::string*, std::vector<std::int64_t>>;
  struct Unit {
    const UnitKey* key = nullptr;
    UnitWords done;  // no words: not simulated
  };

  std::vector<Units> units_of(const Planned& run);
  bool is_done(const Units& row) const;
  std::string cache_key(const Units& row) const;
  // The rows that the cache has not; nothing if it is not asked.
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

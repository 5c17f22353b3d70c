#include "platform/run/simulate.h"

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/worker_pool.h"
#include "platform/run/accounting.h"
#include "platform/run/unit_jobs.h"
#include "platform/run/unit_words.h"

namespace weft::run {

namespace {

// The unit that is simulated for each: itself, or an equal one before it. In data mode none are equal: their data
// differ.
std::vector<std::size_t> first_equals(const config::RunConfig& run, const design::Work& work, std::size_t units) {
  std::vector<std::size_t> first(units);
  std::iota(first.begin(), first.end(), std::size_t{0});
  if (run.mode == config::Mode::Data) return first;
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (std::size_t unit = 0; unit < units; ++unit) {
    first[unit] = known.emplace(work.identity(unit), unit).first->second;
  }
  return first;
}

// The units of a run, those that are equal once.
class Units {
 public:
  Units(const config::RunConfig& config, const Topology& topology, const design::Work& work,
        const std::vector<Row>& rows, const Checkpoint& known, waves::Watcher* watcher, RowCache* cache)
      : config_(config),
        topology_(topology),
        work_(work),
        units_(work.units()),
        first_(first_equals(config, work, units_.size())),
        results_(known.units),
        watcher_(watcher),
        cache_(may_cache(config) && !watcher ? cache : nullptr),
        jobs_(topology, config.workers.value_or(os::processors())) {
    if (cache_) look_up(rows);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (!watcher && (first_[unit] != unit || results_.count(unit) != 0)) continue;
      jobs_.add(work, unit, units_[unit].weight, config.seed, rows[units_[unit].row]);
      unit_of_job_.push_back(unit);
    }
  }

  // Whether all of them are done.
  bool simulate(const Progress& progress, const volatile std::sig_atomic_t* interrupt) {
    bool all = true;
    if (watcher_) {
      jobs_.watch(*watcher_, progress, interrupt);
    } else if (jobs_.size() > 0) {
      jobs_.run(progress, interrupt);
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const std::size_t unit = unit_of_job_[job];
      if (!jobs_.done(job)) {
        all = false;
      } else if (first_[unit] == unit) {
        results_[unit] = jobs_.words(job);
        cost_us_[unit] = jobs_.cost_us(job);
      }
    }
    if (cache_) store();
    return all;
  }

  // Adds them up, and says of each row whether all of its units were there.
  std::vector<bool> add_to(std::vector<Row>& rows) const {
    for (Row& row : rows) {
      begin_adding(row, topology_);
      row.repeats = config_.mode == config::Mode::Timing;
      if (config_.mode == config::Mode::Data) row.data = design::DataCheck{};
    }
    std::vector<bool> finished(rows.size(), true);
    std::vector<std::size_t> added(rows.size(), 0);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const std::size_t index = units_[unit].row;
      const auto found = results_.find(first_[unit]);
      if (found == results_.end()) {
        finished[index] = false;
        continue;
      }
      Row& row = rows[index];
      const bool counted = first_[unit] != unit;
      row.repeats = row.repeats && counted;
      const design::UnitResult result = read_unit(topology_, found->second.data());
      add(row, result, counted);
      row.units[added[index]++].cycles = result.cycles + result.drain_cycles;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (finished[row]) rows[row].limiter = work_.limiter(rows[row]);
    }
    return finished;
  }

  const std::map<std::size_t, std::vector<std::int64_t>>& results() const { return results_; }

 private:
  // A row that the cache has is all of its units.
  void look_up(const std::vector<Row>& rows) {
    std::vector<std::vector<std::size_t>> units(rows.size());
    for (std::size_t unit = 0; unit < units_.size(); ++unit) units[units_[unit].row].push_back(unit);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      CachedRow cached{row_key(config_, rows[row].kind, work_, units[row]), std::move(units[row])};
      const std::optional<std::vector<UnitWords>> found = find_row(*cache_, cached.key, cached.units.size(), topology_);
      if (!found) {
        missed_.push_back(std::move(cached));
        continue;
      }
      for (std::size_t i = 0; i < cached.units.size(); ++i) results_[first_[cached.units[i]]] = (*found)[i].words;
    }
  }

  // The rows that are finished and were not there.
  void store() const {
    for (const CachedRow& row : missed_) {
      std::vector<UnitWords> words;
      for (const std::size_t unit : row.units) {
        const auto found = results_.find(first_[unit]);
        if (found == results_.end()) break;
        const auto cost = first_[unit] == unit ? cost_us_.find(unit) : cost_us_.end();
        words.push_back({found->second, cost == cost_us_.end() ? 0 : cost->second});
      }
      if (words.size() == row.units.size()) store_row(*cache_, row.key, words);
    }
    if (!missed_.empty()) cache_->trim();
  }

  struct CachedRow {
    std::string key;
    std::vector<std::size_t> units;
  };

  const config::RunConfig& config_;
  const Topology& topology_;
  const design::Work& work_;
  std::vector<design::Work::Unit> units_;
  std::vector<std::size_t> first_;  // the unit that is simulated for each
  std::map<std::size_t, std::vector<std::int64_t>> results_;
  waves::Watcher* watcher_;
  RowCache* cache_;  // null: nothing is looked up
  std::vector<CachedRow> missed_;
  std::map<std::size_t, std::int64_t> cost_us_;
  UnitJobs jobs_;
  std::vector<std::size_t> unit_of_job_;
};

}  // namespace

Result prepare(const config::RunConfig& config, const workloads::Network& network) {
  return prepared(config, network, *design::design_of(config).plan(config, network));
}

Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress,
                RowCache* cache) {
  return std::get<Result>(simulate(config, network, progress, {}, nullptr, nullptr, cache));
}

std::variant<Result, Part> simulate(const config::RunConfig& config, const workloads::Network& network,
                                    const Progress& progress, const Checkpoint& known,
                                    const volatile std::sig_atomic_t* interrupt, waves::Watcher* watcher,
                                    RowCache* cache) {
  const design::Design& design = design::design_of(config);
  const std::unique_ptr<design::Work> work = design.plan(config, network);
  Result result = prepared(config, network, *work);
  if (config.strict_fit) require_fit(result);
  if (config.rung == config::Rung::Analytical) return result;
  if (!known.work.empty() && known.work != digest_of(network, *work)) {
    throw Error("its network is not the one that was simulated when the run was interrupted");
  }
  Units units(config, design.topology(), *work, result.rows, known, watcher, cache);
  const bool all = units.simulate(progress, interrupt);
  const std::vector<bool> finished = units.add_to(result.rows);
  if (all) return result;
  Part part{{}, result.rows.size(), {digest_of(network, *work), units.results()}};
  std::vector<Row> rows = std::move(result.rows);
  result.rows.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (finished[row]) result.rows.push_back(std::move(rows[row]));
  }
  part.result = std::move(result);
  return part;
}

}  // namespace weft::run

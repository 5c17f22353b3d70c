#include "platform/run/simulations.h"

#include <memory>
#include <stdexcept>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/run/accounting.h"
#include "platform/run/figures.h"
#include "platform/run/same_cycles.h"
#include "platform/run/unit_jobs.h"
#include "platform/run/unit_words.h"

namespace weft::run {

void Simulations::add_unit(Known& known, std::size_t unit, const design::UnitResult& result, std::int64_t cost_us) {
  add(known.row, result, true);
  known.row.units[unit].cycles = result.cycles + result.drain_cycles;
  known.processor_seconds += 1e-6 * static_cast<double>(cost_us);
}

struct Simulations::Planned {
  std::unique_ptr<design::Work> work;
  Result result;
  std::vector<std::vector<std::size_t>> units;  // of each row
  std::vector<Key> keys;                        // of each row
};

// By what a row's cycles depend on.
std::vector<Simulations::Key> Simulations::keys_of(const Planned& planned) {
  const config::RunConfig& run = planned.result.config;
  const design::Design& design = design::design_of(run);
  std::map<conv::Kind, std::size_t> look_of;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < planned.result.rows.size(); ++i) {
    const conv::Kind kind = planned.result.rows[i].kind;
    const auto [look, first] = look_of.try_emplace(kind);
    if (first) {
      const std::string text = config::to_yaml(cycles_node(design.as_seen_by(run, kind)));
      look->second = looks_.try_emplace(text, looks_.size()).first->second;
    }
    Key key{look->second, {}};
    for (const std::size_t unit : planned.units[i]) {
      key.second.push_back(identities_.try_emplace(planned.work->identity(unit), identities_.size()).first->second);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

std::optional<std::string> Simulations::cache_key(const Planned& planned, std::size_t row) const {
  const config::RunConfig& run = planned.result.config;
  if (!cache_ || !may_cache(run)) return std::nullopt;
  return row_key(run, planned.result.rows[row].kind, *planned.work, planned.units[row]);
}

bool Simulations::look_up(const Planned& planned, std::size_t row, const std::string& key) {
  const std::vector<std::size_t>& units = planned.units[row];
  const Topology& topology = design::design_of(planned.result.config).topology();
  const std::optional<std::vector<UnitWords>> found = find_row(*cache_, key, units.size(), topology);
  if (!found) return false;
  Known known{planned.result.rows[row], 0};
  begin_adding(known.row, topology);
  for (std::size_t i = 0; i < units.size(); ++i)
    add_unit(known, i, read_unit(topology, (*found)[i].words.data()), (*found)[i].cost_us);
  known.row.limiter = planned.work->limiter(known.row);
  known_.emplace(planned.keys[row], std::move(known));
  return true;
}

void Simulations::simulate_new(std::vector<Planned>& all, const Progress& progress) {
  struct New {
    Planned* planned;
    std::size_t row;
    std::vector<std::size_t> jobs;  // of its units
    std::optional<std::string> cache_key;
  };
  const Topology& topology = design::design_of(all.front().result.config).topology();
  UnitJobs jobs(topology, workers_);
  std::vector<New> rows;
  std::map<Key, bool> begun;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> job_of;  // by look and identity
  for (Planned& planned : all) {
    const std::vector<design::Work::Unit> units = planned.work->units();
    for (std::size_t i = 0; i < planned.keys.size(); ++i) {
      const Key& key = planned.keys[i];
      if (known_.count(key) != 0 || !begun.emplace(key, true).second) continue;
      New fresh{&planned, i, {}, cache_key(planned, i)};
      if (fresh.cache_key && look_up(planned, i, *fresh.cache_key)) continue;
      for (std::size_t k = 0; k < planned.units[i].size(); ++k) {
        const auto [job, first] = job_of.try_emplace({key.first, key.second[k]});
        if (first) {
          const std::size_t unit = planned.units[i][k];
          job->second =
              jobs.add(*planned.work, unit, units[unit].weight, planned.result.config.seed, planned.result.rows[i]);
        }
        fresh.jobs.push_back(job->second);
      }
      rows.push_back(std::move(fresh));
    }
  }
  if (rows.empty()) return;
  jobs.run(progress);
  for (const New& fresh : rows) {
    Known known{fresh.planned->result.rows[fresh.row], 0};
    begin_adding(known.row, topology);
    std::vector<UnitWords> words;
    for (std::size_t k = 0; k < fresh.jobs.size(); ++k) {
      words.push_back({jobs.words(fresh.jobs[k]), jobs.cost_us(fresh.jobs[k])});
      add_unit(known, k, jobs.result(fresh.jobs[k]), words.back().cost_us);
    }
    known.row.limiter = fresh.planned->work->limiter(known.row);
    if (fresh.cache_key) store_row(*cache_, *fresh.cache_key, words);
    known_.emplace(fresh.planned->keys[fresh.row], std::move(known));
  }
  if (cache_) cache_->trim();
}

Simulations::Planned Simulations::plan(const config::RunConfig& run, const workloads::Network& network) {
  if (run.mode != config::Mode::Timing) throw std::logic_error("units of equal identity have other data");
  Planned planned;
  planned.work = design::design_of(run).plan(run, network);
  planned.result = prepared(run, network, *planned.work);
  if (!simulated(planned.result)) return planned;
  planned.units.resize(planned.result.rows.size());
  const std::vector<design::Work::Unit> units = planned.work->units();
  for (std::size_t unit = 0; unit < units.size(); ++unit) planned.units[units[unit].row].push_back(unit);
  planned.keys = keys_of(planned);
  return planned;
}

std::vector<Simulated> Simulations::of(const std::vector<config::RunConfig>& runs, const workloads::Network& network,
                                       const Objection& objection, const Progress& progress) {
  std::vector<Simulated> all(runs.size());
  std::vector<Planned> planned;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    try {
      Planned each = plan(runs[i], network);
      all[i].why_not = objection ? objection(i, each.result) : "";
      if (!all[i].why_not.empty()) continue;
      planned.push_back(std::move(each));
      at.push_back(i);
    } catch (const Error& error) {
      all[i].why_not = error.what();
    }
  }
  if (!planned.empty()) simulate_new(planned, progress);
  for (std::size_t i = 0; i < at.size(); ++i) {
    Planned& each = planned[i];
    for (std::size_t row = 0; row < each.keys.size(); ++row) {
      const Known& known = known_.at(each.keys[row]);
      take_simulated(each.result.rows[row], known.row);
      all[at[i]].processor_seconds += known.processor_seconds;
    }
    convolutions_ += static_cast<std::int64_t>(each.keys.size());
    all[at[i]].result = std::move(each.result);
  }
  return all;
}

}  // namespace weft::run

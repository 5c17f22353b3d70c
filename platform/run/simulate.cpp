#include "platform/run/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/worker_pool.h"
#include "platform/run/accounting.h"
#include "platform/run/figures.h"

namespace weft::run {

namespace {

std::int64_t processor_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

// Ends an observed launch on interrupt.
class UntilInterrupted : public stream::Observer {
 public:
  UntilInterrupted(stream::Observer& observer, const volatile std::sig_atomic_t* interrupt)
      : observer_(observer), interrupt_(interrupt) {}

  bool interrupted() const { return interrupt_ && *interrupt_ != 0; }
  void begin(const stream::Observed& what, memory::Memory& memory) override { observer_.begin(what, memory); }
  bool after(Cycles now, const stream::CycleEvents& events) override {
    return observer_.after(now, events) && !interrupted();
  }
  void end(Cycles cycles) override { observer_.end(cycles); }

 private:
  stream::Observer& observer_;
  const volatile std::sig_atomic_t* interrupt_;
};

// Jobs of simulation: one per set of equal units of work.
class Jobs {
 public:
  explicit Jobs(const Topology& topology) : words_(unit_words(topology)) {}

  // `number`: passed to take() for the unit.
  void add(const Planned& run, std::size_t row, std::size_t unit, std::int64_t weight, std::size_t number) {
    jobs_.push_back({&run, row, unit, number});
    weights_.push_back(weight);
    checked::add(expected_, weight, "the cycles of all convolutions by the equations");
    learns_ = learns_ || run.work->learns();
  }

  // Called in this process for each finished unit.
  using Take = std::function<void(std::size_t number, UnitWords done)>;

  // Runs on worker processes: longest first or, if units learn from each other, neighbouring rows and their units on
  // the same worker. `taken`: called periodically, after `take`.
  void run(int workers, const Progress& progress, const volatile std::sig_atomic_t* interrupt, const Take& take,
           const std::function<void()>& taken) const {
    if (jobs_.empty()) return;
    os::WorkerPool pool(jobs_.size(), (words_ + 1) * sizeof(std::int64_t), workers);
    std::vector<bool> were_taken(jobs_.size());
    const auto take_finished = [&] {
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        if (were_taken[job] || !pool.done(job)) continue;
        were_taken[job] = true;
        take(jobs_[job].number, done(static_cast<const std::int64_t*>(pool.result(job))));
      }
      taken();
    };
    pool.run(
        learns_ ? os::Deal::Locality : os::Deal::LongestFirst, weights_,
        [&](std::size_t job, void* result, const std::function<void(Cycles)>& report) {
          simulate(jobs_[job], static_cast<std::int64_t*>(result), report, nullptr);
        },
        [&](std::int64_t cycles) {
          if (progress) progress(cycles, expected_);
          take_finished();
        },
        interrupt);
    take_finished();
  }

  // Runs in order in this process, cycle by cycle, with `observer`.
  void watch(stream::Observer& observer, const Progress& progress, const volatile std::sig_atomic_t* interrupt,
             const Take& take) const {
    UntilInterrupted until(observer, interrupt);
    std::int64_t before = 0;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const auto report = [&](Cycles cycles) {
        if (progress) progress(before + std::min(cycles, weights_[job]), expected_);
      };
      std::vector<std::int64_t> result(words_ + 1);
      simulate(jobs_[job], result.data(), report, &until);
      if (until.interrupted()) return;
      take(jobs_[job].number, done(result.data()));
      before += weights_[job];
    }
  }

 private:
  struct Job {
    const Planned* run = nullptr;
    std::size_t row = 0, unit = 0;  // indices in the run
    std::size_t number = 0;
  };

  // Writes the unit's result (accounting.h), followed by its processor time in microseconds.
  void simulate(const Job& job, std::int64_t* words, const std::function<void(Cycles)>& report,
                stream::Observer* observer) const {
    const Row& row = job.run->result.rows[job.row];
    const design::Work& work = *job.run->work;
    const std::uint64_t seed = job.run->result.config.seed + job.unit;
    const auto where = [&](const std::exception& error) {
      return fmt::format("layer '{}', {}: {}", row.layer.name, conv::to_string(row.kind), error.what());
    };
    const std::int64_t start = processor_us();
    try {
      write_unit(observer ? design::offered<design::Watched>(work).watch(job.unit, seed, report, *observer)
                          : work.simulate(job.unit, seed, report),
                 words);
    } catch (const Deadlock& error) {
      throw Deadlock(where(error));
    } catch (const Error& error) {
      throw Error(where(error));
    }
    words[words_] = processor_us() - start;
  }
  UnitWords done(const std::int64_t* words) const { return {{words, words + words_}, words[words_]}; }

  std::size_t words_;  // per result
  std::vector<Job> jobs_;
  std::vector<std::int64_t> weights_;
  std::int64_t expected_ = 0;  // sum of the weights
  bool learns_ = false;
};

}  // namespace

Planned plan(const config::RunConfig& config, const workloads::Network& network) {
  Planned planned;
  planned.work = design::design_of(config).plan(config, network);
  planned.result = prepared(config, network, *planned.work);
  return planned;
}

Result prepare(const config::RunConfig& config, const workloads::Network& network) {
  return plan(config, network).result;
}

std::variant<Result, Interrupted> simulate(Planned run, const Progress& progress, RowCache* cache,
                                           const volatile std::sig_atomic_t* interrupt, stream::Observer* observer) {
  Result& result = run.result;
  if (result.config.strict_fit) require_fit(result);
  Simulations simulations(result.config.workers.value_or(os::processors()), observer ? nullptr : cache);
  const std::size_t rows = result.rows.size(), left = simulations.simulate({&run}, progress, interrupt, observer);
  if (left > 0) return Interrupted{rows - left, rows};
  return std::move(result);
}

Result simulate(Planned run, const Progress& progress, RowCache* cache) {
  return std::get<Result>(simulate(std::move(run), progress, cache, nullptr));
}

Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress,
                RowCache* cache) {
  return simulate(plan(config, network), progress, cache);
}

std::vector<Simulated> Simulations::of(const std::vector<config::RunConfig>& runs, const workloads::Network& network,
                                       const Objection& objection, const Progress& progress) {
  std::vector<Simulated> all(runs.size());
  std::vector<Planned> planned(runs.size());
  std::vector<Planned*> wanted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    try {
      planned[i] = plan(runs[i], network);
      if (objection) all[i].why_not = objection(i, planned[i].result);
      if (all[i].why_not.empty()) wanted.push_back(&planned[i]);
    } catch (const Error& error) {
      all[i].why_not = error.what();
    }
  }
  simulate(wanted, progress);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!all[i].why_not.empty()) continue;
    all[i].result = std::move(planned[i].result);
    all[i].processor_seconds = planned[i].processor_seconds;
  }
  return all;
}

std::vector<Simulations::Units> Simulations::units_of(const Planned& run) {
  const config::RunConfig& config = run.result.config;
  std::map<conv::Kind, const std::string*> looks;
  std::vector<Units> rows(run.result.rows.size());
  const std::vector<design::Work::Unit> units = run.work->units();
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const Row& row = run.result.rows[units[unit].row];
    const auto [look, first] = looks.try_emplace(row.kind);
    if (first) look->second = &*looks_.insert(look_of(config, row.kind)).first;
    const auto [found, fresh] =
        unit_of_.try_emplace({look->second, identity_of(config, row, *run.work, unit)}, units_.size());
    if (fresh) units_.push_back({&found->first, {}});
    rows[units[unit].row].push_back(found->second);
  }
  return rows;
}

bool Simulations::is_done(const Units& row) const {
  return std::none_of(row.begin(), row.end(), [&](std::size_t unit) { return units_[unit].done.words.empty(); });
}

std::string Simulations::cache_key(const Units& row) const {
  std::vector<const std::vector<std::int64_t>*> identities;
  for (const std::size_t unit : row) identities.push_back(&units_[unit].key->second);
  return row_key(*units_[row.front()].key->first, identities);
}

std::vector<Simulations::Units> Simulations::look_up(const Planned& run, const std::vector<Units>& rows) {
  std::vector<Units> missed;
  if (!cache_ || !may_cache(run.result.config)) return missed;
  const Topology& topology = design::design_of(run.result.config).topology();
  for (const Units& row : rows) {
    if (rows_.count(row) != 0) continue;  // found in an earlier call
    const std::optional<std::vector<UnitWords>> found = find_row(*cache_, cache_key(row), row.size(), topology);
    if (!found) missed.push_back(row);
    for (std::size_t i = 0; found && i < row.size(); ++i) units_[row[i]].done = (*found)[i];
  }
  return missed;
}

void Simulations::store_finished(std::vector<Units>& missed) {
  for (auto row = missed.begin(); row != missed.end();) {
    if (!is_done(*row)) {
      ++row;
      continue;
    }
    std::vector<UnitWords> words;
    for (const std::size_t unit : *row) words.push_back(units_[unit].done);
    store_row(*cache_, cache_key(*row), words);
    row = missed.erase(row);
  }
}

std::size_t Simulations::add_up(Planned& run, const std::vector<Units>& rows) const {
  const Topology& topology = design::design_of(run.result.config).topology();
  std::size_t unfinished = 0;
  std::set<std::size_t> counted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_done(rows[i])) {
      ++unfinished;
      continue;
    }
    Row& row = run.result.rows[i];
    begin_adding(row, topology);
    row.repeats = true;
    if (run.result.config.mode == config::Mode::Data) row.data = design::DataCheck{};
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const UnitWords& done = units_[rows[i][k]].done;
      const bool repeats = !counted.insert(rows[i][k]).second;
      const design::UnitResult unit = read_unit(topology, done.words.data());
      row.repeats = row.repeats && repeats;
      if (!repeats) row.processor_seconds += 1e-6 * static_cast<double>(done.cost_us);
      add(row, unit, repeats);
      row.units[k].cycles = unit.cycles + unit.drain_cycles;
      run.processor_seconds += 1e-6 * static_cast<double>(done.cost_us);
    }
    row.limiter = run.work->limiter(row);
  }
  return unfinished;
}

std::size_t Simulations::simulate(const std::vector<Planned*>& runs, const Progress& progress,
                                  const volatile std::sig_atomic_t* interrupt, stream::Observer* observer) {
  if (runs.empty() || !simulated(runs.front()->result)) return 0;
  std::vector<std::vector<Units>> rows;  // by run
  std::vector<Units> missed;             // rows missing from the cache
  Jobs jobs(design::design_of(runs.front()->result.config).topology());
  std::set<std::size_t> begun;
  for (const Planned* run : runs) {
    rows.push_back(units_of(*run));
    const std::vector<Units> not_there = look_up(*run, rows.back());
    missed.insert(missed.end(), not_there.begin(), not_there.end());
    const std::vector<design::Work::Unit> units = run->work->units();
    std::size_t unit = 0;
    for (const Units& row : rows.back()) {
      for (const std::size_t number : row) {
        const std::size_t each = unit++;
        const bool known = !units_[number].done.words.empty() || !begun.insert(number).second;
        if (!known || observer) jobs.add(*run, units[each].row, each, units[each].weight, number);
      }
    }
  }
  for (const std::vector<Units>& of_run : rows) {
    rows_.insert(of_run.begin(), of_run.end());
    convolutions_ += static_cast<std::int64_t>(of_run.size());
  }
  std::sort(missed.begin(), missed.end());  // equal rows are stored once
  missed.erase(std::unique(missed.begin(), missed.end()), missed.end());
  const auto take = [&](std::size_t number, UnitWords done) { units_[number].done = std::move(done); };
  if (observer) {
    jobs.watch(*observer, progress, interrupt, take);
  } else {
    jobs.run(workers_, progress, interrupt, take, [&] { store_finished(missed); });
  }
  store_finished(missed);
  std::size_t unfinished = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) unfinished += add_up(*runs[i], rows[i]);
  return unfinished;
}

}  // namespace weft::run

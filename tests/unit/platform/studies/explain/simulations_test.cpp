#include <algorithm>
#include <random>

#include "platform/catalogue/designs.h"
#include "platform/run/columns.h"
#include "platform/run/simulate.h"
#include "tests/support/files.h"
#include "tests/support/runs.h"
#include "tests/support/texts.h"

namespace weft::run {
namespace {

struct Case {
  config::RunConfig run;
  workloads::Network network;
};

Case load(const std::vector<config::Override>& overrides = {}) {
  const test::TemporaryDirectory directory;
  Case all{design::load_run(directory.write("three.yaml", test::kThreeLayers).string(), overrides,
                            config::Library{WEFT_CONFIG_DIR}),
           {}};
  all.network.layers = config::inline_layers(all.run);
  return all;
}

void expect_equal_columns(const Result& a, const Result& b, const std::string& what) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  int compared = 0;
  for (const Column<RowRecord>& column : row_columns(design::design_of(a.config))) {
    ++compared;
    for (std::size_t row = 0; row < a.rows.size(); ++row) {
      EXPECT_EQ(column.value(row_of(a, a.rows[row])), column.value(row_of(b, b.rows[row])))
          << what << ": " << column.name << " of row " << row;
    }
  }
  EXPECT_GT(compared, 100);
  for (std::size_t row = 0; row < a.rows.size(); ++row) {
    for (std::size_t unit = 0; unit < a.rows[row].units.size(); ++unit) {
      EXPECT_EQ(a.rows[row].units[unit].cycles, b.rows[row].units[unit].cycles) << what;
    }
  }
}

// Returns a run with each change alone, and with random combinations of changes.
std::vector<config::RunConfig> changed_runs(const config::RunConfig& start) {
  const std::vector<design::Counterfactual> changes = design::design_of(start).counterfactuals(start);
  std::vector<config::RunConfig> runs{start};
  for (const design::Counterfactual& change : changes) {
    if (design::Changed changed = change.make(start); changed.run) runs.push_back(*changed.run);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 12; ++i) {
    config::RunConfig run = start;
    for (const design::Counterfactual& change : changes) {
      if (random() % 2 == 0) continue;
      if (design::Changed changed = change.make(run); changed.run) run = *changed.run;
    }
    runs.push_back(run);
  }
  return runs;
}

void expect_each_as_by_itself(const Case& all, const std::vector<config::RunConfig>& runs) {
  Simulations simulations(2);
  // Two batches, so that the second reuses the results of the first.
  const auto half = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::vector<Simulated> simulated = simulations.of({runs.begin(), half}, all.network, {}, {});
  for (Simulated& each : simulations.of({half, runs.end()}, all.network, {}, {})) simulated.push_back(std::move(each));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ASSERT_TRUE(simulated[i].result.has_value()) << simulated[i].why_not;
    expect_equal_columns(simulate(runs[i], all.network, {}), *simulated[i].result,
                         "run " + std::to_string(i) + ", " + runs[i].kernel->text().headline);
  }
  EXPECT_EQ(simulations.convolutions(), static_cast<std::int64_t>(9 * runs.size()));
  EXPECT_LT(simulations.different(), simulations.convolutions()) << "nothing was simulated once for two";
}

TEST(Simulations, OfManyRunsAreThoseOfEachByItselfInEveryCount) {
  const Case all = load();
  expect_each_as_by_itself(all, changed_runs(all.run));
}

TEST(Simulations, OfManyRunsAreThoseOfEachWithEveryProfileAndIdealMemory) {
  const Case all = load({{"memory", "{kind: ideal, latency_cycles: 7}", "--set"}});
  std::vector<config::RunConfig> runs;
  for (const config::RunConfig& run : changed_runs(all.run)) runs.push_back(run);
  expect_each_as_by_itself(all, runs);
}

TEST(Simulations, AreTheSameOnTheSystemcRungAndByTheEquations) {
  for (const char* rung : {"systemc", "analytical"}) {
    const Case all = load({{"rung", rung, "--rung"}});
    Simulations simulations(2);
    const std::vector<config::RunConfig> runs = changed_runs(all.run);
    const std::vector<Simulated> simulated = simulations.of(runs, all.network, {}, {});
    for (std::size_t i = 0; i < runs.size(); i += 5) {
      expect_equal_columns(simulate(runs[i], all.network, {}), *simulated[i].result, rung);
    }
  }
}

TEST(Simulations, SayWhyARunIsNone) {
  const Case all = load();
  config::RunConfig wrong = all.run;
  wrong.readings.push_back({"no_such", "reading", {}});
  const auto second = [](std::size_t run, const Result&) { return run == 2 ? std::string("not this one") : ""; };
  Simulations simulations(1);
  const std::vector<Simulated> simulated = simulations.of({wrong, all.run, all.run}, all.network, second, {});
  EXPECT_TRUE(test::has(simulated[0].why_not, "no_such"));
  EXPECT_FALSE(simulated[0].result.has_value());
  EXPECT_TRUE(simulated[1].result.has_value());
  EXPECT_EQ(simulated[2].why_not, "not this one");
  EXPECT_EQ(simulations.convolutions(), 9);
}

}  // namespace
}  // namespace weft::run

#include "platform/studies/explain/explain.h"

#include <algorithm>
#include <set>

#include "platform/catalogue/designs.h"
#include "platform/record/json.h"
#include "platform/run/figures.h"
#include "platform/run/simulate.h"
#include "platform/studies/explain/changes.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::explain {
namespace {

const char* const kRun = R"(
name: two
board: {extends: u250, dsp: {total: 12288, usable: 300}}
kernel: {extends: fpgpt-8x8-hls, array: {x: 4, y: 2}}
network:
  layers:
    - {name: a, channels: 3, h: 12, w: 11, filters: 8, kernel: 3, stride: 2, pad: 1}
    - {name: b, channels: 8, h: 6, w: 6, filters: 6, kernel: 3, pad: 1}
batch: 1
rung: exact
)";

class AnExplanation : public testing::Test {
 protected:
  config::RunConfig load(const std::vector<config::Override>& overrides = {}) const {
    return design::load_run(directory_.write("two.yaml", kRun).string(), overrides, library_);
  }
  static workloads::Network network(const config::RunConfig& run) {
    workloads::Network network;
    network.name = run.name;
    network.layers = config::inline_layers(run);
    return network;
  }
  Request request(const std::vector<config::Override>& overrides = {}) const {
    Request request;
    request.run = load(overrides);
    request.library = library_;
    request.workers = 2;
    request.config = directory_.write("two.yaml", kRun).string();
    request.command = "weft run two.yaml";
    request.load = [=](const std::vector<std::string>& sets) {
      std::vector<config::Override> all = overrides;
      for (const std::string& set : sets) all.push_back(config::parse_override(set));
      return load(all);
    };
    return request;
  }
  // Returns the run that a file of the explanation describes.
  config::RunConfig written(const Explained& explained, const std::optional<std::string>& file) const {
    return design::load_run(directory_.write(*file, explained.configs.at(*file)).string(), {}, library_);
  }
  static run::Result simulated(const config::RunConfig& run) { return run::simulate(run, network(run), {}); }
  test::TemporaryDirectory directory_;
  config::Library library_{WEFT_CONFIG_DIR};
};

TEST_F(AnExplanation, WritesTheRunOfEachLineAndItTakesTheseCycles) {
  const Explained explained = explain(request(), {});
  std::set<std::string> files;
  for (const Line& line : explained.explanation.lines) {
    if (!line.step) {
      EXPECT_FALSE(line.figures.seconds);
      EXPECT_EQ(line.why_not.has_value(), line.ending == Ending::Impossible);
      continue;
    }
    const config::RunConfig of = written(explained, line.config);
    const run::Result result = simulated(of);
    const run::Sum sum = run::sum_of(result);
    EXPECT_EQ(sum.cycles, *line.figures.cycles) << *line.config;
    for (const auto& [kind, of_kind] : run::sums_by_kind(result)) {
      EXPECT_EQ(of_kind.cycles, line.figures.kinds->of.at(static_cast<std::size_t>(kind))) << *line.config;
    }
    EXPECT_EQ(run::figures(result, sum).seconds, *line.figures.seconds) << *line.config;
    EXPECT_EQ(run::figures(result, sum).stall_share, *line.figures.stall_share) << *line.config;
    EXPECT_EQ(of.name, "two-" + line.config->substr(0, line.config->size() - 5));
    files.insert(*line.config);
  }
  EXPECT_EQ(files.size() + 1, explained.configs.size());
  config::RunConfig end = written(explained, explained.explanation.end().config);
  config::RunConfig advised = written(explained, "advised.yaml");
  end.name = advised.name;
  end.title = advised.title;
  EXPECT_EQ(config::resolved_yaml(advised), config::resolved_yaml(end));
  EXPECT_GT(files.size(), 4U);
}

// The options of each command, in place of the command itself.
TEST_F(AnExplanation, PrintsCommandsThatGiveTheRunsOfTheirLines) {
  const Request asked = request();
  const Explained explained = explain(asked, {});
  int lines = 0;
  for (const Line& line : explained.explanation.lines) {
    if (!line.command) continue;
    std::vector<std::string> sets;
    ASSERT_EQ(line.command->rfind("weft run two.yaml", 0), 0U);
    for (std::size_t at = line.command->find(" --set "); at != std::string::npos;) {
      const std::size_t next = line.command->find(" --set ", at + 1);
      std::string set = line.command->substr(at + 7, next == std::string::npos ? next : next - at - 7);
      if (set.front() == '\'') set = set.substr(1, set.size() - 2);
      sets.push_back(set);
      at = next;
    }
    config::RunConfig of = asked.load(sets);
    of.name = written(explained, line.config).name;
    EXPECT_EQ(config::resolved_yaml(of), explained.configs.at(*line.config)) << *line.command;
    ++lines;
  }
  EXPECT_GT(lines, 4);
}

TEST_F(AnExplanation, AddsNoMisfitAndSavesTimeAtEveryStep) {
  for (const char* profile : {"hls", "rtl"}) {
    const Explained explained = explain(request({{"kernel.profile", profile, "--set"}}), {});
    const Explanation& e = explained.explanation;
    const Line* before = nullptr;
    for (const Line& line : e.lines) {
      if (!line.step) continue;
      if (before) {
        EXPECT_LE(*line.figures.misfits, *before->figures.misfits) << *line.change;
        EXPECT_LE(*line.figures.seconds, *before->figures.seconds) << *line.change;
        EXPECT_NEAR(*line.gain, 1 - *line.figures.seconds / *before->figures.seconds, 1e-12) << *line.change;
      }
      before = &line;
    }
    EXPECT_EQ(*e.end().figures.misfits, 0);
    EXPECT_LE(9 * written(explained, e.end().config).kernel->peak_macs(), 300);
  }
}

// Compares the end with the best of all sets of changes of which each is made at most once, by the equations.
TEST_F(AnExplanation, EndsNearTheBestOfAllSetsOfChanges) {
  const Request asked = request({{"rung", "analytical", "--rung"}, {"only", "b:F", "--only"}});
  const Explanation e = explain(asked, {}).explanation;
  const std::vector<design::Counterfactual> changes = changes_of(asked.run, false, {}, asked.library);
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const bool of_equations = !is_unknown_to_equations(changes[i], asked.run);
    if (changes[i].use == design::Counterfactual::Use::Step && of_equations) steps.push_back(i);
  }
  double best = *e.lines.front().figures.seconds;
  int tried = 0;
  for (std::size_t set = 0; set < std::size_t{1} << steps.size(); ++set) {
    design::Changed made = design::Changed::to(asked.run);
    for (std::size_t i = 0; i < steps.size() && made.run; ++i) {
      if ((set >> i & 1) != 0) made = changes[steps[i]].make(*made.run);
    }
    if (!made.run) continue;
    const run::Result result = run::prepare(*made.run, network(*made.run));
    if (!run::rows_that_do_not_fit(result).empty()) continue;
    ++tried;
    best = std::min(best, run::figures(result, run::sum_of(result)).seconds);
  }
  EXPECT_GT(tried, 1000);
  EXPECT_LE(*e.end().figures.seconds, 1.03 * best);
}

TEST_F(AnExplanation, HoldsKeys) {
  Request asked = request();
  asked.held = {"kernel.profile", "kernel.array.x"};
  const Explained explained = explain(asked, {});
  const config::RunConfig end = written(explained, explained.explanation.end().config);
  EXPECT_EQ(end.kernel->text().headline.find("4 x "), 0U);
  EXPECT_NE(end.kernel->text().headline.find("profile hls"), std::string::npos);
  for (const Change& change : explained.explanation.changes) {
    EXPECT_NE(change.name, "exact_bursts");
    EXPECT_NE(change.name, "larger_x");
  }
  asked.held = {"kernel.profil"};
  EXPECT_THROW(explain(asked, {}), Error);
}

// conv a, F: 8 maps of 6 x 6 from 3 maps of 3 x 3 at most, 8 * 36 * 27 products; on 4 x 2 PEs.
TEST_F(AnExplanation, HasBoundsOfArrayAndMemory) {
  const Explanation e = explain(request({{"only", "a:F", "--only"}}), {}).explanation;
  ASSERT_GE(e.bounds.size(), 4U);
  EXPECT_EQ(e.bounds[0].name, "array");
  EXPECT_EQ(e.bounds[0].cycles, run::sum_of(simulated(load({{"only", "a:F", "--only"}}))).macs / 8);
  // INP of 3 x 12 x 11 words, 1584 bytes, is the largest tensor: 25 beats of its port; its channel moves 192 bytes per
  // cycle, so the port is the bound.
  EXPECT_EQ(e.bounds[1].name, "memory");
  EXPECT_EQ(e.bounds[1].cycles, 25);
  EXPECT_EQ(e.bounds[1].seconds, 25 / 100e6);
  for (const Bound& bound : e.bounds) {
    const Line& line = bound.of == "as is" ? e.lines.front() : e.end();
    EXPECT_LE(bound.seconds, *line.figures.seconds) << bound.name;
  }
}

TEST_F(AnExplanation, IsTheSameForAnyNumberOfWorkers) {
  Request one = request(), four = request();
  one.workers = 1;
  four.workers = 4;
  const Explained a = explain(one, {}), b = explain(four, {});
  EXPECT_EQ(record::json_text(a.explanation), record::json_text(b.explanation));
  EXPECT_EQ(a.configs, b.configs);
}

TEST_F(AnExplanation, ComesBackFromItsJson) {
  const Explained explained = explain(request(), {});
  const std::string json = record::json_text(explained.explanation);
  EXPECT_EQ(record::json_text(record::from_json<Explanation>("e.json", json)), json);
  EXPECT_THROW(record::from_json<Explanation>("e.json", "{" + json.substr(json.find("\"name\""))), InputError);
}

}  // namespace
}  // namespace weft::explain

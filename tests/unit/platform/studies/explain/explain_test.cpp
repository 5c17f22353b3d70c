#include "platform/studies/explain/explain.h"

#include <algorithm>
#include <numeric>

#include "platform/catalogue/designs.h"
#include "platform/record/json.h"
#include "platform/run/figures.h"
#include "platform/run/simulate.h"
#include "tests/support/run_binary.h"
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
  static Request request(const config::RunConfig& run) {
    Request request;
    request.run = run;
    request.search_batch = run.batch;
    request.workers = 2;
    request.network = network;
    request.no_iteration = "there is none";
    return request;
  }
  // Returns the run that a file of the explanation describes.
  config::RunConfig written(const Explained& explained, const std::optional<std::string>& file) const {
    return design::load_run(directory_.write(*file, explained.configs.at(*file)).string(), {}, library_);
  }
  static run::Result simulated(const config::RunConfig& run) { return run::simulate(run, network(run), {}); }
  // Returns cycles over MHz, exact for whole clocks.
  static Rational time(const config::RunConfig& run) {
    return Rational(run::sum_of(simulated(run)).cycles) / run.kernel->clock;
  }

  test::TemporaryDirectory directory_;
  config::Library library_{WEFT_CONFIG_DIR};
};

// True if an array of the run has more DSPs than the board: 9 per PE (5.3.10).
bool too_large(const config::RunConfig& run) {
  return 9 * run.kernel->peak_macs() > 300;
}

// Compares every step with all remaining changes, each simulated separately.
TEST_F(AnExplanation, ChoosesAtEveryStepAsSimulatingAllThatRemain) {
  for (const char* profile : {"hls", "rtl"}) {
    const config::RunConfig run = load({{"kernel.profile", profile, "--set"}});
    const Explained explained = explain(request(run), {});
    const std::vector<design::Counterfactual> changes = design::design_of(run).counterfactuals(run);
    std::vector<std::size_t> left(changes.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    config::RunConfig current = run;
    Rational best = time(run);
    std::size_t line = 1;
    for (;; ++line) {
      std::size_t chosen = changes.size();
      config::RunConfig with;
      for (const std::size_t change : left) {
        const design::Changed changed = changes[change].make(current);
        if (!changed.run || (!changes[change].within.empty() && too_large(*changed.run))) continue;
        const Rational taken = time(*changed.run);
        if (taken < best) {
          best = taken;
          chosen = change;
          with = *changed.run;
        }
      }
      const Line& found = explained.explanation.kernels.lines[line];
      if (chosen == changes.size()) {
        EXPECT_NE(found.ending, Ending::Kept) << *found.change;
        break;
      }
      ASSERT_EQ(found.ending, Ending::Kept) << profile << ", step " << line;
      EXPECT_EQ(found.change, changes[chosen].name) << profile << ", step " << line;
      current = with;
      if (!changes[chosen].again) left.erase(std::find(left.begin(), left.end(), chosen));
    }
    EXPECT_GT(line, 3U);
  }
}

TEST_F(AnExplanation, WritesTheRunOfEachLineAndItTakesTheseCycles) {
  const config::RunConfig run = load();
  const Explained explained = explain(request(run), {});
  std::set<std::string> files;
  for (const Line& line : explained.explanation.kernels.lines) {
    if (!line.figures.seconds) {
      EXPECT_EQ(line.ending, Ending::Impossible);
      EXPECT_TRUE(line.why_not);
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
  EXPECT_EQ(files.size(), explained.configs.size());
  EXPECT_GT(files.size(), 6U);
}

// Compares "alone" and "last" of every change with separately simulated runs.
TEST_F(AnExplanation, SaysWhatEachChangeDoesAloneAndLast) {
  const config::RunConfig run = load();
  const Explained explained = explain(request(run), {});
  const std::vector<design::Counterfactual> changes = design::design_of(run).counterfactuals(run);
  const auto seconds = [](const config::RunConfig& of) {
    const run::Result result = simulated(of);
    return run::figures(result, run::sum_of(result)).seconds;
  };
  const auto change = [&](const std::string& name) {
    return *std::find_if(changes.begin(), changes.end(), [&](const auto& each) { return each.name == name; });
  };
  std::vector<std::string> kept;
  config::RunConfig end = run;
  for (const Line& line : explained.explanation.kernels.lines) {
    if (line.ending != Ending::Kept) continue;
    kept.push_back(*line.change);
    end = *change(*line.change).make(end).run;
  }
  int alone = 0, last = 0;
  for (const Line& line : explained.explanation.kernels.lines) {
    if (line.alone) {
      ++alone;
      EXPECT_DOUBLE_EQ(*line.alone, 1 - seconds(*change(*line.change).make(run).run) / seconds(run)) << *line.change;
    }
    if (!line.last) continue;
    ++last;
    if (line.ending != Ending::Kept) {
      EXPECT_DOUBLE_EQ(*line.last, 1 - seconds(*change(*line.change).make(end).run) / seconds(end)) << *line.change;
      continue;
    }
    config::RunConfig without = run;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (static_cast<int>(i) + 1 != line.step) without = *change(kept[i]).make(without).run;
    }
    EXPECT_DOUBLE_EQ(*line.last, 1 - seconds(end) / seconds(without)) << *line.change;
  }
  EXPECT_GE(alone, 10);
  EXPECT_GE(last, 10);
}

// conv a, F: 8 maps of 6 x 6 from 3 maps of 3 x 3 at most, 8 * 36 * 27 products; on 4 x 2 PEs.
TEST_F(AnExplanation, EndsAtTheBoundsOfArrayAndMemory) {
  const config::RunConfig run = load({{"only", "a:F", "--only"}});
  const Explained explained = explain(request(run), {});
  const std::vector<Bound>& bounds = explained.explanation.kernels.bounds;
  ASSERT_EQ(bounds.size(), 4U);
  EXPECT_EQ(bounds[0].name, "array");
  EXPECT_EQ(bounds[0].cycles, run::sum_of(simulated(run)).macs / 8);
  // INP of 3 x 12 x 11 words, 1584 bytes, is the largest tensor: 25 beats of its port; its channel moves 192 bytes per
  // cycle, so the port is the bound.
  EXPECT_EQ(bounds[1].name, "memory");
  EXPECT_EQ(bounds[1].cycles, 25);
  EXPECT_EQ(bounds[1].seconds, 25 / 100e6);
  for (const Line& line : explained.explanation.kernels.lines) {
    if (!line.figures.seconds) continue;
    EXPECT_GE(*line.figures.seconds, bounds[2].seconds);
  }
}

TEST_F(AnExplanation, IsTheSameForAnyNumberOfWorkers) {
  const config::RunConfig run = load();
  Request one = request(run), four = request(run);
  one.workers = 1;
  four.workers = 4;
  const Explained a = explain(one, {}), b = explain(four, {});
  EXPECT_EQ(record::json_text(a.explanation), record::json_text(b.explanation));
  EXPECT_EQ(a.configs, b.configs);
}

TEST_F(AnExplanation, OfAnotherBatchReplaysTheOrderThatWasFoundAtOne) {
  const config::RunConfig run = load({{"batch", "3", "--set"}});
  Request at_one = request(run);
  at_one.search_batch = 1;
  int notices = 0;
  Listener listener;
  listener.notice = [&](const std::string& text) {
    ++notices;
    EXPECT_TRUE(test::has(text, "at batch 3"));
  };
  const Explained replayed = explain(at_one, listener);
  EXPECT_EQ(notices, 1);
  const Explained found = explain(request(load()), {});
  std::vector<std::string> order, made;
  for (const Line& line : found.explanation.kernels.lines) {
    if (line.ending == Ending::Kept) order.push_back(*line.change);
  }
  for (const Line& line : replayed.explanation.kernels.lines) {
    if (line.figures.seconds) {
      EXPECT_EQ(run::sum_of(simulated(written(replayed, line.config))).cycles, *line.figures.cycles) << *line.config;
      if (line.change) made.push_back(*line.change);
    } else {
      EXPECT_FALSE(line.gain.has_value());
    }
  }
  EXPECT_EQ(made, order);
  EXPECT_EQ(replayed.explanation.batch, 3);
  EXPECT_EQ(replayed.explanation.search_batch, 1);
}

TEST_F(AnExplanation, ComesBackFromItsJson) {
  Request with_iteration = request(load());
  with_iteration.iteration = [](const run::Result& result) {
    const double kernels = run::figures(result, run::sum_of(result)).seconds;
    const auto kernel_ps = static_cast<Picoseconds>(kernels * 1e12);
    return IterationTime{2 * kernel_ps, {{"kernel", 0.5}, {"H2C", 0.5}}};
  };
  with_iteration.no_iteration.clear();
  for (const Request& each : {with_iteration, request(load())}) {
    const Explained explained = explain(each, {});
    const std::string json = record::json_text(explained.explanation);
    EXPECT_EQ(record::json_text(record::from_json<Explanation>("e.json", json)), json);
    EXPECT_EQ(explained.explanation.iteration.lines.empty(), each.no_iteration == "there is none");
    EXPECT_THROW(record::from_json<Explanation>("e.json", "{" + json.substr(json.find("\"name\""))), InputError);
  }
}

// The iteration is twice as long as its kernels, and XRT calls save a tenth of that: the kernels are the first change,
// and XRT the second.
TEST_F(AnExplanation, HasALadderOfTheIteration) {
  Request request = this->request(load());
  request.iteration = [](const run::Result& result) {
    const auto kernel_ps = static_cast<Picoseconds>(run::figures(result, run::sum_of(result)).seconds * 1e12);
    const bool xrt = result.config.schedule.calls == config::Calls::Xrt;
    return IterationTime{xrt ? kernel_ps * 9 / 5 : kernel_ps * 2, {{"kernel", 1}}};
  };
  const Explanation e = explain(request, {}).explanation;
  const std::vector<Line>& lines = e.iteration.lines;
  ASSERT_GT(lines.size(), 3U);
  EXPECT_DOUBLE_EQ(*lines[0].figures.seconds, 2 * *e.kernels.lines[0].figures.seconds);
  EXPECT_EQ(lines[1].change, "kernels");
  EXPECT_EQ(lines[2].change, "xrt_calls");
  EXPECT_NEAR(*lines[2].gain, 0.1, 1e-6);
  EXPECT_NE(lines[3].ending, Ending::Kept);
}

}  // namespace
}  // namespace weft::explain

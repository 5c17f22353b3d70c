#include <set>

#include "tests/support/runs.h"
#include "tests/support/weft_test.h"

// weft explain, its folder, and other commands on its results.
namespace weft {
namespace {

using nlohmann::json;
using test::Outcome;

class Explain : public test::WeftTest {
 protected:
  void SetUp() override { dir_.write("r.yaml", test::two_layers("name: two\nbatch: 1\n")); }
};

TEST_F(Explain, WritesTheRunOfEveryLineAndWeftRunTakesItsCycles) {
  const Outcome explained = ok({"explain", "r.yaml", "--out", "e"});
  EXPECT_TRUE(explained.err.empty()) << explained.err;
  int lines = 0;
  const json found = result("e");
  for (const json& line : found["kernels"]["lines"]) {
    if (!line.contains("config")) continue;
    ++lines;
    const json totals = json_of({"run", "e/" + line["config"].get<std::string>(), "--no-save"})["totals"];
    EXPECT_EQ(totals["network"]["cycles"], line["cycles"]) << line["config"];
    for (const auto& [kind, cycles] : line["kinds"].items()) EXPECT_EQ(totals[kind]["cycles"], cycles);
  }
  EXPECT_GT(lines, 8);
}

TEST_F(Explain, PrintsJsonAndCsvThatSayTheSame) {
  const Outcome as_json = weft({"explain", "r.yaml", "--no-save", "--format", "json"});
  const Outcome as_csv = weft({"explain", "r.yaml", "--no-save", "--format", "csv", "--workers", "1"});
  ASSERT_EQ(as_json.exit_code, 0) << as_json.err;
  const json lines = json::parse(as_json.out)["kernels"]["lines"];
  const std::vector<std::string> rows = test::split(as_csv.out);
  const auto commas = [](const std::string& of) { return std::count(of.begin(), of.end(), ','); };
  EXPECT_EQ(rows.at(0).rfind("ladder,ending,step,change,seconds,gain,alone,last,cycles,", 0), 0U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json& line = lines[i];
    EXPECT_EQ(rows.at(i + 1).rfind("kernels," + line["ending"].get<std::string>() + ",", 0), 0U) << rows[i + 1];
    if (!line.contains("cycles")) continue;
    EXPECT_TRUE(test::has(rows[i + 1], "," + line["cycles"].dump() + ","));
  }
  for (std::size_t i = lines.size() + 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].rfind("kernels,bound,", 0), 0U) << rows[i];
    EXPECT_EQ(commas(rows[i]), commas(rows[0])) << rows[i];
  }
  const json fields = json::parse(as_json.out)["fields"];
  for (const json& line : lines) {
    for (const auto& [key, value] : line.items()) {
      EXPECT_TRUE(fields.contains(key) || key == "change" || key == "why_not") << key;
    }
  }
}

TEST_F(Explain, GivesTheSameBytesForAnyNumberOfWorkers) {
  ok({"explain", "r.yaml", "--out", "one", "--workers", "1"});
  ok({"explain", "r.yaml", "--out", "three", "--workers", "3"});
  EXPECT_EQ(text("one/result.json"), text("three/result.json"));
  EXPECT_EQ(text("one/ladder.csv"), text("three/ladder.csv"));
}

TEST_F(Explain, ReplaysAtTheBatchOfTheRunTheOrderOfBatchOne) {
  const Outcome explained = ok({"explain", "r.yaml", "--set", "batch=2", "--out", "two"});
  EXPECT_EQ(explained.err.rfind("weft: ", 0), 0U) << explained.err;
  EXPECT_TRUE(test::has(explained.err, "runs at batch 2, one per step, in the order found at batch 1"));
  ok({"explain", "r.yaml", "--out", "one"});
  const auto order = [&](const char* folder) {
    std::vector<std::string> names;
    const json found = result(folder);
    for (const json& line : found["kernels"]["lines"]) {
      if (line["ending"] == "kept") names.push_back(line["change"]);
    }
    return names;
  };
  EXPECT_EQ(order("one"), order("two"));
  EXPECT_GT(order("one").size(), 3U);
  const Outcome searched = ok({"explain", "r.yaml", "--set", "batch=2", "--search-batch", "2", "--no-save"});
  EXPECT_TRUE(searched.err.empty()) << searched.err;
}

// A network with a graph on a board with a link, by the equations.
TEST_F(Explain, HasALadderOfTheIterationThatTheTimelineMakes) {
  ok(with({"explain", "googlenet-u250", "--rung", "analytical", "--out", "e"}, {"network=resnet20", "batch=4"}));
  const json iteration = result("e")["iteration"];
  std::set<std::string> changes;
  int lines = 0;
  for (const json& line : iteration["lines"]) {
    if (line.contains("change")) changes.insert(line["change"].get<std::string>());
    if (!line.contains("config") || lines++ > 3) continue;
    const json timeline = json_of({"timeline", "e/" + line["config"].get<std::string>()});
    EXPECT_DOUBLE_EQ(timeline["iteration_seconds"].get<double>(), line["seconds"].get<double>());
  }
  for (const char* change : {"kernels", "faster_pcie", "no_calls", "no_loads", "load_region"}) {
    EXPECT_EQ(changes.count(change), 1U) << change;
  }
  EXPECT_EQ(iteration["sentences"].size(), 3U);
}

TEST_F(Explain, SaysWhyThereIsNoIteration) {
  const auto why = [&](const std::vector<std::string>& more) {
    return json_of(test::joined({"explain", "googlenet-u250", "--rung", "analytical", "--no-save"},
                                more))["iteration"]["why_not"]
        .get<std::string>();
  };
  EXPECT_EQ(why({"--only", "conv1*"}), "the run leaves convolutions out (only)");
  EXPECT_EQ(why({"--set", "kinds=[F]"}), "the run leaves convolutions out (kinds)");
  EXPECT_EQ(why({"--set", "board=arria10_10ax115"}), "board 'arria10_10ax115' has no link to a host (pcie)");
}

TEST_F(Explain, IsNotComparedAndNotShownWhereItIsDamaged) {
  ok({"explain", "r.yaml", "--only", "a:F", "--out", "e"});
  refused({"compare", "e", "e"}, "is a result of weft explain");
  std::ofstream(dir_.path() / "e/result.json") << "{\"kind\": \"explain\"}";
  refused({"show", "./e"}, "e/result.json: schema: is missing");
}

// Nothing passes a FIFO of depth 0.
TEST_F(Explain, EndsWithTheDeadlockOfARunThatIsStuck) {
  const Outcome outcome = weft({"explain", "r.yaml", "--set", "kernel.fifo.kern_row=0", "--no-save"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(test::has(outcome.err, "layer 'a'"));
}

}  // namespace
}  // namespace weft

// weft run --activity: what each block does in 200 parts of a convolution, the same on both rungs that simulate.
#include "model/core/activity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using nlohmann::json;

// Long enough that the exact rung walks most of it, and one that is over before it can.
const char* const kRun = R"(
name: activity
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 100, profile: hls}
network:
  layers:
    - {name: tiny, channels: 1, h: 3, w: 3, filters: 1, kernel: 1}
    - {name: plain, channels: 8, h: 14, w: 14, filters: 12, kernel: 3, pad: 1}
    - {name: grouped, channels: 8, h: 15, w: 13, filters: 6, kernel: 3, pad: 1, stride: 2, groups: 2}
batch: 8
)";

class RunActivity : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  void SetUp() override { dir_.write("run.yaml", kRun); }
  test::Outcome weft(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run", "run.yaml", "--no-save", "--format", "json"};
    for (const std::string& set : GetParam()) words = test::joined(words, {"--set", set});
    return test::run_program(WEFT_BINARY, test::joined(words, more), dir_.path());
  }
  std::string read(const char* file) const { return test::read_text_file(dir_.path() / file); }

  test::TemporaryDirectory dir_;
};

TEST_P(RunActivity, IsTheSameOnBothRungsAndAddsUpToTheResult) {
  const test::Outcome systemc = weft({"--rung", "systemc", "--activity", "systemc.csv"});
  const test::Outcome exact = weft({"--rung", "exact", "--activity", "exact.csv", "--workers", "1"});
  ASSERT_EQ(systemc.exit_code, 0) << systemc.err;
  ASSERT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_EQ(read("systemc.csv"), read("exact.csv"));
  EXPECT_EQ(exact.out, weft({"--rung", "exact"}).out);  // nothing of the result changes

  const json result = json::parse(exact.out);
  std::istringstream lines(read("exact.csv"));
  const auto fields_of = [&] {
    std::string line, field;
    std::getline(lines, line);
    std::vector<std::string> fields;
    for (std::istringstream in(line); std::getline(in, field, ',');) fields.push_back(field);
    return fields;
  };
  const std::vector<std::string> head = fields_of();
  std::int64_t walked = 0;
  for (const json& row : result["convolutions"]) {
    SCOPED_TRACE(row["layer"].get<std::string>() + " " + row["kind"].get<std::string>());
    const std::int64_t cycles = row["cycles"];
    walked += row["exact"]["walked_cycles"].get<std::int64_t>();
    std::map<std::string, std::int64_t> sums;
    for (std::int64_t part = 0; part < 200; ++part) {
      const std::vector<std::string> fields = fields_of();
      ASSERT_EQ(fields.size(), head.size());
      EXPECT_EQ(fields[0], row["layer"]);
      EXPECT_EQ(fields[1], row["kind"]);
      EXPECT_EQ(fields[2], std::to_string(part));
      const std::int64_t from = part * cycles / 200, to = (part + 1) * cycles / 200;
      EXPECT_EQ(fields[3], std::to_string(from));
      EXPECT_EQ(fields[4], std::to_string(to));
      std::int64_t of_block = 0;
      for (std::size_t i = 5; i < fields.size(); ++i) {
        const std::int64_t count = std::stoll(fields[i]);
        EXPECT_GE(count, 0);
        sums[head[i]] += count;
        of_block += count;
        if ((i - 5) % kActivities != kActivities - 1) continue;
        EXPECT_EQ(of_block, to - from) << head[i];
        of_block = 0;
      }
    }
    for (const auto& [block, states] : row["blocks"].items()) {
      const std::string prefix = block + "_";
      for (const auto& [state, count] : states.items()) EXPECT_EQ(sums[prefix + state], count) << block;
    }
  }
  EXPECT_GT(walked, 100'000);
  EXPECT_TRUE(fields_of().empty());
}

INSTANTIATE_TEST_SUITE_P(Kernels, RunActivity,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"kernel.profile=rtl", "kernel.clock_mhz=250"},
                                         std::vector<std::string>{"memory={kind: ideal, latency_cycles: 7}"}));

TEST(RunActivityFile, IsSavedWithTheResultForItsPage) {
  const test::TemporaryDirectory dir;
  const auto weft = [&](const std::vector<std::string>& words) {
    return test::run_program(WEFT_BINARY, words, dir.path());
  };
  dir.write("run.yaml", kRun);
  ASSERT_EQ(weft({"run", "run.yaml", "--rung", "exact", "--out", "plain"}).exit_code, 0);
  ASSERT_EQ(weft({"run", "run.yaml", "--rung", "exact", "--out", "saved", "--activity", "a.csv"}).exit_code, 0);
  const std::string activity = test::read_text_file(dir.path() / "a.csv");
  EXPECT_EQ(test::read_text_file(dir.path() / "saved/activity.csv"), activity);
  EXPECT_EQ(test::read_text_file(dir.path() / "saved/result.json"),
            test::read_text_file(dir.path() / "plain/result.json"));
  const auto has_it = [&](const char* page) {
    return test::read_text_file(dir.path() / page).find("What the blocks do when") != std::string::npos;
  };
  ASSERT_EQ(weft({"report", "plain"}).exit_code, 0);
  EXPECT_FALSE(has_it("plain.html"));
  ASSERT_EQ(weft({"report", "saved"}).exit_code, 0);
  EXPECT_TRUE(has_it("saved.html"));
  const std::size_t line = activity.find('\n', activity.size() / 2) + 1;
  const auto refused = [&](const std::string& text, const std::string& what) {
    std::ofstream(dir.path() / "saved/activity.csv") << text;
    const test::Outcome outcome = weft({"report", "saved"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("saved/activity.csv: " + what), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused(activity.substr(0, line), "is not what weft run --activity writes of this result");
  refused("", "is not what weft run --activity writes of this result");
  std::string other = activity;
  other.replace(other.find("tiny,"), 4, "tinx");
  refused(other, "has 'tinx' where the result has 'tiny'");
  other = activity;
  other.replace(other.rfind(',') + 1, 1, "x");
  refused(other, "has 'x");
  // The next run replaces all of it.
  ASSERT_EQ(weft({"run", "run.yaml", "--rung", "exact", "--out", "saved"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "saved/activity.csv"));
}

TEST(RunActivityFile, IsRefusedWhereNothingIsSimulatedOrTheFileCannotBeWritten) {
  const test::TemporaryDirectory dir;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
    const test::Outcome outcome =
        test::run_program(WEFT_BINARY, test::joined({"run", "conv-small", "--no-save"}, more), dir.path());
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  refused({"--rung", "analytical", "--activity", "a.csv"},
          "rung analytical has no cycles to count; allowed: systemc, exact");
  refused({"--activity", "none/a.csv"}, "--activity none/a.csv: there is no folder 'none'");
}

}  // namespace
}  // namespace weft

// weft run --activity: activities of each block in 200 parts of a convolution, equal on both simulating rungs.
#include "model/core/activity.h"

#include <map>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;

// A convolution that the exact rung mostly replays, and one that ends before it can.
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

constexpr const char* kBarista = "kernel=barista-16x16x64";

class RunActivity : public test::WeftTest, public testing::WithParamInterface<std::vector<std::string>> {
 protected:
  void SetUp() override { dir_.write("run.yaml", kRun); }
  std::string run(const Words& more) const {
    return ok(test::joined(with({"run", "run.yaml", "--no-save", "--format", "json"}, GetParam()), more)).out;
  }
};

TEST_P(RunActivity, IsTheSameOnBothRungsAndAddsUpToTheResult) {
  run({"--rung", "systemc", "--activity", "systemc.csv"});
  const std::string exact = run({"--rung", "exact", "--activity", "exact.csv", "--workers", "1"});
  EXPECT_EQ(text("systemc.csv"), text("exact.csv"));
  EXPECT_EQ(exact, run({"--rung", "exact"}));  // the result does not change

  const json result = json::parse(exact);
  const std::vector<std::string> lines = test::split(text("exact.csv")), head = test::split(lines.at(0), ',');
  std::size_t line = 1;
  std::int64_t walked = 0;
  for (const json& row : result["convolutions"]) {
    SCOPED_TRACE(row["layer"].get<std::string>() + " " + row["kind"].get<std::string>());
    const std::int64_t cycles = row["cycles"];
    walked += row["exact"]["walked_cycles"].get<std::int64_t>();
    std::map<std::string, std::int64_t> sums;
    for (std::int64_t part = 0; part < 200; ++part) {
      const std::vector<std::string> fields = test::split(lines.at(line++), ',');
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
  EXPECT_EQ(walked > 100'000, exact.find("inp_reader") != std::string::npos);  // Barista's exact rung replays nothing
  EXPECT_EQ(line, lines.size());
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, RunActivity,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"kernel.profile=rtl", "kernel.clock_mhz=250"},
                    std::vector<std::string>{"memory={kind: ideal, latency_cycles: 7}"},
                    std::vector<std::string>{kBarista}, std::vector<std::string>{kBarista, "mode=data"},
                    std::vector<std::string>{kBarista, "memory={kind: ideal, latency_cycles: 7}"}));

using RunActivityFile = test::WeftTest;

TEST_F(RunActivityFile, IsSavedWithTheResultForItsPage) {
  dir_.write("run.yaml", kRun);
  ok({"run", "run.yaml", "--rung", "exact", "--out", "plain"});
  ok({"run", "run.yaml", "--rung", "exact", "--out", "saved", "--activity", "a.csv"});
  const std::string activity = text("a.csv");
  EXPECT_EQ(text("saved/activity.csv"), activity);
  EXPECT_EQ(text("saved/result.json"), text("plain/result.json"));
  const auto has_it = [&](const char* page) { return test::has(text(page), "Activity of the blocks over time"); };
  ok({"report", "plain"});
  EXPECT_FALSE(has_it("plain.html"));
  ok({"report", "saved"});
  EXPECT_TRUE(has_it("saved.html"));
  const std::size_t line = activity.find('\n', activity.size() / 2) + 1;
  const auto refused = [&](const std::string& text, const std::string& what) {
    std::ofstream(dir_.path() / "saved/activity.csv") << text;
    WeftTest::refused({"report", "saved"}, "saved/activity.csv: " + what);
  };
  refused(activity.substr(0, line), "does not match this result: write it again with weft run --activity");
  refused("", "does not match this result: write it again with weft run --activity");
  std::string other = activity;
  other.replace(other.find("tiny,"), 4, "tinx");
  refused(other, "has 'tinx' where the result has 'tiny'");
  other = activity;
  other.replace(other.rfind(',') + 1, 1, "x");
  refused(other, "has 'x");
  // The next run replaces the whole folder.
  ok({"run", "run.yaml", "--rung", "exact", "--out", "saved"});
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "saved/activity.csv"));
}

}  // namespace
}  // namespace weft

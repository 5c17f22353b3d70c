// weft run --waves: GTKWave's own reader finds in the file the counts of the run's JSON.

#include "tests/support/fst_file.h"
#include "tests/support/weft_test.h"

namespace weft {
namespace {

using nlohmann::json;
using test::FstFile;
using test::FstSignal;

// Three launches: F, and GW of two groups. 250 MHz: a cycle is 4000 ps, and 24/5 nCK of DDR4-2400.
const char* const kRun = R"(
name: waves
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 250, profile: rtl}
network:
  layers:
    - {name: a, channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}
    - {name: b, channels: 8, h: 8, w: 8, filters: 6, kernel: 3, pad: 1, groups: 2}
batch: 2
rung: systemc
only: "a:F,b:GW"
)";
constexpr std::uint64_t kCyclePs = 4000;

class Waves : public test::WeftTest {
 protected:
  static Words run(const Words& more) {
    return test::joined({"run", "run.yaml", "--no-save", "--format", "json"}, more);
  }
  void SetUp() override { dir_.write("run.yaml", kRun); }
};

// A value of a signal, by name or as a number, and its interval.
struct Stretch {
  std::uint64_t from = 0, to = 0;
  std::string value;
};
std::vector<Stretch> stretches(const FstFile& file, const std::string& name) {
  const FstSignal& signal = file.signals.at(name);
  std::vector<Stretch> all;
  for (const auto& [time, value] : signal.changes) {
    if (!all.empty()) all.back().to = time;
    const std::string text = signal.names.empty() ? value : signal.names.at(value);
    all.push_back({time, file.end, text});
  }
  return all;
}

// Returns the cycles in [from, to) with each value of the signal.
std::map<std::string, std::int64_t> cycles_of(const FstFile& file, const std::string& name, std::uint64_t from,
                                              std::uint64_t to) {
  std::map<std::string, std::int64_t> cycles;
  for (const Stretch& each : stretches(file, name)) {
    const std::uint64_t begin = std::max(from, each.from), end = std::min(to, each.to);
    if (begin >= end) continue;
    EXPECT_EQ(begin % kCyclePs + end % kCyclePs, 0U) << name;
    cycles[each.value] += static_cast<std::int64_t>((end - begin) / kCyclePs);
  }
  return cycles;
}

// Returns the number of commands in [from, to), by name.
std::map<std::string, std::int64_t> commands_of(const FstFile& file, const std::string& channel, std::uint64_t from,
                                                std::uint64_t to) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, signal] : file.signals) {
    if (name.rfind("kernel." + channel + ".", 0) != 0) continue;
    for (const auto& [time, value] : signal.changes) {
      if (time < from || time >= to) continue;
      for (const std::string& command : test::split(signal.names.at(value), '+')) ++counts[command];
    }
  }
  return counts;
}

// Each state of each block lasts the cycles of the row; each handshake occurs as often as its bursts and beats.
void expect_as_counted(const FstFile& file, const json& row, std::uint64_t from, std::uint64_t to) {
  for (const auto& [block, states] : row["blocks"].items()) {
    auto cycles = cycles_of(file, "kernel.block." + block + "[1:0]", from, to);
    for (const auto& [state, count] : states.items()) EXPECT_EQ(cycles[state], count) << block << ' ' << state;
  }
  int handshakes = 0;
  for (const auto& [port, counts] : row["memory"].items()) {
    for (const auto& [signal, count] : {std::pair("AR", "read_bursts"),
                                        {"R", "read_beats"},
                                        {"AW", "write_bursts"},
                                        {"W", "write_beats"},
                                        {"B", "write_bursts"}}) {
      const std::string name = "kernel.port." + port + "." + signal;
      if (file.signals.count(name) == 0) continue;
      EXPECT_EQ(cycles_of(file, name, from, to)["1"], counts[count]) << name;
      ++handshakes;
    }
  }
  EXPECT_EQ(handshakes, 7);  // two ports read and one writes
}

TEST_F(Waves, ShowTheCyclesHandshakesAndCommandsThatTheResultCounts) {
  const test::Outcome outcome = ok(run({"--waves", "w.fst"}));
  const json result = json::parse(outcome.out);
  const FstFile file = test::read_fst(dir_.path() / "w.fst");
  EXPECT_EQ(file.timescale, -12);
  EXPECT_EQ(file.end, kCyclePs * result["totals"]["network"]["cycles"].get<std::uint64_t>());

  const std::vector<Stretch> launches = stretches(file, "kernel.convolution");
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[0].value, "a:F");
  EXPECT_EQ(launches[1].value, "b:GW group 0");
  EXPECT_EQ(launches[2].value, "b:GW group 1");
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> spans{{0, launches[1].from}, {launches[1].from, file.end}};
  for (std::size_t row = 0; row < spans.size(); ++row) {
    const std::uint64_t from = spans[row].first, to = spans[row].second;
    const json& expected = result["convolutions"][row];
    SCOPED_TRACE(expected["layer"].get<std::string>());
    expect_as_counted(file, expected, from, to);
    const json& ports = expected["memory"];
    // Exact bursts: no read is served after the end. A beat of 64 bytes is one access.
    for (const auto& [port, channel] : {std::pair("inp", "ddr4_0"), std::pair("kern", "ddr4_1")}) {
      auto commands = commands_of(file, channel, from, to);
      EXPECT_EQ(commands["RD"] + commands["RDA"], ports[port]["read_beats"]) << port;
      EXPECT_EQ(commands["ACT"],
                ports[port]["row_misses"].get<std::int64_t>() + ports[port]["row_conflicts"].get<std::int64_t>())
          << port;
      EXPECT_EQ(commands["more"] + commands["WR"] + commands["WRA"], 0);
    }
    auto writes = commands_of(file, "ddr4_2", from, to);  // answered on acceptance
    EXPECT_GT(writes["WR"] + writes["WRA"], 0);
    EXPECT_LE(writes["WR"] + writes["WRA"], ports["out"]["write_beats"]);
  }
}

TEST_F(Waves, ShowTheCyclesAndHandshakesOfBarista) {
  const Words of = run({"--set", "kernel=barista-16x16x64", "--set", "batch=3", "--only", "b:GW"});
  const json result = json::parse(ok(test::joined(of, {"--waves", "w.fst"})).out);
  EXPECT_EQ(json::parse(ok(of).out), result);
  const FstFile file = test::read_fst(dir_.path() / "w.fst");
  EXPECT_EQ(file.end, kCyclePs * result["totals"]["network"]["cycles"].get<std::uint64_t>());
  expect_as_counted(file, result["convolutions"][0], 0, file.end);
  const auto launches = cycles_of(file, "kernel.convolution", 0, file.end);
  EXPECT_EQ(launches.size(), 6U);  // three images of two groups
  EXPECT_EQ(launches.count("b:GW image 2 group 1"), 1U);
}

// At most one push and one pop per cycle (GEN-2).
TEST_F(Waves, FillsStayWithinTheDepthsAndMoveByOneACycle) {
  ok(run({"--waves", "w.fst", "--set", "kernel.fifo.inp_beat=5"}));
  const FstFile file = test::read_fst(dir_.path() / "w.fst");
  ASSERT_EQ(file.signals.count("kernel.fifo.inp_beat[2:0]"), 1U);
  std::map<std::string, long> depths{{"inp_beat[2:0]", 5}};
  for (const char* name : {"inp_word", "inp_group", "kern_word", "out_group"}) depths[name + std::string("[2:0]")] = 4;
  for (const char* name : {"inp_column", "kern_row", "out_row"}) depths[name + std::string("[3:0]")] = 8;
  for (const char* name : {"kern_beat", "out_beat"}) depths[name + std::string("[5:0]")] = 32;
  const std::vector<Stretch> launches = stretches(file, "kernel.convolution");
  for (const auto& [name, depth] : depths) {
    long before = 0, most = 0;
    for (const Stretch& each : stretches(file, "kernel.fifo." + name)) {
      const long fill = std::stol(each.value, nullptr, 2);
      const bool end =
          each.from == file.end || std::any_of(launches.begin(), launches.end(),
                                               [&](const Stretch& launch) { return launch.from == each.from; });
      EXPECT_LE(fill, depth) << name;
      if (!end) {
        EXPECT_LE(std::abs(fill - before), 1) << name << " at " << each.from;
      }
      before = fill;
      most = std::max(most, fill);
    }
    EXPECT_EQ(before, 0) << name;
    EXPECT_GT(most, 0) << name;
  }
}

TEST_F(Waves, ChangeNothingOfTheResultAndAreTheSameBytesEachTime) {
  const test::Outcome without = weft(run({})), with = weft(run({"--waves", "a.fst"}));
  ok(run({"--waves", "b.fst", "--workers", "1"}));
  EXPECT_EQ(without.out, with.out);
  EXPECT_EQ(text("a.fst"), text("b.fst"));
  const test::Outcome data = weft(run({"--set", "mode=data"})),
                      shown = weft(run({"--set", "mode=data", "--waves", "c.fst"}));
  EXPECT_EQ(data.exit_code, 0) << data.err;
  EXPECT_EQ(data.out, shown.out);
  EXPECT_TRUE(test::read_fst(dir_.path() / "c.fst").signals == test::read_fst(dir_.path() / "a.fst").signals);
}

TEST_F(Waves, ASaveFileShowsEverySignal) {
  ok(run({"--waves", "w.fst"}));
  const FstFile file = test::read_fst(dir_.path() / "w.fst");
  std::size_t shown = 0;
  for (const std::string& line : test::split(text("w.gtkw"))) {
    if (line.rfind("kernel.", 0) != 0) continue;
    EXPECT_EQ(file.signals.count(line), 1U) << line;
    ++shown;
  }
  EXPECT_EQ(shown, file.signals.size());
  EXPECT_EQ(text("w.gtkw").rfind("[dumpfile] \"w.fst\"\n", 0), 0U);
}

// Required: a whole convolution of 3.8 million cycles with DDR4 in less than a megabyte.
TEST_F(Waves, OfAWholeConvolutionOfTheHeadlineStayBelowAMegabyte) {
  const test::Outcome outcome =
      ok({"run", "googlenet-u250", "--only", "inception3b.branch2.1.conv:F", "--set", "batch=1", "--rung", "systemc",
          "--no-save", "--format", "json", "--waves", "w.fst"});
  EXPECT_GT(json::parse(outcome.out)["totals"]["network"]["cycles"], 3'800'000);
  EXPECT_LT(text("w.fst").size(), 1'000'000U);
}

}  // namespace
}  // namespace weft

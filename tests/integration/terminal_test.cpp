#include "tests/support/weft_test.h"

// Output of commands fits the terminal, and other output does not depend on a terminal.
namespace weft {
namespace {

using test::OnTerminal;
using test::Outcome;

// Long names, as in real networks.
constexpr const char* kRun = R"(
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: inception3a.branch2.0.conv, channels: 3, h: 24, w: 23, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: inception3a.branch2.1.conv, channels: 8, h: 12, w: 12, filters: 12, kernel: 3, pad: 1, groups: 2}]}
batch: 2
rung: exact
)";

// More columns than a terminal of 120 columns has room for.
constexpr const char* kMany =
    "layer,kind,cycles,macs,inp_beats,inp_bursts,inp_row_hits,inp_row_misses,inp_row_conflicts,kern_beats,kern_bursts";

class Terminal : public test::WeftTest {
 protected:
  void SetUp() override { dir_.write("r.yaml", kRun); }

  Outcome on(int columns, const Words& arguments) const {
    return test::run_on_terminal(columns, OnTerminal::Out, WEFT_BINARY, arguments, dir_.path());
  }
  static std::size_t widest(const std::string& text) {
    std::size_t most = 0;
    for (const std::string& line : test::split(text)) most = std::max(most, line.size());
    return most;
  }
};

TEST_F(Terminal, NoLineOfAnyTableIsWiderThanIt) {
  if (!test::has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  ok({"run", "r.yaml", "--out", "a"});
  ok({"run", "r.yaml", "--out", "b", "--set", "kernel.array.x=16"});
  ok({"sweep", "small", "--out", "s.db"});
  const std::vector<Words> commands{
      {"run", "r.yaml", "--no-save"},
      {"run", "r.yaml", "--no-save", "--rung", "analytical"},
      {"run", "r.yaml", "--no-save", "--rows", "0"},
      {"run", "r.yaml", "--no-save", "--columns", kMany},
      {"show", "./a"},
      {"show", "."},
      {"show", "googlenet-u250"},
      {"show", "u250"},
      {"show", "xeon-bronze-3104"},
      {"show", "resnet20"},
      {"show", "resnet20", "--training"},
      {"show", "u250-slr"},
      {"show", "schema"},
      {"show", "s.db"},
      {"show", "s.db", "--pareto"},
      {"show", "small"},
      {"compare", "a", "b"},
      {"explain", "conv-small", "--no-save"},
      {"timeline", "resnet20-u250", "--rung", "analytical", "--no-save"},
      {"sweep", "small", "--out", "s.db"},
      {"sweep", "small", "--out", "s.db", "--dry-run"},
      {"dse", "googlenet", "--only", "inception5b.branch1.conv:F", "--set", "dse.penalties_percent=[]", "--no-save"},
      {"dse", "resnet20", "--only", "layer1.0.*", "--set", "dse.penalties_percent=[0, 5]", "--rerank", "2", "--set",
       "dse.rerank.batch=1", "--no-save"},
      {"dse", "resnet20", "--only", "layer1.0.*", "--columns",
       "layer,kind,x,y,z,z_channel,k_range,kern_words,out_words,variant,inp_storage,kern_storage,out_storage",
       "--no-save"},
      {"validate", "conv-small", "--no-save"},
      {"validate", "conv-small", "--no-save", "--model", "systemc"},
      {"validate", "googlenet-small", "--only", "inception3a.branch1*", "--no-save"},
      {"validate", "pcie", "--no-save"},
      {"synth", "--errors"}};
  for (const Words& command : commands) {
    for (const std::size_t columns : {80U, 120U, 200U}) {
      const Outcome outcome = on(static_cast<int>(columns), command);
      EXPECT_EQ(outcome.exit_code, 0) << command[0] << ' ' << command[1] << outcome.out << outcome.err;
      EXPECT_LE(widest(outcome.out), columns) << command[0] << ' ' << command[1] << '\n' << outcome.out;
      EXPECT_FALSE(test::has(outcome.out, "\x1b")) << "colours, or a moved cursor";
    }
  }
}

TEST_F(Terminal, TheTableOfConvolutionsSaysWhatItLeavesOut) {
  if (!test::has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const std::string wide = on(200, {"run", "r.yaml", "--no-save"}).out;
  EXPECT_FALSE(test::has(wide, "left out"));
  EXPECT_TRUE(test::has(wide, "layer                       kind  shape"));
  const std::string narrow = on(80, {"run", "r.yaml", "--no-save"}).out;
  EXPECT_TRUE(test::has(narrow, "layer                       kind   cycles      time   util  limiter      stall\n"));
  EXPECT_TRUE(test::has(narrow, "left out at 80 columns: shape, GOPS, DDR, eq.err; see --columns"));
  EXPECT_TRUE(
      test::has(wide, "fit          DSP 189 of 11,508, BRAM18 47 of 4,000, URAM 0 of 1,280; every kernel fits\n"));
  EXPECT_TRUE(test::has(narrow, "BRAM18 47 of 4,000, URAM 0 of 1,280; every\n             kernel fits\n"));
}

TEST_F(Terminal, AFileGetsTheSameWhateverTheTerminal) {
  if (!test::has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const std::string piped = weft({"run", "r.yaml", "--no-save"}).out;
  for (const int columns : {80, 200}) {
    const Outcome outcome =
        test::run_on_terminal(columns, OnTerminal::Err, WEFT_BINARY, {"run", "r.yaml", "--no-save"}, dir_.path());
    EXPECT_EQ(outcome.err, piped);
  }
  for (const char* format : {"json", "csv"}) {
    const Words words{"run", "r.yaml", "--no-save", "--format", format};
    EXPECT_EQ(on(80, words).out, weft(words).out) << "lines of " << format << " are not broken";
  }
}

TEST_F(Terminal, ColumnsAreChosenByTheirNamesInCsv) {
  const std::string table = weft({"run", "r.yaml", "--no-save", "--columns", "kind,cycles,fits,layer"}).out;
  EXPECT_TRUE(test::has(table, "kind  cycles  fits  layer\nF     "));
  ok({"run", "r.yaml", "--no-save", "--columns", "layer,"});
  ok({"run", "r.yaml", "--out", "a", "--columns", "layer"});
  ok({"run", "r.yaml", "--out", "b"});
  EXPECT_EQ(text("a/convolutions.csv"), text("b/convolutions.csv"));
  EXPECT_EQ(weft({"show", "./b", "--columns", "kind,cycles,fits,layer"}).out, table);
}

TEST_F(Terminal, EveryTableOfNamedColumnsTakesOthers) {
  ok({"run", "r.yaml", "--out", "a"});
  const std::vector<std::pair<Words, std::string>> commands{
      {{"timeline", "resnet20-u250", "--rung", "analytical"}, "activity,start_ps,bytes"},
      {{"dse", "resnet20", "--only", "layer1.0.*", "--set", "dse.penalties_percent=[]"}, "layer,z_channel,out_storage"},
      {{"validate", "r.yaml"}, "layer,cause,blocked"},
      {{"validate", "pcie"}, "what,bytes,holds"},
      {{"explain", "r.yaml"}, "ladder,change,cycles_gw"},
      {{"compare", "a", "a"}, "layer,cycles_a,limiter_b"},
      {{"synth", "--errors"}, "set,lut,lut_model"}};
  for (const auto& [command, names] : commands) {
    const bool saves = command[0] != "compare" && command[0] != "synth";
    const Words save = saves ? Words{"--out", "saved"} : Words{};
    const std::string first = names.substr(0, names.find(',')), last = names.substr(names.rfind(',') + 1);
    const Outcome table = ok(test::joined(test::joined(command, save), {"--columns", names}));
    const std::size_t head = table.out.find("\n" + first + "  ");
    const std::size_t at = head == std::string::npos ? 0 : head + 1;
    const std::string line = table.out.substr(at, table.out.find('\n', at) - at);
    EXPECT_EQ(line.rfind(first, 0), 0U) << table.out;
    EXPECT_EQ(line.substr(line.size() - last.size()), last) << line;
    const Outcome wrong = weft(test::joined(test::joined(command, save), {"--columns", first + "x"}));
    EXPECT_EQ(wrong.exit_code, 2) << command[0];
    EXPECT_TRUE(test::has(wrong.err, "--columns: there is no column '" + first + "x'"));
    EXPECT_TRUE(test::has(wrong.err, "did you mean '" + first + "'?"));
    const Outcome both = weft(test::joined(command, {"--columns", first, "--format", "csv"}));
    EXPECT_EQ(both.exit_code, 2) << command[0];
    if (!saves) continue;
    const std::string shown = weft({"show", "./saved", "--columns", names}).out;
    EXPECT_EQ(table.out.rfind(shown, 0), 0U) << shown << table.out;
  }
}

TEST_F(Terminal, NoRowsLeaveTheTotalsAlone) {
  const std::string table = weft({"run", "r.yaml", "--no-save"}).out;
  const std::string summary = weft({"run", "r.yaml", "--no-save", "--rows", "0"}).out;
  EXPECT_FALSE(test::has(summary, "inception"));
  EXPECT_TRUE(test::has(summary, "\nnetwork "));
  const std::string rest = table.substr(table.find("\nPE-cycles"));
  EXPECT_EQ(summary.substr(summary.find("\nPE-cycles")), rest);
}

// The largest shipped run, at 120 and at 80 columns: its ten costliest convolutions, the totals, the split, and the
// facts.
TEST_F(Terminal, ARunOfManyConvolutionsFitsAScreen) {
  if (!test::has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const Words run{"run", "googlenet-u250", "--rung", "analytical", "--no-save"};
  for (const auto& [width, lines] : {std::pair(120, 40U), std::pair(80, 44U)}) {
    const std::string text = on(width, run).out;
    EXPECT_LE(test::split(text).size(), lines) << text;
    EXPECT_TRUE(test::has(text, "\n160 more rows: --rows all")) << text;
    // Passes of 16 filters x windows x channels: 16 * 196 * 528 are more than 8 * 784 * 256.
    EXPECT_LT(text.find("\ninception4e.branch1.conv"), text.find("\ninception3b.branch1.conv")) << text;
    EXPECT_FALSE(test::has(text, "\nhost layers")) << text;
  }
  const std::string all = weft(test::joined(run, {"--rows", "all", "--verbose"})).out;
  EXPECT_GT(test::split(all).size(), 170U + 10U);
  EXPECT_TRUE(test::has(all, "\nhost layers  82 of 139 operators stay on the host")) << all;
}

// A progress bar moves the cursor; there are no colours.
TEST_F(Terminal, EscapesGoToTerminalsOnly) {
  if (!test::has_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  const Words slow{"run", "r.yaml", "--no-save", "--rung", "systemc", "--set", "batch=480"};
  const Outcome bar = test::run_on_terminal(80, OnTerminal::Err, WEFT_BINARY, slow, dir_.path(), {"NO_COLOR=1"});
  EXPECT_EQ(bar.exit_code, 0);
  EXPECT_TRUE(test::has(bar.out, "\r\x1b[K"));
  for (std::size_t at = bar.out.find('\x1b'); at != std::string::npos; at = bar.out.find('\x1b', at + 1)) {
    EXPECT_EQ(bar.out.substr(at, 3), "\x1b[K") << "nothing but the rest of the line erased";
  }
  EXPECT_FALSE(test::has(bar.err, "\x1b"));
  const Outcome piped = test::run_on_terminal(80, OnTerminal::Out, WEFT_BINARY, slow, dir_.path());
  EXPECT_FALSE(test::has(piped.out, "\x1b"));
  EXPECT_EQ(piped.err, "");
}

}  // namespace
}  // namespace weft

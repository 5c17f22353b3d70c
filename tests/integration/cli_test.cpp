// The command line as a user meets it: help, overrides, output that fails, the directory it is started in.

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using CommandLine = test::WeftTest;
using Show = test::WeftTest;

TEST_F(CommandLine, WithoutArgumentsPrintsTheUsageToStandardErrorAndFails) {
  const test::Outcome outcome = weft({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* word : {"Usage: weft", "run", "dram", "show", "bench"})
    EXPECT_TRUE(test::has(outcome.err, word)) << word;
}

TEST_F(CommandLine, ListsEveryCommand) {
  const test::Outcome outcome = ok({"--help"});
  for (const char* word : {"run", "explain", "validate", "sweep", "dse", "show", "host-profile", "dram", "cosim", "rtl",
                           "synth", "timeline", "train", "plan", "mutants", "bench"}) {
    EXPECT_TRUE(test::has(outcome.out, std::string("  ") + word + " ")) << word;
  }
}

TEST_F(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const char* command : {"run", "validate", "sweep", "dse", "show", "host-profile", "dram", "cosim", "rtl",
                              "synth", "timeline", "train", "plan", "mutants", "bench"}) {
    const test::Outcome outcome = ok({command, "--help"});
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(test::has(outcome.out, "Examples:")) << command;
    EXPECT_TRUE(test::has(outcome.out, std::string("weft ") + command)) << command;
  }
}

TEST_F(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"show", "u250"}, {"--help"}, {"--version"}, {"run", "--help"}}) {
    const test::Outcome outcome = test::run_program(WEFT_BINARY, arguments, dir_.path(), "/dev/full");
    EXPECT_EQ(outcome.exit_code, 2) << arguments[0];
    EXPECT_EQ(outcome.err, "weft: error: cannot write to standard output: No space left on device\n") << arguments[0];
  }
}

TEST_F(Show, PrintsEveryConfigurationOfTheProject) {
  for (const char* folder : {"runs", "boards", "hosts", "kernels", "sweeps", "dse", "validate"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WEFT_CONFIG_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;  // the baseline of a validation
      for (const std::string& what : {entry.path().string(), entry.path().stem().string()}) {
        const test::Outcome outcome = ok({"show", what});
        EXPECT_TRUE(test::has(outcome.out, entry.path().stem().string())) << what;
      }
    }
  }
}

TEST_F(Show, MarksTheAssumptionsOfABoard) {
  EXPECT_TRUE(test::has(weft({"show", "u250"}).out, "assumed    lut, ff, memory.controller_latency_ns"));
}

TEST_F(Show, PrintsAResolvedRunThatItReadsAgain) {
  const test::Outcome first = ok({"show", "googlenet-u250", "--set", "kernel.array.x=32", "--yaml"});
  EXPECT_TRUE(test::has(first.out, "x: 32"));
  dir_.write("again.yaml", first.out);
  EXPECT_EQ(weft({"show", "again.yaml", "--yaml"}).out, first.out);
}

TEST_F(Show, TellsABoardFromARunByWhatTheFileSays) {
  dir_.write("a.yaml", "extends: u250\nname: mine\n");
  dir_.write("b.yaml", "extends: fpgpt-8x8-hls\nname: mine\n");
  dir_.write("c.yaml", "extends: conv-small\nname: mine\n");
  dir_.write("d.yaml", "extends: u250-slr\nname: mine\n");
  dir_.write("e.yaml", "extends: googlenet-small\nname: mine\n");
  EXPECT_EQ(weft({"show", "d.yaml"}).out.rfind("exploration mine", 0), 0U);
  EXPECT_EQ(weft({"show", "e.yaml"}).out.rfind("validation mine", 0), 0U);
  EXPECT_EQ(weft({"show", "a.yaml"}).out.rfind("board mine", 0), 0U);
  EXPECT_EQ(weft({"show", "b.yaml"}).out.rfind("kernel mine", 0), 0U);
  EXPECT_EQ(weft({"show", "c.yaml"}).out.rfind("run mine", 0), 0U);
}

// One image, 21 convolutions of which the first has no GI: 62. The first reads 3 * 32 * 32 words and 16 * 27 weights.
TEST_F(Show, PrintsTheTrainingIterationOfANetwork) {
  const test::Outcome table = ok({"show", "resnet20", "--training"});
  EXPECT_EQ(table.out.rfind("training resnet20: ", 0), 0U);
  EXPECT_TRUE(test::has(table.out, "  source     github.com/ICIdsl/muppet"));
  const test::Outcome csv = weft({"show", "resnet20", "--training", "--format", "csv"});
  EXPECT_TRUE(test::has(csv.out, "0,conv1 F,forward,convolution,884736,14016,65536,\n"));
  std::size_t convolutions = 0;
  for (std::size_t at = csv.out.find(",convolution,"); at != std::string::npos;
       at = csv.out.find(",convolution,", at + 1)) {
    ++convolutions;
  }
  EXPECT_EQ(convolutions, 62U);
  const nlohmann::json json = json_of({"show", "resnet20", "--training", "--batch", "2"});
  EXPECT_EQ(json.at("batch"), 2);
  EXPECT_EQ(json.at("operators").at(0).at("operations"), 2 * 884736);
  EXPECT_EQ(json.at("operators").at(1).at("after"), nlohmann::json::array({0}));
}

TEST_F(Show, HelpNamesEveryKindThatItPrints) {
  const std::string help = weft({"show", "--help"}).out;
  for (const char* kind : {"run", "board", "kernel", "network", "sweep", "exploration", "validation", "result"}) {
    EXPECT_TRUE(test::has(help, kind)) << kind;
  }
}

TEST_F(Show, PathsAreRelativeToTheCurrentDirectory) {
  dir_.write("deep/er/k.yaml", "extends: fpgpt-8x8-hls\narray: {x: 5}\n");
  dir_.write("run.yaml", "extends: conv-small\nkernel: deep/er/k.yaml\n");
  const test::Outcome outcome = ok({"show", "run.yaml"});
  EXPECT_TRUE(test::has(outcome.out, "5 x 8 = 40 PEs"));
  ok({"show", "run.yaml", "--set", "kernel=deep/er/k.yaml"});
}

}  // namespace
}  // namespace weft

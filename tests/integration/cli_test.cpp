// The command line as a user meets it: help, overrides, output that fails, the directory it is started in.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

test::Outcome weft_in(const test::TemporaryDirectory& dir, const std::vector<std::string>& arguments,
                      const std::string& out = "") {
  return test::run_program(WEFT_BINARY, arguments, dir.path(), out);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CommandLine, WithoutArgumentsPrintsTheUsageToStandardErrorAndFails) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome = weft_in(dir, {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* word : {"Usage: weft", "run", "dram", "show", "bench"}) EXPECT_TRUE(has(outcome.err, word)) << word;
}

TEST(CommandLine, ListsEveryCommand) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome = weft_in(dir, {"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* word : {"run", "explain", "validate", "sweep", "dse", "show", "host-profile", "dram", "cosim", "rtl",
                           "synth", "timeline", "train", "plan", "mutants", "bench"}) {
    EXPECT_TRUE(has(outcome.out, std::string("  ") + word + " ")) << word;
  }
}

TEST(CommandLine, EveryCommandHasHelpWithExamples) {
  const test::TemporaryDirectory dir;
  for (const char* command : {"run", "validate", "sweep", "dse", "show", "host-profile", "dram", "cosim", "rtl",
                              "synth", "timeline", "train", "plan", "mutants", "bench"}) {
    const test::Outcome outcome = weft_in(dir, {command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(has(outcome.out, "Examples:")) << command;
    EXPECT_TRUE(has(outcome.out, std::string("weft ") + command)) << command;
  }
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  const test::TemporaryDirectory dir;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"show", "u250"}, {"--help"}, {"--version"}, {"run", "--help"}}) {
    const test::Outcome outcome = weft_in(dir, arguments, "/dev/full");
    EXPECT_EQ(outcome.exit_code, 2) << arguments[0];
    EXPECT_EQ(outcome.err, "weft: error: cannot write to standard output: No space left on device\n") << arguments[0];
  }
}

TEST(Show, PrintsEveryConfigurationOfTheProject) {
  const test::TemporaryDirectory dir;
  for (const char* folder : {"runs", "boards", "hosts", "kernels", "sweeps", "dse", "validate"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WEFT_CONFIG_DIR) / folder)) {
      if (entry.path().extension() != ".yaml") continue;  // the baseline of a validation
      for (const std::string& what : {entry.path().string(), entry.path().stem().string()}) {
        const test::Outcome outcome = weft_in(dir, {"show", what});
        EXPECT_EQ(outcome.exit_code, 0) << what << ": " << outcome.err;
        EXPECT_TRUE(has(outcome.out, entry.path().stem().string())) << what;
      }
    }
  }
}

TEST(Show, MarksTheAssumptionsOfABoard) {
  const test::TemporaryDirectory dir;
  EXPECT_TRUE(has(weft_in(dir, {"show", "u250"}).out, "assumed    lut, ff, memory.controller_latency_ns"));
}

TEST(Show, PrintsAResolvedRunThatItReadsAgain) {
  const test::TemporaryDirectory dir;
  const test::Outcome first = weft_in(dir, {"show", "googlenet-u250", "--set", "kernel.array.x=32", "--yaml"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(has(first.out, "x: 32"));
  dir.write("again.yaml", first.out);
  EXPECT_EQ(weft_in(dir, {"show", "again.yaml", "--yaml"}).out, first.out);
}

TEST(Show, TellsABoardFromARunByWhatTheFileSays) {
  const test::TemporaryDirectory dir;
  dir.write("a.yaml", "extends: u250\nname: mine\n");
  dir.write("b.yaml", "extends: fpgpt-8x8-hls\nname: mine\n");
  dir.write("c.yaml", "extends: conv-small\nname: mine\n");
  dir.write("d.yaml", "extends: u250-slr\nname: mine\n");
  dir.write("e.yaml", "extends: googlenet-small\nname: mine\n");
  EXPECT_EQ(weft_in(dir, {"show", "d.yaml"}).out.rfind("exploration mine", 0), 0U);
  EXPECT_EQ(weft_in(dir, {"show", "e.yaml"}).out.rfind("validation mine", 0), 0U);
  EXPECT_EQ(weft_in(dir, {"show", "a.yaml"}).out.rfind("board mine", 0), 0U);
  EXPECT_EQ(weft_in(dir, {"show", "b.yaml"}).out.rfind("kernel mine", 0), 0U);
  EXPECT_EQ(weft_in(dir, {"show", "c.yaml"}).out.rfind("run mine", 0), 0U);
}

// One image, 21 convolutions of which the first has no GI: 62. The first reads 3 * 32 * 32 words and 16 * 27 weights.
TEST(Show, PrintsTheTrainingIterationOfANetwork) {
  const test::TemporaryDirectory dir;
  const test::Outcome table = weft_in(dir, {"show", "resnet20", "--training"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.out.rfind("training resnet20: ", 0), 0U);
  EXPECT_TRUE(has(table.out, "  source     github.com/ICIdsl/muppet"));
  const test::Outcome csv = weft_in(dir, {"show", "resnet20", "--training", "--format", "csv"});
  EXPECT_TRUE(has(csv.out, "0,conv1 F,forward,convolution,884736,14016,65536,\n"));
  std::size_t convolutions = 0;
  for (std::size_t at = csv.out.find(",convolution,"); at != std::string::npos;
       at = csv.out.find(",convolution,", at + 1)) {
    ++convolutions;
  }
  EXPECT_EQ(convolutions, 62U);
  const test::Outcome twice = weft_in(dir, {"show", "resnet20", "--training", "--batch", "2", "--format", "json"});
  const auto json = nlohmann::json::parse(twice.out);
  EXPECT_EQ(json.at("batch"), 2);
  EXPECT_EQ(json.at("operators").at(0).at("operations"), 2 * 884736);
  EXPECT_EQ(json.at("operators").at(1).at("after"), nlohmann::json::array({0}));
}

TEST(Show, HelpNamesEveryKindThatItPrints) {
  const test::TemporaryDirectory dir;
  const std::string help = weft_in(dir, {"show", "--help"}).out;
  for (const char* kind : {"run", "board", "kernel", "network", "sweep", "exploration", "validation", "result"}) {
    EXPECT_TRUE(has(help, kind)) << kind;
  }
}

TEST(Show, PathsAreRelativeToTheCurrentDirectory) {
  const test::TemporaryDirectory dir;
  dir.write("deep/er/k.yaml", "extends: fpgpt-8x8-hls\narray: {x: 5}\n");
  dir.write("run.yaml", "extends: conv-small\nkernel: deep/er/k.yaml\n");
  const test::Outcome outcome = weft_in(dir, {"show", "run.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "5 x 8 = 40 PEs"));
  const test::Outcome set = weft_in(dir, {"show", "run.yaml", "--set", "kernel=deep/er/k.yaml"});
  EXPECT_EQ(set.exit_code, 0) << set.err;
}

}  // namespace
}  // namespace weft

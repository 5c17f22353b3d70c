// The command line for users: help, overrides, output that fails, the directory that weft is started in.

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

TEST_F(Show, PrintsAResolvedRunThatItReadsAgain) {
  const test::Outcome first = ok({"show", "googlenet-u250", "--set", "kernel.array.x=32", "--yaml"});
  EXPECT_TRUE(test::has(first.out, "x: 32"));
  dir_.write("again.yaml", first.out);
  EXPECT_EQ(weft({"show", "again.yaml", "--yaml"}).out, first.out);
}

TEST_F(Show, TellsABoardFromARunByWhatTheFileSays) {
  for (const auto& [base, kind] : {std::pair("u250", "board"),
                                   {"fpgpt-8x8-hls", "kernel"},
                                   {"conv-small", "run"},
                                   {"u250-slr", "exploration"},
                                   {"googlenet-small", "validation"}}) {
    dir_.write("a.yaml", std::string("extends: ") + base + "\nname: mine\n");
    EXPECT_EQ(weft({"show", "a.yaml"}).out.rfind(kind + std::string(" mine"), 0), 0U) << kind;
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

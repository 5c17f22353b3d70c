#include "tests/support/weft_test.h"

// Completions and help for a shell.
namespace weft {
namespace {

using test::Outcome;
using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Completion : public test::WeftTest {
 protected:
  Words complete(const Words& words) const { return test::split(ok(test::joined({"__complete"}, words)).out); }
  // Returns bash's offers at the end of the line; `broken`: its last word as bash splits it.
  Words in_bash(const std::string& line, const std::string& broken = "") const {
    const std::string script = "eval \"$('" + std::string(WEFT_BINARY) +
                               "' completion bash)\"\n"
                               "complete -p weft >/dev/null || exit 1\n"
                               "COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=('" +
                               std::string(WEFT_BINARY) +
                               "' \"$2\") COMP_CWORD=1\n"
                               "_weft 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const Outcome outcome = test::run_program("/bin/bash", {"--norc", "-c", script, "bash", line, broken}, dir_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return test::split(outcome.out);
  }
};

TEST_F(Completion, OfCommandsOptionsAndNames) {
  EXPECT_EQ(complete({"ti"}), Words{"timeline"});
  EXPECT_TRUE(has(complete({""}), "run"));
  EXPECT_TRUE(has(complete({""}), "python")) << "the launcher's, too";
  EXPECT_EQ(complete({"doc"}), Words{"docs"});
  EXPECT_FALSE(has(complete({""}), "__complete"));
  EXPECT_EQ(complete({"run", "goo"}), Words{"googlenet-u250"});
  EXPECT_EQ(complete({"sweep", "better"}), Words{"better-card"});
  EXPECT_TRUE(has(complete({"show", "sq"}), "squeezenet1_1"));
  EXPECT_EQ(complete({"run", "--stri"}), Words{"--strict-fit"});
  EXPECT_EQ(complete({"run", "googlenet-u250", "--rung", "s"}), Words{"systemc"});
  EXPECT_EQ(complete({"run", "googlenet-u250", "--rung=s"}), Words{"--rung=systemc"});
  EXPECT_EQ(complete({"run", "--workers", "2", "goo"}), Words{"googlenet-u250"});
  EXPECT_EQ(complete({"run", "--out", ""}), Words{}) << "files";
  EXPECT_EQ(complete({"no-such-command", ""}), Words{});
  EXPECT_EQ(complete({"dse", "--set", "kernel.ar"}), complete({"run", "--set", "kernel.ar"})) << "of any run";
}

TEST_F(Completion, OfKeysPartByPartAndOfLayers) {
  EXPECT_EQ(complete({"run", "conv-small", "--set", "kernel.arr"}), Words{"kernel.array."});
  EXPECT_EQ(complete({"run", "conv-small", "--set", "kernel.array."}), (Words{"kernel.array.x=", "kernel.array.y="}));
  EXPECT_EQ(complete({"run", "conv-small", "--set", "batch=4", "--set", "kernel.array.x"}), Words{"kernel.array.x="});
  EXPECT_TRUE(has(complete({"run", "conv-small", "--set", "kernel.po"}), "kernel.ports."));
  EXPECT_TRUE(has(complete({"run", "conv-small", "--set", "network="}), "network=resnet20"));
  EXPECT_EQ(complete({"run", "googlenet-u250", "--only", "inception5b.branch1"}), Words{"inception5b.branch1.conv"});
  EXPECT_EQ(complete({"run", "googlenet-u250", "--only", "conv1.conv:F,conv2"}), Words{"conv1.conv:F,conv2.conv"});
  EXPECT_EQ(complete({"run", "googlenet-u250", "--only", "conv1.conv:G"}), (Words{"conv1.conv:GI", "conv1.conv:GW"}));
}

TEST_F(Completion, ThroughBash) {
  EXPECT_EQ(in_bash("weft ti", "ti"), Words{"timeline"});
  EXPECT_EQ(in_bash("./weft run goo", "goo"), Words{"googlenet-u250"});
  EXPECT_TRUE(has(in_bash("weft "), "run"));
  EXPECT_TRUE(has(in_bash("weft run conv-small --set kernel.array."), "kernel.array.x="));
  EXPECT_EQ(in_bash("weft run conv-small --set network=resnet2", "resnet2"), Words{"resnet20"}) << "behind the =";
  EXPECT_EQ(in_bash("weft run googlenet-u250 --only conv1.conv:G", "G"), (Words{"GI", "GW"})) << "behind the :";
}

// Completion reads a run and its network, in twice the time of a start. A busy machine is slow at both.
TEST_F(Completion, AnswersAtOnce) {
  const auto processor_seconds = [&](const Words& arguments) {
    return test::processor_seconds_of_children([&] { ok(arguments); });
  };
  double starting = 1, completing = 1;
  for (int i = 0; i < 9; ++i) {
    starting = std::min(starting, processor_seconds({"--version"}));
    completing =
        std::min(completing, processor_seconds({"__complete", "run", "googlenet-u250", "--only", "inception5b"}));
  }
  EXPECT_LT(completing, 4 * starting);
  EXPECT_LT(completing, 0.5);
}

TEST_F(Completion, OffersEveryOptionThatTheHelpOfACommandNamesAndEveryHelpHasExamples) {
  for (const std::string& name : test::split(weft({"__complete", ""}).out)) {
    if (name == "test" || name == "install" || name == "build" || name == "python" || name == "docs" ||
        name == "package")
      continue;
    const Outcome help = ok({name, "--help"});
    EXPECT_EQ(help.err, "") << name;
    EXPECT_TRUE(test::has(help.out, "Examples:")) << name;
    EXPECT_TRUE(test::has(help.out, "weft " + name));
    for (const std::string& option : test::split(weft({"__complete", name, "--"}).out)) {
      EXPECT_TRUE(test::has(help.out, option)) << name;
    }
  }
}

}  // namespace
}  // namespace weft

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using test::Outcome;

class Init : public test::WeftTest {};

TEST_F(Init, TheProjectRunsAsItStands) {
  const Outcome made = ok({"init", "mine"});
  EXPECT_TRUE(test::has(made.out, "weft run mine/run.yaml")) << made.out;
  for (const char* const kind : {"run", "sweep", "board", "kernel"}) {
    const std::string first = fmt::format("# yaml-language-server: $schema=schemas/{}.schema.json\n", kind);
    EXPECT_EQ(test::read_text_file(dir_.path() / fmt::format("mine/{}.yaml", kind)).rfind(first, 0), 0U) << kind;
    EXPECT_EQ(test::read_text_file(dir_.path() / fmt::format("mine/schemas/{}.schema.json", kind)),
              ok({"schema", kind}).out);
  }
  // The files are those of resnet20-u250 at batch 1, so that both have equal cycles.
  const Words shipped{"run", "resnet20-u250", "--set", "batch=1", "--rung", "analytical", "--no-save"};
  EXPECT_EQ(json_of({"run", "mine/run.yaml", "--rung", "analytical", "--no-save"})["totals"],
            json_of(shipped)["totals"]);
  EXPECT_TRUE(test::has(ok({"sweep", "mine/sweep.yaml", "--dry-run"}).out, "9 points"));
}

TEST_F(Init, TakesABoardAKernelOfAnotherDesignAndANetwork) {
  ok({"init", "tiled", "--board", "u200", "--kernel", "barista-16x16x64", "--network", "alexnet_cifar10"});
  const nlohmann::json run = json_of({"run", "tiled/run.yaml", "--rung", "analytical", "--no-save"});
  EXPECT_FALSE(run["convolutions"].empty());
  EXPECT_TRUE(test::has(ok({"show", "tiled/run.yaml"}).out, "u200"));
  EXPECT_TRUE(test::has(ok({"sweep", "tiled/sweep.yaml", "--dry-run"}).out, "6 points"));
}

TEST_F(Init, NamesMayHaveWhatYamlReadsAsItsOwn) {
  ok({"init", "it's: #1"});
  ok({"run", "it's: #1/run.yaml", "--rung", "analytical", "--no-save"});
}

TEST_F(Init, WritesNothingWhereSomethingIsWrong) {
  refused({"init", "a", "--board", "u25"}, "there is no board 'u25'");
  refused({"init", "a", "--network", "none.onnx"}, "none.onnx");
  EXPECT_TRUE(dir_.listing().empty());
  dir_.write("full/notes.txt", "mine");
  refused({"init", "full"}, "full");
  EXPECT_EQ(text("full/notes.txt"), "mine");
}

}  // namespace
}  // namespace weft

#include "tests/support/weft_test.h"

// The program as in PREFIX/bin, with configs and RTL in PREFIX/share/weft and without a checkout.
namespace weft {
namespace {

namespace fs = std::filesystem;
using test::has;
using test::Outcome;

class Installed : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path source = WEFT_SOURCE_DIR, data = prefix_.path() / "share/weft";
    fs::create_directories(prefix_.path() / "bin");
    fs::create_directories(data);
    fs::copy_file(WEFT_BINARY, prefix_.path() / "bin/weft");  // no link, which names the binary of the build
    fs::copy(source / "configs", data / "configs", fs::copy_options::recursive);
    fs::create_directory_symlink(source / "kernels", data / "kernels");
  }
  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(prefix_.path() / "bin/weft", arguments, here_.path(), "",
                             {"HOME=" + here_.path().string(), "WEFT_CACHE=none", "PATH=/nonexistent"});
  }
  void expect_needs_checkout(const std::vector<std::string>& arguments) const {
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "needs a checkout of weft"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }

  test::TemporaryDirectory prefix_, here_;
};

TEST_F(Installed, RunsItsConfigsAndSavesResultsInTheCurrentFolder) {
  for (const char* const run : {"conv-small", "configs/runs/conv-small.yaml"}) {
    fs::remove_all(here_.path() / "results");
    const Outcome outcome = weft({"run", run});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(here_.path() / "results/conv-small/result.json"));
  }
  const Outcome missing = weft({"run", "configs/runs/none.yaml"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(has(missing.err, "configs/runs/none.yaml: no such file"));
}

TEST_F(Installed, ReadsItsOwnDataNotThoseOfTheCheckout) {
  fs::rename(prefix_.path() / "share/weft/configs/runs/conv-small.yaml",
             prefix_.path() / "share/weft/configs/runs/mine.yaml");
  EXPECT_EQ(weft({"show", "mine"}).exit_code, 0);
  EXPECT_EQ(weft({"show", "conv-small"}).exit_code, 2);
}

TEST_F(Installed, WritesTheRtl) {
  const Outcome outcome = weft({"rtl", "conv-small", "--out", "rtl"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(here_.path() / "rtl/files.f"));
}

TEST_F(Installed, SaysInOneLineThatACommandNeedsACheckout) {
  expect_needs_checkout({"cosim", "conv-small"});
  expect_needs_checkout({"run", "conv-small", "--rung", "systemc", "--waves", "conv.fst"});
  expect_needs_checkout({"mutants"});
  expect_needs_checkout({"bench"});
  expect_needs_checkout({"host-profile", "resnet20", "--batch", "1"});
  expect_needs_checkout({"card", "resnet20-card", "--train", "resnet20"});
}

}  // namespace
}  // namespace weft

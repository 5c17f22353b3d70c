// weft's cache from the command line.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRun =
    "name: two\nboard: u250\nkernel: {extends: fpgpt-8x8-hls}\nbatch: 2\nrung: exact\nnetwork:\n  layers:\n"
    "    - {name: a, channels: 3, h: 28, w: 28, filters: 8, kernel: 5, pad: 2}\n"
    "    - {name: b, channels: 16, h: 14, w: 14, filters: 16, groups: 4, kernel: 3, pad: 1}\n";

class Cache : public ::testing::Test {
 protected:
  Cache() { dir_.write("two.yaml", kRun); }
  // With a user of its own, whose home is here.
  test::Outcome weft(const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) const {
    environment.insert(environment.begin(), {"HOME=" + dir_.path().string(), "XDG_CACHE_HOME=", "WEFT_CACHE="});
    return test::run_program(WEFT_BINARY, arguments, dir_.path(), "", environment);
  }
  std::string result(const std::string& out, const std::vector<std::string>& more = {}) {
    const test::Outcome outcome = weft(test::joined({"run", "two.yaml", "--out", out}, more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    err_ = outcome.err;
    return test::read_text_file(dir_.path() / out / "result.json");
  }

  test::TemporaryDirectory dir_;
  std::string err_;
};

TEST_F(Cache, LiesInTheUsersFolderAndChangesNoByteOfAResult) {
  const std::string without = result("a", {"--no-cache"});
  EXPECT_EQ(err_.find("cache"), std::string::npos) << err_;
  EXPECT_FALSE(fs::exists(dir_.path() / ".cache"));
  EXPECT_EQ(result("b"), without);
  EXPECT_EQ(err_.find("cache"), std::string::npos) << err_;
  EXPECT_EQ(result("c"), without);
  EXPECT_NE(err_.find("weft: 5 of 5 convolutions were simulated before, and come from the cache in " +
                      (dir_.path() / ".cache" / "weft").string()),
            std::string::npos)
      << err_;
  EXPECT_NE(weft({"cache"}).out.find("/.cache/weft: 5 convolutions"), std::string::npos);
  EXPECT_NE(weft({"cache", "clear"}).out.find("5 convolutions"), std::string::npos);
  EXPECT_EQ(result("d"), without);
  EXPECT_EQ(err_.find("cache"), std::string::npos) << err_;
}

TEST_F(Cache, IsWhereTheOptionOrTheEnvironmentSays) {
  result("a", {"--cache", "here"});
  EXPECT_FALSE(fs::is_empty(dir_.path() / "here"));
  EXPECT_EQ(weft({"run", "two.yaml", "--no-save"}, {"WEFT_CACHE=none"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(dir_.path() / ".cache"));
  weft({"run", "two.yaml", "--no-save"}, {"XDG_CACHE_HOME=" + (dir_.path() / "xdg").string()});
  EXPECT_FALSE(fs::is_empty(dir_.path() / "xdg" / "weft"));
  weft({"run", "two.yaml", "--no-save"}, {"WEFT_CACHE=" + (dir_.path() / "other").string()});
  EXPECT_FALSE(fs::is_empty(dir_.path() / "other"));
}

TEST_F(Cache, ServesEveryCommandThatSimulates) {
  result("a");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"explain", "two.yaml", "--no-save", "--search-batch", "2"},
        std::vector<std::string>{"run", "two.yaml", "--no-save", "--only", "b"}}) {
    const test::Outcome outcome = weft(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("were simulated before"), std::string::npos) << command[0] << outcome.err;
  }
}

TEST_F(Cache, IsNotUsedWhereSomethingIsVerified) {
  result("a");
  result("b", {"--verify", "1"});
  EXPECT_EQ(err_.find("simulated before"), std::string::npos) << err_;
}

TEST_F(Cache, ThatIsDamagedOrCannotBeWrittenCostsTimeAlone) {
  const std::string without = result("a", {"--no-cache"});
  result("b");
  for (const fs::directory_entry& entry : fs::directory_iterator(dir_.path() / ".cache" / "weft")) {
    std::ofstream(entry.path(), std::ios::binary | std::ios::in | std::ios::out).write("xxxxxxxxxxxxxxxxxxxxx", 21);
  }
  EXPECT_EQ(result("c"), without);
  EXPECT_EQ(err_.find("simulated before"), std::string::npos) << err_;
  EXPECT_EQ(result("d"), without);
  EXPECT_NE(err_.find("5 of 5"), std::string::npos) << "what was damaged is replaced: " << err_;
  dir_.write("file", "");
  const test::Outcome outcome =
      weft({"run", "two.yaml", "--no-save"}, {"WEFT_CACHE=" + (dir_.path() / "file").string()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("the cache keeps nothing of this"), std::string::npos) << outcome.err;
}

// Ended at some moment, and by others at the same time: what is left is whole.
TEST_F(Cache, SurvivesKillAndOthersBeside) {
  const std::string without = result("a", {"--no-cache"});
  for (int milliseconds = 1; milliseconds < 200; milliseconds += 20) {
    std::vector<int> running;
    for (int i = 0; i < 3; ++i) {
      const test::Program program{
          WEFT_BINARY, {"run", "two.yaml", "--no-save", "--cache", "shared"}, dir_.path(), {}, true};
      running.push_back(test::spawn(program, "/dev/null", "/dev/null"));
    }
    ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
    for (const int pid : running) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    EXPECT_EQ(result("b", {"--cache", "shared"}), without) << milliseconds;
  }
}

TEST_F(Cache, RefusesWhatContradictsItself) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "two.yaml", "--no-cache", "--cache", "x"},
        std::vector<std::string>{"run", "two.yaml", "--cache", "two.yaml"},
        std::vector<std::string>{"cache", "purge"}}) {
    const test::Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments.back();
    EXPECT_NE(outcome.err.find("weft: error: "), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace weft

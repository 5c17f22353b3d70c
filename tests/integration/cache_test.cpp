// weft's cache from the command line.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRun =
    "name: two\nboard: u250\nkernel: {extends: fpgpt-8x8-hls}\nbatch: 2\nrung: exact\nnetwork:\n  layers:\n"
    "    - {name: a, channels: 3, h: 28, w: 28, filters: 8, kernel: 5, pad: 2}\n"
    "    - {name: b, channels: 16, h: 14, w: 14, filters: 16, groups: 4, kernel: 3, pad: 1}\n";

class Cache : public test::WeftTest {
 protected:
  // Runs weft as a user whose home is the test's folder.
  Cache() {
    dir_.write("two.yaml", kRun);
    environment_ = {"HOME=" + dir_.path().string(), "XDG_CACHE_HOME=", "WEFT_CACHE="};
  }
  std::string result(const std::string& out, const std::vector<std::string>& more = {}) {
    err_ = ok(test::joined({"run", "two.yaml", "--out", out}, more)).err;
    return text(fs::path(out) / "result.json");
  }

  std::string err_;
};

TEST_F(Cache, LiesInTheUsersFolderAndChangesNoByteOfAResult) {
  const std::string without = result("a", {"--no-cache"});
  EXPECT_FALSE(test::has(err_, "cache"));
  EXPECT_FALSE(fs::exists(dir_.path() / ".cache"));
  EXPECT_EQ(result("b"), without);
  EXPECT_FALSE(test::has(err_, "cache"));
  EXPECT_EQ(result("c"), without);
  EXPECT_TRUE(test::has(
      err_, "weft: 5 of 5 convolutions read from the cache in " + (dir_.path() / ".cache" / "weft").string()));
  EXPECT_TRUE(test::has(weft({"cache"}).out, "/.cache/weft: 5 convolutions"));
  EXPECT_TRUE(test::has(weft({"cache", "clear"}).out, "5 convolutions"));
  EXPECT_EQ(result("d"), without);
  EXPECT_FALSE(test::has(err_, "cache"));
}

TEST_F(Cache, IsWhereTheOptionOrTheEnvironmentSays) {
  result("a", {"--cache", "here"});
  EXPECT_FALSE(fs::is_empty(dir_.path() / "here"));
  ok({"run", "two.yaml", "--no-save"}, {"WEFT_CACHE=none"});
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
    EXPECT_TRUE(test::has(ok(command).err, "read from the cache")) << command[0];
  }
}

TEST_F(Cache, IsNotUsedWhereSomethingIsVerified) {
  result("a");
  result("b", {"--verify", "1"});
  EXPECT_FALSE(test::has(err_, "read from the cache"));
}

TEST_F(Cache, ThatIsDamagedOrCannotBeWrittenCostsTimeAlone) {
  const std::string without = result("a", {"--no-cache"});
  result("b");
  for (const fs::directory_entry& entry : fs::directory_iterator(dir_.path() / ".cache" / "weft")) {
    std::ofstream(entry.path(), std::ios::binary | std::ios::in | std::ios::out).write("xxxxxxxxxxxxxxxxxxxxx", 21);
  }
  EXPECT_EQ(result("c"), without);
  EXPECT_FALSE(test::has(err_, "read from the cache"));
  EXPECT_EQ(result("d"), without);
  EXPECT_TRUE(test::has(err_, "5 of 5")) << "what was damaged is replaced: ";
  dir_.write("file", "");
  const test::Outcome outcome = ok({"run", "two.yaml", "--no-save"}, {"WEFT_CACHE=" + (dir_.path() / "file").string()});
  EXPECT_TRUE(test::has(outcome.err, "these convolutions are not cached"));
}

// Runs are killed at random times while others use the cache: every remaining entry is complete.
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

}  // namespace
}  // namespace weft

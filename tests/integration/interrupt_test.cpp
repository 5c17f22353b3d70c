#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include "tests/support/weft_test.h"

// The same command continues a run that was interrupted or killed: finished convolutions come from the cache.
namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Background;
using test::Outcome;

// Units of very different lengths; two of two groups; some units are equal.
constexpr const char* kRun = R"(
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: a, channels: 3, h: 24, w: 23, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: b, channels: 8, h: 12, w: 12, filters: 12, kernel: 3, pad: 1, groups: 2},
                   {name: c, channels: 12, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: d, channels: 16, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: e, channels: 16, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: f, channels: 16, h: 12, w: 12, filters: 24, kernel: 1}]}
batch: 2
rung: systemc
)";

using Files = std::map<std::string, std::string>;

class Interrupt : public test::WeftTest {
 protected:
  void SetUp() override { dir_.write("r.yaml", kRun); }

  // Runs into r. The suite has WEFT_CACHE=none: no cache unless `more` names one.
  static std::vector<std::string> run(const std::vector<std::string>& more = {}) {
    return test::joined({"run", "r.yaml", "--out", "r"}, more);
  }
  Outcome signalled(const std::vector<std::string>& arguments, std::chrono::duration<double> after, int signal) const {
    Background running(WEFT_BINARY, arguments, dir_.path());
    std::this_thread::sleep_for(after);
    running.signal(signal);
    return running.wait();
  }
  Files files(const std::string& name) const {
    Files all;
    for (const auto& each : fs::directory_iterator(dir_.path() / name)) {
      all[each.path().filename().string()] = test::read_text_file(each.path());
    }
    return all;
  }
  bool there(const fs::path& path) const { return fs::exists(dir_.path() / path); }
  void remove(const fs::path& path) const { fs::remove_all(dir_.path() / path); }
  bool has_entries() const {
    std::error_code none;
    const fs::directory_iterator all(dir_.path() / "cache", none);
    return std::any_of(begin(all), end(all), [](const auto& each) { return each.path().extension() == ".row"; });
  }
  // Returns the whole result of a run without a cache, and removes it.
  Files whole(const std::vector<std::string>& more = {"--workers", "1"}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = weft(run(more));
    took_ = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Files all = files("r");
    remove("r");
    return all;
  }
  // Returns the errors of a command that was interrupted when some, not all, of its convolutions were finished. An
  // attempt that was too late restores r.
  std::string interrupted(const std::vector<std::string>& arguments) const {
    const bool earlier = there("r");
    if (earlier) fs::copy(dir_.path() / "r", dir_.path() / "earlier");
    for (double share = 0.6;; share = share < 0.1 ? 0.9 : share * 0.97) {
      remove("cache");
      const Outcome outcome = signalled(arguments, share * took_, SIGINT);
      if (outcome.exit_code == 0) {
        remove("r");
        if (earlier) fs::copy(dir_.path() / "earlier", dir_.path() / "r");
      }
      if (outcome.exit_code != 130 || outcome.err.find("interrupted with ") == std::string::npos) continue;
      if (outcome.err.find("interrupted with 0 of") == std::string::npos) return outcome.err;
    }
  }

  std::chrono::duration<double> took_{};  // duration of whole()
};

const std::vector<std::string> kCached{"--workers", "1", "--cache", "cache"};

// Also for SIGKILL, which cannot be handled.
TEST_F(Interrupt, AtAnyMomentTheSameCommandGoesOnToTheSameBytes) {
  int went_on = 0;
  for (const char* workers : {"1", "2", "5"}) {
    const std::vector<std::string> command = run({"--cache", "cache", "--workers", workers});
    const Files expected = whole({"--workers", workers});
    ASSERT_EQ(expected.size(), 3U);
    for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
      for (const double share : {0.0, 0.6, 0.9}) {
        remove("r");
        remove("cache");
        Outcome outcome = signalled(command, share * took_, signal);
        if (outcome.exit_code == 0) continue;  // the run was complete
        ASSERT_EQ(outcome.exit_code, 128 + signal) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_FALSE(there("r")) << "nothing of a result";
        if (signal != SIGKILL && !outcome.err.empty()) {
          EXPECT_TRUE(test::has(outcome.err, " of 17 convolutions finished; the same command continues\n"));
        }
        const bool kept = has_entries();
        outcome = weft(command);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(files("r") == expected) << "signal " << signal << " at " << share << ", " << workers << " workers";
        if (!kept) continue;
        ++went_on;
        EXPECT_TRUE(test::has(outcome.err, " of 17 convolutions read from the cache"));
      }
    }
  }
  EXPECT_GT(went_on, 0);
}

TEST_F(Interrupt, OnlyWhatIsMissingIsSimulated) {
  const Files expected = whole();
  const std::string says = interrupted(run(kCached));
  const std::size_t at = says.find("with ") + 5;
  const std::string finished = says.substr(at, says.find(" of 17") - at);
  const Outcome outcome = ok(run(kCached));
  EXPECT_TRUE(test::has(outcome.err, "weft: " + finished + " of 17 convolutions read from the cache")) << says;
  EXPECT_TRUE(files("r") == expected);
}

// A changed key, another rung or another mode reuses nothing.
TEST_F(Interrupt, OnlyTheSameRunGoesOn) {
  whole();
  interrupted(run(kCached));
  for (const std::vector<std::string>& change : {std::vector<std::string>{"--set", "kernel.array.x=8"},
                                                 {"--set", "batch=3"},
                                                 {"--set", "mode=data"},
                                                 {"--rung", "exact"}}) {
    const Outcome outcome = ok(test::joined(run(kCached), change));
    EXPECT_FALSE(test::has(outcome.err, "read from the cache")) << change.back();
  }
}

TEST_F(Interrupt, ADamagedEntryIsSimulatedAgain) {
  const Files expected = whole();
  interrupted(run(kCached));
  for (const auto& entry : fs::directory_iterator(dir_.path() / "cache")) {
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-20, std::ios::end);
    file.write("x", 1);
  }
  const Outcome outcome = ok(run(kCached));
  EXPECT_FALSE(test::has(outcome.err, "read from the cache"));
  EXPECT_TRUE(files("r") == expected);
}

// In data mode, with random numbers for each convolution.
TEST_F(Interrupt, ARunWithDataGoesOn) {
  const std::vector<std::string> command = test::joined(run(kCached), {"--set", "mode=data"});
  const Files expected = whole({"--workers", "1", "--set", "mode=data"});
  interrupted(command);
  const Outcome outcome = weft(command);
  EXPECT_TRUE(test::has(outcome.err, "read from the cache"));
  EXPECT_TRUE(files("r") == expected);
  EXPECT_FALSE(test::has(ok(test::joined(command, {"--set", "seed=77"})).err, "read from the cache"));
}

TEST_F(Interrupt, ItHasTheActivityOfAllItsConvolutions) {
  const Files expected = whole({"--workers", "1", "--activity", "a.csv"});
  const std::string activity = text("a.csv");
  whole();
  const std::vector<std::string> command = test::joined(run(kCached), {"--activity", "a.csv"});
  interrupted(command);
  ok(command);
  EXPECT_TRUE(files("r") == expected);
  EXPECT_TRUE(text("a.csv") == activity);
}

TEST_F(Interrupt, LeavesAnEarlierResultAsItWas) {
  whole();
  weft(run());
  const Files earlier = files("r");
  interrupted(run(kCached));
  EXPECT_TRUE(files("r") == earlier);
}

TEST_F(Interrupt, SaysWhereTheSameCommandStartsAnew) {
  whole();
  dir_.write("file", "");
  for (const auto& [more, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "there is no cache"},  // WEFT_CACHE=none
           {{"--no-cache"}, "there is no cache"},
           {{"--cache", "file/folder"}, "the cache cannot be written"},
           {{"--cache", "cache", "--waves", "w.fst"}, "no cache is used with --waves"}}) {
    const std::string says = interrupted(run(test::joined({"--workers", "1"}, more)));
    EXPECT_TRUE(test::has(says, why + ", so the same command starts from the beginning\n"));
    EXPECT_FALSE(there("r"));
  }
}

}  // namespace
}  // namespace weft

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/background.h"

// The same command goes on with a run that was interrupted or killed: finished convolutions come from the cache.
namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Background;
using test::Outcome;

// Units of very different lengths, two in two groups, equal ones among them.
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

class Interrupt : public testing::Test {
 protected:
  void SetUp() override { folder_.write("r.yaml", kRun); }

  // Into r. The suite has WEFT_CACHE=none: without a cache unless `more` names one.
  static std::vector<std::string> run(const std::vector<std::string>& more = {}) {
    return test::joined({"run", "r.yaml", "--out", "r"}, more);
  }
  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, folder_.path());
  }
  Outcome signalled(const std::vector<std::string>& arguments, std::chrono::duration<double> after, int signal) const {
    Background running(WEFT_BINARY, arguments, folder_.path());
    std::this_thread::sleep_for(after);
    running.signal(signal);
    return running.wait();
  }
  Files files(const std::string& name) const {
    Files all;
    for (const auto& each : fs::directory_iterator(folder_.path() / name)) {
      all[each.path().filename().string()] = test::read_text_file(each.path());
    }
    return all;
  }
  bool there(const fs::path& path) const { return fs::exists(folder_.path() / path); }
  void remove(const fs::path& path) const { fs::remove_all(folder_.path() / path); }
  bool has_entries() const {
    std::error_code none;
    const fs::directory_iterator all(folder_.path() / "cache", none);
    return std::any_of(begin(all), end(all), [](const auto& each) { return each.path().extension() == ".row"; });
  }
  // The whole result, without a cache: it is gone afterwards.
  Files whole(const std::vector<std::string>& more = {"--workers", "1"}) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = weft(run(more));
    took_ = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Files all = files("r");
    remove("r");
    return all;
  }
  // The errors of a command that was interrupted when some of its convolutions, and not all, were finished. A try that
  // came too late leaves r as it was before.
  std::string interrupted(const std::vector<std::string>& arguments) const {
    const bool earlier = there("r");
    if (earlier) fs::copy(folder_.path() / "r", folder_.path() / "earlier");
    for (double share = 0.6;; share = share < 0.1 ? 0.9 : share * 0.97) {
      remove("cache");
      const Outcome outcome = signalled(arguments, share * took_, SIGINT);
      if (outcome.exit_code == 0) {
        remove("r");
        if (earlier) fs::copy(folder_.path() / "earlier", folder_.path() / "r");
      }
      if (outcome.exit_code != 130 || outcome.err.find("interrupted with ") == std::string::npos) continue;
      if (outcome.err.find("interrupted with 0 of") == std::string::npos) return outcome.err;
    }
  }

  test::TemporaryDirectory folder_;
  std::chrono::duration<double> took_{};  // by whole()
};

const std::vector<std::string> kCached{"--workers", "1", "--cache", "cache"};

// SIGKILL too, which nothing can answer.
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
        if (outcome.exit_code == 0) continue;  // it was done
        ASSERT_EQ(outcome.exit_code, 128 + signal) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_FALSE(there("r")) << "nothing of a result";
        if (signal != SIGKILL && !outcome.err.empty()) {
          EXPECT_NE(outcome.err.find(" of 17 convolutions finished; the same command goes on\n"), std::string::npos)
              << outcome.err;
        }
        const bool kept = has_entries();
        outcome = weft(command);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(files("r") == expected) << "signal " << signal << " at " << share << ", " << workers << " workers";
        if (!kept) continue;
        ++went_on;
        EXPECT_NE(outcome.err.find(" of 17 convolutions were simulated before"), std::string::npos) << outcome.err;
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
  const Outcome outcome = weft(run(kCached));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("weft: " + finished + " of 17 convolutions were simulated before"), std::string::npos)
      << says << outcome.err;
  EXPECT_TRUE(files("r") == expected);
}

// A changed key, another rung or another mode takes nothing of it.
TEST_F(Interrupt, OnlyTheSameRunGoesOn) {
  whole();
  interrupted(run(kCached));
  for (const std::vector<std::string>& change : {std::vector<std::string>{"--set", "kernel.array.x=8"},
                                                 {"--set", "batch=3"},
                                                 {"--set", "mode=data"},
                                                 {"--rung", "exact"}}) {
    const Outcome outcome = weft(test::joined(run(kCached), change));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("simulated before"), std::string::npos) << change.back() << outcome.err;
  }
}

TEST_F(Interrupt, ADamagedEntryIsSimulatedAgain) {
  const Files expected = whole();
  interrupted(run(kCached));
  for (const auto& entry : fs::directory_iterator(folder_.path() / "cache")) {
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-20, std::ios::end);
    file.write("x", 1);
  }
  const Outcome outcome = weft(run(kCached));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("simulated before"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files("r") == expected);
}

// With its data: random numbers of each convolution's own.
TEST_F(Interrupt, ARunWithDataGoesOn) {
  const std::vector<std::string> command = test::joined(run(kCached), {"--set", "mode=data"});
  const Files expected = whole({"--workers", "1", "--set", "mode=data"});
  interrupted(command);
  const Outcome outcome = weft(command);
  EXPECT_NE(outcome.err.find("simulated before"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files("r") == expected);
  const Outcome seeded = weft(test::joined(command, {"--set", "seed=77"}));
  EXPECT_EQ(seeded.exit_code, 0) << seeded.err;
  EXPECT_EQ(seeded.err.find("simulated before"), std::string::npos) << seeded.err;
}

TEST_F(Interrupt, ItHasTheActivityOfAllItsConvolutions) {
  const Files expected = whole({"--workers", "1", "--activity", "a.csv"});
  const std::string activity = test::read_text_file(folder_.path() / "a.csv");
  whole();
  const std::vector<std::string> command = test::joined(run(kCached), {"--activity", "a.csv"});
  interrupted(command);
  EXPECT_EQ(weft(command).exit_code, 0);
  EXPECT_TRUE(files("r") == expected);
  EXPECT_TRUE(test::read_text_file(folder_.path() / "a.csv") == activity);
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
  folder_.write("file", "");
  for (const auto& [more, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "there is no cache"},  // WEFT_CACHE=none
           {{"--no-cache"}, "there is no cache"},
           {{"--cache", "file/folder"}, "the cache cannot be written"},
           {{"--cache", "cache", "--waves", "w.fst"}, "no cache is used with --waves"}}) {
    const std::string says = interrupted(run(test::joined({"--workers", "1"}, more)));
    EXPECT_NE(says.find(why + ", so that the same command starts anew\n"), std::string::npos) << says;
    EXPECT_FALSE(there("r"));
  }
}

// Earlier versions kept an interrupted run in its result's folder.
TEST_F(Interrupt, RefusesAFolderThatAnEarlierVersionLeft) {
  fs::create_directory(folder_.path() / "r");
  folder_.write("r/config.yaml", "name: old\n");
  folder_.write("r/incomplete.json", "{\"code_version\": \"1\"}\n");
  const Files old = files("r");
  for (const std::vector<std::string>& command : {run(), {"show", "r"}, {"compare", "r", "r"}}) {
    const Outcome outcome = weft(command);
    EXPECT_EQ(outcome.exit_code, 2) << command.front();
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(files("r") == old);
  }
}

}  // namespace
}  // namespace weft

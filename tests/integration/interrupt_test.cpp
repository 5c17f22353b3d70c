#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/background.h"

// A run that is interrupted keeps what is done, and goes on to the same result.
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

  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, folder_.path());
  }
  static std::vector<std::string> run(const std::vector<std::string>& more) {
    return test::joined({"run", "r.yaml"}, more);
  }
  Files files(const std::string& name) const {
    Files all;
    for (const auto& each : fs::directory_iterator(folder_.path() / name)) {
      all[each.path().filename().string()] = test::read_text_file(each.path());
    }
    return all;
  }
  bool there(const fs::path& path) const { return fs::exists(folder_.path() / path); }
  // The whole result as `name`; what it took.
  std::chrono::duration<double> whole(const std::string& name, const std::vector<std::string>& more = {}) const {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = weft(test::joined(run({"--out", name}), more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return std::chrono::steady_clock::now() - start;
  }
  Outcome signalled(const std::vector<std::string>& arguments, std::chrono::duration<double> after, int signal) const {
    Background running(WEFT_BINARY, arguments, folder_.path());
    std::this_thread::sleep_for(after);
    running.signal(signal);
    return running.wait();
  }
  // An interrupted run as `name`, with some convolutions finished.
  void interrupt(const std::string& name, std::chrono::duration<double> took) const {
    for (double share = 0.5; !there(fs::path(name) / "convolutions.csv"); share *= 0.97) {
      fs::remove_all(folder_.path() / name);
      signalled(run({"--out", name, "--workers", "1"}), share * took, SIGINT);
    }
    ASSERT_TRUE(there(fs::path(name) / "incomplete.json"));
  }

  test::TemporaryDirectory folder_;
};

TEST_F(Interrupt, AtAnyMomentTheRunGoesOnToTheSameBytes) {
  int kept = 0;
  for (const char* workers : {"1", "2", "5"}) {
    const auto took = whole("r", {"--workers", workers});
    const Files expected = files("r");
    ASSERT_EQ(expected.size(), 3U);
    for (const double share : {0.0, 0.3, 0.5, 0.7, 0.9}) {
      fs::remove_all(folder_.path() / "r");
      const int signal = share < 0.5 ? SIGINT : SIGTERM;
      Outcome outcome = signalled(run({"--out", "r", "--workers", workers}), share * took, signal);
      Files earlier;
      while (outcome.exit_code != 0) {
        ASSERT_EQ(outcome.exit_code, 128 + signal) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        if (!there("r")) {  // before anything was done, or before it listened
          outcome = weft(run({"--out", "r", "--workers", workers}));
          continue;
        }
        EXPECT_FALSE(there("r/result.json"));
        EXPECT_TRUE(there("r/incomplete.json"));
        const bool listened = !outcome.err.empty();
        if (listened) {
          EXPECT_NE(outcome.err.find("go on with: weft run --resume 'r'\n"), std::string::npos) << outcome.err;
        }
        const Files now = files("r");
        if (now == earlier || !listened) {  // too early to finish more
          EXPECT_EQ(now, earlier);
          outcome = weft({"run", "--resume", "r"});
          continue;
        }
        earlier = now;
        ++kept;
        outcome = signalled({"run", "--resume", "r", "--workers", "2"}, 0.6 * took, signal);
      }
      EXPECT_EQ(files("r"), expected) << "interrupted at " << share << " of " << workers << " workers";
      EXPECT_EQ(folder_.listing().size(), 5U) << "nothing else is left behind";
    }
    fs::remove_all(folder_.path() / "r");
  }
  EXPECT_GT(kept, 0);
}

TEST_F(Interrupt, WhatIsKeptAreRowsOfTheWholeResult) {
  const auto took = whole("whole");
  interrupt("part", took);
  const Files all = files("whole");
  const Files part = files("part");
  std::istringstream rows(part.at("convolutions.csv"));
  std::string line;
  int count = -1;  // the first line names the columns
  for (; std::getline(rows, line); ++count) {
    EXPECT_NE(all.at("convolutions.csv").find(line + "\n"), std::string::npos) << line;
  }
  EXPECT_GT(count, 0);
  const std::string says = std::to_string(count) + " of 17 convolutions; weft run --resume 'part' goes on";
  const Outcome compared = weft({"compare", "part", "whole"});
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_NE(compared.err.find(says), std::string::npos) << compared.err;
  EXPECT_NE(weft({"show", "part"}).out.find(says), std::string::npos);
  EXPECT_NE(weft({"show", "."}).out.find("run, interrupted"), std::string::npos);
}

// Counted when all convolutions are there, of those too that were finished before.
TEST_F(Interrupt, AResumedRunHasTheActivityOfAllItsConvolutions) {
  const auto took = whole("plain", {"--workers", "1"});
  whole("whole", {"--workers", "1", "--activity", "whole.csv"});
  Outcome outcome;
  for (double share = 0.5; !there("part/incomplete.json"); share *= 0.97) {
    fs::remove_all(folder_.path() / "part");
    outcome = signalled(run({"--out", "part", "--workers", "1", "--activity", "part.csv"}), share * took, SIGINT);
  }
  EXPECT_NE(outcome.err.find("weft run --resume 'part' --activity 'part.csv'\n"), std::string::npos) << outcome.err;
  outcome = weft({"run", "--resume", "part", "--activity", "part.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Files part = files("part"), all = files("whole");
  for (const char* file : {"activity.csv", "result.json", "convolutions.csv"}) {
    EXPECT_TRUE(part.at(file) == all.at(file)) << file;
  }
  EXPECT_EQ(part.size(), all.size());
  EXPECT_EQ(test::read_text_file(folder_.path() / "part.csv"), test::read_text_file(folder_.path() / "whole.csv"));
}

TEST_F(Interrupt, DoesNotTakeAnEarlierResultAway) {
  const auto took = whole("r", {"--workers", "1"});
  const Files earlier = files("r");
  Outcome outcome;
  for (double share = 0.5; !there("r.interrupted"); share *= 0.97) {
    outcome = signalled(run({"--out", "r", "--workers", "1"}), share * took, SIGINT);
  }
  EXPECT_NE(outcome.err.find("weft run --resume 'r.interrupted'"), std::string::npos) << outcome.err;
  EXPECT_EQ(files("r"), earlier);
  fs::remove(folder_.path() / "r/convolutions.csv");
  EXPECT_EQ(weft({"run", "--resume", "r.interrupted/"}).exit_code, 0);
  EXPECT_EQ(files("r"), earlier) << "the result is where it was to go";
  EXPECT_FALSE(there("r.interrupted"));
}

TEST_F(Interrupt, OnlyTheSameRunGoesOn) {
  interrupt("part", whole("whole"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const Outcome outcome = weft(test::joined({"run", "--resume"}, more));
    EXPECT_EQ(outcome.exit_code, 2) << why;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused({"whole"}, "'whole' is a whole result; weft show whole prints it");
  refused({"r.yaml"}, "'r.yaml' is no directory of an interrupted weft run");
  refused({"part", "r.yaml"}, "--resume goes on with the run as it was started");
  refused({"part", "--set", "batch=2"}, "--resume goes on with the run as it was started");
  const fs::path part = folder_.path() / "part";
  const Files kept = files("part");
  const auto changed = [&](const std::string& file, const std::string& from, const std::string& to) {
    std::string text = kept.at(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(part / file) << text.replace(at, from.size(), to);
  };
  changed("config.yaml", "batch: 2", "batch: 5");
  refused({"part"}, "'part/config.yaml' was changed after the run was interrupted; start it anew");
  std::ofstream(part / "config.yaml") << kept.at("config.yaml");
  changed("incomplete.json", "\"code_version\":\"", "\"code_version\":\"9");
  refused({"part"}, "was simulated by weft 9");
  changed("incomplete.json", "\"work\":\"", "\"work\":\"9");
  refused({"part"}, "its network is not the one that was simulated");
  changed("incomplete.json", "\"words\":[", "\"words\":[1,");
  refused({"part"}, "words of a unit, not");
  changed("incomplete.json", "\"units\":[", "\"units\":{");
  refused({"part"}, "incomplete.json: is not as weft run wrote it");
  std::ofstream(part / "incomplete.json") << kept.at("incomplete.json");
  EXPECT_EQ(weft({"run", "--resume", "part"}).exit_code, 0);
}

TEST_F(Interrupt, KilledWhileItKeepsWhatIsDoneNothingIsHalfWritten) {
  const auto took = whole("r", {"--workers", "1"});
  const Files expected = files("r");
  for (int i = 0; i < 10; ++i) {
    fs::remove_all(folder_.path() / "r");
    Background running(WEFT_BINARY, run({"--out", "r", "--workers", "1"}), folder_.path());
    std::this_thread::sleep_for(0.7 * took);
    running.signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::microseconds(700 * i));
    running.signal(SIGKILL);
    running.wait();
    if (there("r/result.json") || !there("r")) continue;  // it was done, or killed before the rename
    EXPECT_EQ(weft({"run", "--resume", "r"}).exit_code, 0);
    EXPECT_EQ(files("r"), expected);
  }
}

TEST_F(Interrupt, ARunThatSavesNothingKeepsNothing) {
  const auto took = whole("whole");
  const Outcome outcome = signalled(run({"--no-save", "--set", "batch=64"}), took, SIGINT);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(folder_.listing().size(), 5U);
  EXPECT_NE(outcome.err.find("--no-save keeps nothing"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft

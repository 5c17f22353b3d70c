#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft::test {

// A test that starts weft in its own empty directory.
class WeftTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  // `program`: another program that takes the arguments of weft.
  explicit WeftTest(std::string program = WEFT_BINARY) : program_(std::move(program)) {}

  Outcome weft(const Words& arguments, const Words& environment = {}) const {
    return run_program(program_, arguments, dir_.path(), "", joined(environment_, environment));
  }
  // Runs weft and expects exit code 0.
  Outcome ok(const Words& arguments, const Words& environment = {}) const {
    Outcome outcome = weft(arguments, environment);
    EXPECT_EQ(outcome.exit_code, 0) << testing::PrintToString(arguments) << outcome.err;
    return outcome;
  }
  // Returns the command with a --set before each of `sets`.
  static Words with(Words command, const Words& sets) {
    for (const std::string& set : sets) command = joined(command, {"--set", set});
    return command;
  }
  // Returns the output of a command with --format json; an empty object if the command fails.
  nlohmann::json json_of(const Words& arguments) const {
    const Outcome outcome = ok(joined(arguments, {"--format", "json"}));
    return outcome.exit_code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json::object();
  }
  // Expects exit code 2, no output, and one line of error that contains `text`. Returns that line.
  std::string refused(const Words& arguments, const std::string& text = "") const {
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(has(outcome.err, text));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  }

  // Compares the convolutions of two results in these keys.
  static void expect_same(const nlohmann::json& a, const nlohmann::json& b,
                          const Words& keys = {"cycles", "limiter", "blocks", "memory", "pe_cycles", "data"}) {
    ASSERT_FALSE(a.empty());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (const std::string& key : keys)
        EXPECT_EQ(a[i].value(key, nlohmann::json()), b[i].value(key, nlohmann::json())) << i << key;
    }
  }

  std::string text(const std::filesystem::path& path) const { return read_text_file(dir_.path() / path); }
  // Returns result.json of a folder of results.
  nlohmann::json result(const std::filesystem::path& folder) const {
    return nlohmann::json::parse(text(folder / "result.json"));
  }
  void change(const std::filesystem::path& path, const std::string& from, const std::string& to) const {
    std::string all = text(path);
    const std::size_t at = all.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(dir_.path() / path) << all.replace(at, from.size(), to);
  }

  const TemporaryDirectory dir_;
  const std::string program_;
  Words environment_;  // "NAME=VALUE"
};

}  // namespace weft::test

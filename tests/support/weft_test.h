#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft::test {

// A test that starts weft in its own empty directory.
class WeftTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  Outcome weft(const Words& arguments, const Words& environment = {}) const {
    return run_program(WEFT_BINARY, arguments, dir_.path(), environment);
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

  std::string text(const std::filesystem::path& path) const { return read_text_file(dir_.path() / path); }

  const TemporaryDirectory dir_;
};

}  // namespace weft::test

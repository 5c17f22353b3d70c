// weft train from the command line to its result.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using nlohmann::json;

constexpr const char* kFp32 =
    "run: resnet20-u250\nset: {batch: 128, rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n";

class Train : public ::testing::Test {
 protected:
  test::Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, dir_.path());
  }
  std::string printed(const std::vector<std::string>& arguments) const {
    const test::Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  json train(const std::vector<std::string>& more) const {
    const std::string text = printed(test::joined({"train"}, test::joined(more, {"--no-save", "--format", "json"})));
    return text.empty() ? json() : json::parse(text);
  }
  test::TemporaryDirectory dir_;
};

// In FP32 alone nothing is left but the timeline: 45 epochs of ceil(50000 / 128) = 391 iterations, each as weft
// timeline has it, and 150 epochs of them are 150 / 45 times the hours.
TEST_F(Train, TakesTheIterationOfTheTimeline) {
  dir_.write("t.yaml", kFp32);
  const json saved = train({"t.yaml"});
  const json iteration = json::parse(printed(
      {"timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=128", "--no-save", "--format", "json"}));
  const double seconds = iteration.at("iteration_seconds");
  EXPECT_EQ(saved.at("setups").size(), 1U);
  EXPECT_EQ(saved.at("setups")[0].at("iteration_seconds"), seconds);
  EXPECT_EQ(saved.at("setups")[0].at("loads"), iteration.at("loads").at("count"));
  EXPECT_EQ(saved.at("epochs").size(), 45U);
  EXPECT_EQ(saved.at("iterations_per_epoch"), 391);
  EXPECT_NEAR(saved.at("hours").get<double>(), 45 * 391 * seconds / 3600, 1e-6);
  EXPECT_NEAR(saved.at("speedup").get<double>(), 150.0 / 45, 1e-9);
}

// Of the convolutions alone: the cycles of weft run at its clock.
TEST_F(Train, TakesTheCyclesOfTheRun) {
  dir_.write("t.yaml", kFp32);
  const json saved = train({"t.yaml", "--set", "train.time=convolutions"});
  const json run = json::parse(
      printed({"run", "resnet20-u250", "--rung", "analytical", "--set", "batch=128", "--no-save", "--format", "json"}));
  const std::int64_t cycles = run.at("totals").at("network").at("cycles");
  EXPECT_EQ(saved.at("setups")[0].at("cycles"), cycles);
  EXPECT_NEAR(saved.at("hours").get<double>(), 45.0 * 391 * static_cast<double>(cycles) / 100e6 / 3600, 1e-6);
}

TEST_F(Train, ShowsWhatItSavedAndReadsItsOwnConfiguration) {
  dir_.write("t.yaml", kFp32);
  const std::string text = printed({"train", "t.yaml", "--out", "r"});
  const std::string shown = printed({"show", "./r"});
  EXPECT_EQ(text.substr(0, shown.size()), shown);
  EXPECT_EQ(printed({"show", "./r", "--format", "json"}),
            printed({"train", "t.yaml", "--no-save", "--format", "json"}));
  EXPECT_EQ(printed({"show", "./r", "--format", "csv"}), printed({"train", "t.yaml", "--no-save", "--format", "csv"}));
  EXPECT_EQ(printed({"train", "r/config.yaml", "--no-save"}), shown);
  printed({"report", "./r"});
}

}  // namespace
}  // namespace weft

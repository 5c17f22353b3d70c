// weft host-profile as a user meets it: what it measures, what it writes, and that weft takes it again. The first of
// the tests to run compiles the runner.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

using Json = nlohmann::json;

test::Outcome weft_in(const test::TemporaryDirectory& dir, const std::vector<std::string>& arguments) {
  return test::run_program(WEFT_BINARY, arguments, dir.path());
}

std::multiset<std::string> names_of(const Json& operators) {
  std::multiset<std::string> names;
  for (const Json& each : operators) {
    if (each.at("class") != "view" && each.at("class") != "convolution") names.insert(each.at("operator"));
  }
  return names;
}

TEST(HostProfile, MeasuresEveryHostOperatorAndWritesAHost) {
  const test::TemporaryDirectory dir;
  const test::Outcome profile = weft_in(dir, {"host-profile", "resnet20", "--batch", "2", "--repeat", "1", "--threads",
                                              "1", "--out", "mine.yaml", "--format", "json"});
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const Json measured = Json::parse(profile.out);
  const test::Outcome training = weft_in(dir, {"show", "resnet20", "--training", "--batch", "2", "--format", "json"});
  ASSERT_EQ(training.exit_code, 0) << training.err;
  const auto wanted = names_of(Json::parse(training.out).at("operators"));
  EXPECT_GT(wanted.size(), 100U);
  EXPECT_EQ(names_of(measured.at("operators")), wanted);
  for (const Json& each : measured.at("operators")) {
    EXPECT_GT(each.at("ns"), 0) << each;
    EXPECT_EQ(each.at("plain_loop"), each.at("kernel") == "plain loop") << each;
  }

  // As a host of its own, and as that of a run.
  const test::Outcome shown = weft_in(dir, {"show", "mine.yaml"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("measured   " + std::to_string(wanted.size()) + " operators"), std::string::npos)
      << shown.out;
  const test::Outcome run = weft_in(dir, {"show", "resnet20-u250", "--set", "host=mine.yaml", "--yaml"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("plain loop"), std::string::npos);
  // And as what the next profile starts from: another batch stands beside it, this one in its place.
  for (const char* batch : {"1", "2"}) {
    const test::Outcome again = weft_in(dir, {"host-profile", "resnet20", "--batch", batch, "--repeat", "1",
                                              "--threads", "1", "--host", "mine.yaml", "--out", "mine.yaml"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
  }
  EXPECT_NE(
      weft_in(dir, {"show", "mine.yaml"}).out.find("measured   " + std::to_string(2 * wanted.size()) + " operators"),
      std::string::npos);
}

TEST(HostProfile, MeasuresTheMatricesOfAHostThatCutsTiles) {
  const test::TemporaryDirectory dir;
  const test::Outcome profile =
      weft_in(dir, {"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1", "--threads", "1", "--matrices",
                    "16x16x64", "--out", "mine.yaml", "--format", "json"});
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const Json matrices = Json::parse(profile.out).at("matrices");
  EXPECT_EQ(matrices.at("tile_size"), (Json{16, 16, 64}));
  // A word costs what was measured, to the picosecond, in an iteration on that host, and is no assumption.
  const test::Outcome timeline = weft_in(dir, {"timeline", "resnet20-barista", "--set", "network=alexnet_cifar10",
                                               "--set", "batch=1", "--set", "host=mine.yaml", "--format", "json"});
  ASSERT_EQ(timeline.exit_code, 0) << timeline.err;
  const test::Outcome shown = weft_in(dir, {"show", "mine.yaml", "--yaml"});
  for (const char* step : {"tile", "untile", "col2im"}) {
    const double ns = matrices.at(step).at("ns").get<double>() / matrices.at(step).at("words").get<double>();
    EXPECT_GT(ns, 0) << step;
    const std::string key = std::string("  ") + step + "_ns: ";
    const std::size_t at = shown.out.find(key);
    ASSERT_NE(at, std::string::npos) << shown.out;
    EXPECT_NEAR(std::stod(shown.out.substr(at + key.size())), ns, 0.00051) << step;
  }
  EXPECT_EQ(shown.out.find("  - matrices"), std::string::npos) << shown.out;
  EXPECT_EQ(timeline.out.find("\"matrices"), std::string::npos);
}

TEST(HostProfile, MeasuresWhatWordsOfFixedPointTake) {
  const test::TemporaryDirectory dir;
  const test::Outcome profile = weft_in(dir, {"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1",
                                              "--threads", "1", "--out", "mine.yaml", "--format", "json"});
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const Json quantiser = Json::parse(profile.out).at("quantiser");
  const std::string shown = weft_in(dir, {"show", "mine.yaml", "--yaml"}).out;
  for (const std::string key : {"quantise_ns", "dequantise_ns"}) {
    const double ns = quantiser.at(key).get<double>() / quantiser.at("words").get<double>();
    EXPECT_GT(ns, 0) << key;
    const std::size_t at = shown.find("  " + key + ": ");
    ASSERT_NE(at, std::string::npos) << shown;
    EXPECT_NEAR(std::stod(shown.substr(at + key.size() + 4)), ns, 0.00051) << key;
  }
  EXPECT_EQ(shown.find("  - quantiser"), std::string::npos) << shown;
}

TEST(HostProfile, IsTheSameFileButForTheTimes) {
  const test::TemporaryDirectory dir;
  std::string files[2];
  for (std::string& file : files) {
    const test::Outcome profile = weft_in(dir, {"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1",
                                                "--threads", "1", "--forward", "--convolutions"});
    ASSERT_EQ(profile.exit_code, 0) << profile.err;
    std::istringstream in(test::read_text_file(dir.path() / "results/host-alexnet_cifar10.yaml"));
    for (std::string line; std::getline(in, line);) {
      if (line.find("ns: ") == std::string::npos) file += line + "\n";
    }
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_NE(files[0].find("conv1 F"), std::string::npos) << files[0];
}

}  // namespace
}  // namespace weft

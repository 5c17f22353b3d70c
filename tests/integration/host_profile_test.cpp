// weft host-profile for users: its measurements, its output, and weft's use of the output. The first test to run
// compiles the runner.

#include <set>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::multiset<std::string> names_of(const Json& operators) {
  std::multiset<std::string> names;
  for (const Json& each : operators) {
    if (each.at("class") != "view" && each.at("class") != "convolution") names.insert(each.at("operator"));
  }
  return names;
}

using HostProfile = test::WeftTest;

TEST_F(HostProfile, MeasuresEveryHostOperatorAndWritesAHost) {
  const Json measured =
      json_of({"host-profile", "resnet20", "--batch", "2", "--repeat", "1", "--threads", "1", "--out", "mine.yaml"});
  const auto wanted = names_of(json_of({"show", "resnet20", "--training", "--batch", "2"}).at("operators"));
  EXPECT_GT(wanted.size(), 100U);
  EXPECT_EQ(names_of(measured.at("operators")), wanted);
  for (const Json& each : measured.at("operators")) {
    EXPECT_GT(each.at("ns"), 0) << each;
    EXPECT_EQ(each.at("plain_loop"), each.at("kernel") == "plain loop") << each;
  }

  // Read as a host, and as the host of a run.
  const std::string shown = ok({"show", "mine.yaml"}).out;
  EXPECT_TRUE(test::has(shown, "measured   " + std::to_string(wanted.size()) + " operators"));
  EXPECT_TRUE(test::has(ok({"show", "resnet20-u250", "--set", "host=mine.yaml", "--yaml"}).out, "plain loop"));
  // Read as the start of the next profile: another batch is added, this batch is replaced.
  for (const char* batch : {"1", "2"}) {
    ok({"host-profile", "resnet20", "--batch", batch, "--repeat", "1", "--threads", "1", "--host", "mine.yaml", "--out",
        "mine.yaml"});
  }
  EXPECT_TRUE(
      test::has(weft({"show", "mine.yaml"}).out, "measured   " + std::to_string(2 * wanted.size()) + " operators"));
}

TEST_F(HostProfile, MeasuresTheMatricesOfAHostThatCutsTiles) {
  const Json matrices = json_of({"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1", "--threads", "1",
                                 "--matrices", "16x16x64", "--out", "mine.yaml"})
                            .at("matrices");
  EXPECT_EQ(matrices.at("tile_size"), (Json{16, 16, 64}));
  // In an iteration on that host a word costs the measured time, to the picosecond, and is not an assumption.
  const test::Outcome timeline = ok({"timeline", "resnet20-barista", "--set", "network=alexnet_cifar10", "--set",
                                     "batch=1", "--set", "host=mine.yaml", "--format", "json"});
  const test::Outcome shown = weft({"show", "mine.yaml", "--yaml"});
  for (const char* step : {"tile", "untile", "col2im"}) {
    const double ns = matrices.at(step).at("ns").get<double>() / matrices.at(step).at("words").get<double>();
    EXPECT_GT(ns, 0) << step;
    const std::string key = std::string("  ") + step + "_ns: ";
    const std::size_t at = shown.out.find(key);
    ASSERT_NE(at, std::string::npos) << shown.out;
    EXPECT_NEAR(std::stod(shown.out.substr(at + key.size())), ns, 0.00051) << step;
  }
  EXPECT_FALSE(test::has(shown.out, "  - matrices"));
  EXPECT_FALSE(test::has(timeline.out, "\"matrices"));
}

TEST_F(HostProfile, MeasuresWhatWordsOfFixedPointTake) {
  const Json quantiser = json_of({"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1", "--threads", "1",
                                  "--out", "mine.yaml"})
                             .at("quantiser");
  const std::string shown = weft({"show", "mine.yaml", "--yaml"}).out;
  for (const std::string key : {"quantise_ns", "dequantise_ns"}) {
    const double ns = quantiser.at(key).get<double>() / quantiser.at("words").get<double>();
    EXPECT_GT(ns, 0) << key;
    const std::size_t at = shown.find("  " + key + ": ");
    ASSERT_NE(at, std::string::npos) << shown;
    EXPECT_NEAR(std::stod(shown.substr(at + key.size() + 4)), ns, 0.00051) << key;
  }
  EXPECT_FALSE(test::has(shown, "  - quantiser"));
}

TEST_F(HostProfile, IsTheSameFileButForTheTimes) {
  std::string files[2];
  for (std::string& file : files) {
    ok({"host-profile", "alexnet_cifar10", "--batch", "1", "--repeat", "1", "--threads", "1", "--forward",
        "--convolutions"});
    for (const std::string& line : test::split(text("results/host-alexnet_cifar10.yaml"))) {
      if (line.find("ns: ") == std::string::npos) file += line + "\n";
    }
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_TRUE(test::has(files[0], "conv1 F"));
}

}  // namespace
}  // namespace weft

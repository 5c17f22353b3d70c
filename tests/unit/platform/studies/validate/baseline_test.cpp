#include "platform/studies/validate/baseline.h"

#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::validate {
namespace {

Pair pair(const std::string& kernel, const std::string& layer, Cycles model, Cycles against) {
  Pair one;
  one.kernel = kernel;
  one.layer.name = layer;
  one.model.cycles = model;
  one.against.cycles = against;
  return one;
}

ValidateConfig config_with(double tolerance_percent) {
  ValidateConfig config;
  config.tolerance_percent = tolerance_percent;
  return config;
}

const std::vector<Pair> kPairs{pair("4x8", "a", 900, 1000), pair("4x8", "b", 1010, 1000), pair("8x4", "a", 500, 500)};

TEST(Baseline, IsReadAsItWasWritten) {
  const test::TemporaryDirectory directory;
  const Baseline saved = make_baseline(config_with(0.25), kPairs);
  const Baseline read = read_baseline(directory.write("b.json", to_json(saved)));
  EXPECT_EQ(to_json(read), to_json(saved));
  EXPECT_TRUE(deviations(read, config_with(0), kPairs, false).empty());
}

// 900 / 1000 is -10 %; 903 / 1000 is -9.7 %: a change of 0.3 points.
TEST(Baseline, NamesTheConvolutionThatMovedByMoreThanItsTolerance) {
  std::vector<Pair> moved = kPairs;
  moved[0].model.cycles = 903;
  EXPECT_TRUE(deviations(make_baseline(config_with(0.31), kPairs), config_with(0), moved, false).empty());
  const auto found = deviations(make_baseline(config_with(0.29), kPairs), config_with(0), moved, false);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text(), "a F on 4x8: error was -10.0000%, is -9.7000%: moved by +0.3000 points, 0.29 allowed");
}

TEST(Baseline, WithoutToleranceNoticesOneCycle) {
  std::vector<Pair> moved = kPairs;
  moved[2].against.cycles = 501;
  EXPECT_EQ(deviations(make_baseline(config_with(0), kPairs), config_with(0), moved, false).size(), 1U);
}

TEST(Baseline, MissesWhatIsNewAndWhatIsGone) {
  std::vector<Pair> others{kPairs[0], pair("4x8", "new", 1, 2)};
  const auto found = deviations(make_baseline(config_with(1), kPairs), config_with(1), others, false);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].layer, "new");
  EXPECT_FALSE(found[0].old_error);
  EXPECT_EQ(found[1].layer, "b");
  EXPECT_FALSE(found[1].new_error);
  EXPECT_EQ(found[2].kernel, "8x4");
  // Intentionally omitted convolutions are not reported as missing.
  EXPECT_EQ(deviations(make_baseline(config_with(1), kPairs), config_with(1), others, true).size(), 1U);
}

TEST(Baseline, OfOtherRungsIsRefused) {
  ValidateConfig config = config_with(1);
  const Baseline baseline = make_baseline(config, kPairs);
  config.against = Rung::SystemC;
  EXPECT_THROW(deviations(baseline, config, kPairs, false), Error);
}

TEST(Baseline, OfAnotherShapeIsRefusedWithItsFile) {
  const test::TemporaryDirectory directory;
  for (const char* text : {"", "{", "[]", "{}", "{\"schema\": 2}", "{\"schema\": 1, \"name\": \"a\"}",
                           "{\"schema\": 1, \"name\": \"a\", \"rungs\": {\"model\": \"x\", \"against\": \"exact\"}}"}) {
    EXPECT_TRUE(test::fails([&] { read_baseline(directory.write("b.json", text)); }, "b.json"));
  }
}

}  // namespace
}  // namespace weft::validate

#include "platform/config/run_config.h"
#include "tests/support/texts.h"

namespace weft::config {
namespace {

Selection select(const std::string& pattern) {
  return {pattern, Place{}, "only"};
}

TEST(Glob, MatchesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("inception3b.*", "inception3b.branch1.conv"));
  EXPECT_FALSE(matches_glob("inception3b.*", "inception3bXbranch1"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*.conv?", "a.b.conv1"));
  EXPECT_FALSE(matches_glob("*.conv?", "a.b.conv"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matches_glob("a*b*c", "aXbXbX"));
  EXPECT_FALSE(matches_glob("", "a"));
  // About linear time even where backtracking would not end.
  EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST(Selection, ChoosesByLayerAndKind) {
  const Selection one = select("inception3b.*:GW");
  EXPECT_TRUE(one.matches("inception3b.branch1", conv::Kind::GW));
  EXPECT_FALSE(one.matches("inception3b.branch1", conv::Kind::F));
  EXPECT_FALSE(one.matches("inception3a.branch1", conv::Kind::GW));
  const Selection several = select("conv1,*:GI");
  EXPECT_TRUE(several.matches("conv1", conv::Kind::F));
  EXPECT_TRUE(several.matches("conv2", conv::Kind::GI));
  EXPECT_FALSE(several.matches("conv2", conv::Kind::F));
  EXPECT_TRUE(Selection().matches("anything", conv::Kind::F));
}

TEST(Selection, RefusesPatternsThatCannotMatch) {
  for (const char* pattern : {"conv:X", ":GW", "", "a,,b", "conv:"})
    EXPECT_THROW(select(pattern), InputError) << pattern;
}

conv::Layer layer(const char* name, bool graph_input) {
  conv::Layer result;
  result.name = name;
  result.from_graph_input = graph_input;
  return result;
}

TEST(Choose, LeavesOutTheInputGradientThatTrainingDoesNotNeed) {
  RunConfig run;
  run.workload = InlineNetwork{};
  const std::vector<conv::Layer> layers{layer("first", true), layer("second", false)};
  EXPECT_EQ(choose(run, layers).size(), 5U);
  run.gi_first = true;
  EXPECT_EQ(choose(run, layers).size(), 6U);
  run.kinds = {conv::Kind::GI};
  EXPECT_EQ(choose(run, layers).size(), 2U);
}

TEST(Choose, NamesWhatThereIsWhenNothingMatches) {
  RunConfig run;
  run.workload = InlineNetwork{};
  run.only = select("third");
  EXPECT_TRUE(
      test::fails<InputError>([&] { choose(run, {layer("first", true)}); }, "'third'; there are: first:F, first:GW"));
}

}  // namespace
}  // namespace weft::config

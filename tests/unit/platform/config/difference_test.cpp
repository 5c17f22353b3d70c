#include "platform/config/difference.h"

#include <gtest/gtest.h>

#include <tuple>

namespace weft::config {

bool operator==(const Difference& a, const Difference& b) {
  return std::tie(a.key, a.a, a.b) == std::tie(b.key, b.a, b.b);
}
void PrintTo(const Difference& difference, std::ostream* out) {
  *out << difference.key << ": " << difference.a << " | " << difference.b;
}

namespace {

Node yaml(const std::string& text) {
  return parse_yaml(text, std::make_shared<Source>(Source{"test", "", false}));
}

TEST(Differences, NameEachKeyThatDiffersWithBothValues) {
  const Node a = yaml("{board: {name: u250, channels: 4}, batch: 8, only: [x, y], gone: {deep: 1}}");
  const Node b = yaml("{board: {name: u200, channels: 4}, batch: 8, only: [x], new: 3}");
  EXPECT_EQ(
      differences(a, b),
      (std::vector<Difference>{
          {"board.name", "u250", "u200"}, {"only", "[x, y]", "[x]"}, {"gone", "{deep: 1}", ""}, {"new", "", "3"}}));
}

TEST(Differences, OfEqualTreesAreNoneWhateverTheOrderOfTheirKeys) {
  EXPECT_TRUE(differences(yaml("{a: 1, b: {c: [1, {d: 2}]}}"), yaml("{b: {c: [1, {d: 2}]}, a: 1}")).empty());
}

TEST(Differences, OfTheOrderOfAListCount) {
  EXPECT_EQ(differences(yaml("{a: [1, 2]}"), yaml("{a: [2, 1]}")).size(), 1U);
}

TEST(Differences, OfAScalarAndAMapAreOneDifference) {
  EXPECT_EQ(differences(yaml("{a: ideal}"), yaml("{a: {rate: 1}}")),
            (std::vector<Difference>{{"a", "ideal", "{rate: 1}"}}));
}

}  // namespace
}  // namespace weft::config

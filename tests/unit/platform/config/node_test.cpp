#include "platform/config/node.h"

#include "tests/support/texts.h"

namespace weft::config {
namespace {

std::shared_ptr<const Source> source() {
  return std::make_shared<Source>(Source{"f.yaml", "", false});
}

Node parse(const std::string& text) {
  return parse_yaml(text, source());
}

std::string message_of(const std::string& text) {
  return test::message_of<InputError>([&] { parse(text); });
}

TEST(Node, KnowsTheLineOfEveryValue) {
  const Node root = parse("# head\na: 1\nb:\n  c: x\n  d: [1,\n      2]\n");
  EXPECT_EQ(root.find("a")->place.line, 2);
  EXPECT_EQ(root.find("b")->place.line, 3);
  EXPECT_EQ(find_path(root, "b.c")->place.line, 4);
  EXPECT_EQ(find_path(root, "b.d")->children[1].place.line, 6);
}

TEST(Node, KnowsTheLineOfAKeyWithoutValue) {
  const Node root = parse("a:\n\n\nb: 1\n");
  EXPECT_EQ(root.find("a")->kind, Node::Kind::Null);
  EXPECT_EQ(root.find("a")->place.line, 1);
}

TEST(Node, TellsQuotedTextFromPlainWords) {
  const Node root = parse("a: \"16\"\nb: 16\nc: '16'\nd: \"null\"\ne: ~\n");
  EXPECT_TRUE(root.find("a")->quoted);
  EXPECT_FALSE(root.find("b")->quoted);
  EXPECT_TRUE(root.find("c")->quoted);
  EXPECT_EQ(root.find("d")->kind, Node::Kind::Scalar);
  EXPECT_EQ(root.find("e")->kind, Node::Kind::Null);
}

TEST(Node, ExpandsAnchors) {
  const Node root = parse("a: &x {n: 1}\nb: *x\n");
  ASSERT_NE(find_path(root, "b.n"), nullptr);
  EXPECT_EQ(find_path(root, "b.n")->text, "1");
}

TEST(Node, RefusesMergeKeysAndSaysWhatToWrite) {
  EXPECT_EQ(
      message_of("x: &x {n: 1}\nb:\n  <<: *x\n"),
      "f.yaml:3: b: YAML merge keys ('<<') are not used here; write 'extends: FILE' with the shared keys in a file "
      "of their own, or write the keys out");
  EXPECT_EQ(message_of("\"<<\": 1\n"), "nothing") << "a key like any other";
}

TEST(Node, GivesAnEntryWithoutAPlaceThatOfItsMap) {
  Node root = parse("a: 1\nb: {c: 2}\n");
  root.find("b")->set("d", scalar_node("3"));
  EXPECT_EQ(find_path(root, "b.d")->place.line, 2);
  EXPECT_STREQ(error_at(find_path(root, "b.d")->place, "b.d", "is wrong").what(), "f.yaml:2: b.d: is wrong");
  EXPECT_STREQ(error_at({}, "b.d", "is wrong").what(), "b.d: is wrong") << "no file is named that the user has not";
}

TEST(Node, RefusesAKeyGivenTwiceAndNamesBothLines) {
  EXPECT_EQ(message_of("a: 1\nb: 2\na: 3\n"), "f.yaml:3: a: given twice, first in line 1; remove one");
  EXPECT_EQ(message_of("m:\n  a: 1\n  a: 3\n"), "f.yaml:3: m.a: given twice, first in line 2; remove one");
}

TEST(Node, RefusesNestingBeyondThirtyTwoLevels) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(message_of(nested(32)), "nothing");
  EXPECT_EQ(message_of(nested(33)), "f.yaml:1: nested deeper than 32 levels");
}

TEST(Node, WritesYamlThatReadsBackTheSame) {
  const std::string text =
      "a: 1\nb:\n  c: \"x: y # z\"\n  d: [1, \"two words\", \"\"]\n  e: {}\n  f: []\n  g: \"16\"\n  h: \"true\"\n"
      "list:\n  -\n    p: 1\n    q: \"quote \\\" backslash \\\\ end\"\n  - word\n";
  const Node first = parse(text);
  const std::string written = to_yaml(first);
  const Node second = parse(written);
  EXPECT_EQ(to_yaml(second), written);
  EXPECT_EQ(find_path(second, "b.c")->text, "x: y # z");
  EXPECT_EQ(find_path(second, "b.d")->children[1].text, "two words");
  EXPECT_TRUE(find_path(second, "b.g")->quoted);
  EXPECT_TRUE(find_path(second, "b.h")->quoted);
  EXPECT_EQ(find_path(second, "list")->children[0].find("q")->text, "quote \" backslash \\ end");
}

}  // namespace
}  // namespace weft::config

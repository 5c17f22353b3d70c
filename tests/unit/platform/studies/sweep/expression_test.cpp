#include "platform/studies/sweep/definition/expression.h"

#include <map>

#include "tests/support/texts.h"

namespace weft::sweep {
namespace {

Lookup from(const std::map<std::string, Value>& values) {
  return [values](const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) throw Error("unknown " + name);
    return found->second;
  };
}

TEST(Expression, EvaluatesNumbersByName) {
  const Lookup values = from({{"x", std::int64_t{31}}, {"y", std::int64_t{11}}, {"kernel.clock_mhz", 100.0}});
  EXPECT_TRUE(Expression("x*y <= 341").holds(values));
  EXPECT_FALSE(Expression("x*y < 341").holds(values));
  EXPECT_TRUE(Expression("!(x*y < 341) && y != 12 || x == 0").holds(values));
  EXPECT_DOUBLE_EQ(Expression("2*x*y*kernel.clock_mhz/1000").number(values), 68.2);
  EXPECT_DOUBLE_EQ(Expression("min(x, y) + (x > y ? 0.5 : 0)").number(values), 11.5);
}

TEST(Expression, ComparesTexts) {
  const Lookup values = from({{"rung", std::string("analytical")}, {"n", std::int64_t{3}}, {"q", std::string("it's")}});
  EXPECT_TRUE(Expression("rung == 'analytical' && n == 3").holds(values));
  EXPECT_FALSE(Expression("rung == \"systemc\"").holds(values));
  EXPECT_TRUE(Expression("rung != 'systemc'").holds(values));
  EXPECT_TRUE(Expression("q == \"it's\"").holds(values));
  EXPECT_FALSE(Expression("rung == n").holds(values));
}

TEST(Expression, NamesAreListedOnce) {
  EXPECT_EQ(Expression("x*y + x > board.dsp.usable && a == 'b'").names(),
            (std::vector<std::string>{"a", "board.dsp.usable", "x", "y"}));
}

TEST(Expression, AValueThatIsNotThereMakesAConditionFalse) {
  const Lookup values = from({{"stall_share", Value()}});
  EXPECT_FALSE(Expression("stall_share < 0.5").holds(values));
  EXPECT_FALSE(Expression("stall_share >= 0.5").holds(values));
}

TEST(Expression, WhatIsWrongIsSaidWithTheExpression) {
  for (const char* text : {"x*", "x y", "", "  ", "(x", "x = = 3", "foo(3)", "'open", "x; y", "3 ..4", "x*y <=< 3"}) {
    EXPECT_TRUE(test::fails([&] { Expression expression(text); }, std::string("'") + text + "'"));
  }
  EXPECT_THROW(Expression(std::string(5000, '1')), Error);
  EXPECT_THROW(Expression("z").number(from({})), Error);
  EXPECT_THROW(Expression("1/x").number(from({{"x", std::int64_t{0}}})), Error);
}

// muParser would accept each of these with a value that is nearly always true.
TEST(Expression, WhatLooksLikeAConditionAndIsNoneIsRefused) {
  const auto error_of = [](const char* text) -> std::string {
    return test::message_of([&] { Expression expression(text); });
  };
  for (const char* text : {"x = 2", "x=2", "x := 2", "x = 2 and y = 3", "x == 2 && y = 3", "(x = 2)", "x = 'a'",
                           "x === 2", "x == 2 || max(y = 3, 1)", "'a==b' = x", "x =", "x = y == 2"}) {
    EXPECT_TRUE(test::has(error_of(text), "write == to compare")) << text;
  }
  for (const char* text : {"1 < x < 3", "4 <= x <= 8", "x == y == 2", "z > 0 && (1 < x < 3)", "a < b + c < d"}) {
    EXPECT_TRUE(test::has(error_of(text), "a comparison of a comparison")) << text;
  }
  for (const char* text : {"x == 2, y == 3", "x,y"}) {
    EXPECT_TRUE(test::has(error_of(text), "join conditions with &&")) << text;
  }
  for (const char* text : {"x == 2 and y == 3", "x and y", "not x", "(x)or(y)"}) {
    EXPECT_TRUE(test::has(error_of(text), "write &&, ||, ! for and, or, not")) << text;
  }
  for (const char* text : {"x & y", "x | y", "x <> 2"}) {
    EXPECT_NE(error_of(text), "nothing") << text;
  }
}

TEST(Expression, TextsMayHoldWhatNoConditionMay) {
  const Lookup values = from({{"layer", std::string("a = b, 1 < c < d")}, {"x", std::int64_t{2}}});
  EXPECT_TRUE(Expression("layer == 'a = b, 1 < c < d' && x == 2").holds(values));
  EXPECT_TRUE(Expression("layer != 'x=2'").holds(values));
  EXPECT_FALSE(Expression("layer == \"=\"").holds(values));
  EXPECT_TRUE(Expression("x>=2&&x<=2&&!(x!=2)&&(x<3?x==2:x<9)&&(x<3)==(x>1)").holds(values));
  EXPECT_TRUE(Expression("x + band.order != 3").holds(from({{"x", std::int64_t{2}}, {"band.order", 4.0}})));
  EXPECT_TRUE(Expression("max(x < 3, x > 5, 0) == 1").holds(values));
}

TEST(Expression, TakesTheValuesOfEachLookupAnew) {
  const Expression expression("x > 2 || name == 'a'");
  EXPECT_TRUE(expression.holds(from({{"x", std::int64_t{3}}, {"name", std::string("b")}})));
  EXPECT_FALSE(expression.holds(from({{"x", 2.0}, {"name", std::string("b")}})));
  EXPECT_TRUE(expression.holds(from({{"x", std::int64_t{0}}, {"name", std::string("a")}})));
  EXPECT_FALSE(expression.holds(from({{"x", std::int64_t{3}}, {"name", Value()}})));
}

}  // namespace
}  // namespace weft::sweep

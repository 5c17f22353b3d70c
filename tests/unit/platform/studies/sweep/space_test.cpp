#include "platform/studies/sweep/definition/space.h"

#include "platform/config/difference.h"
#include "tests/support/texts.h"

namespace weft::sweep {
namespace {

config::Node yaml(const std::string& text) {
  return config::parse_yaml(text, std::make_shared<config::Source>(config::Source{"s.yaml", {}, false}));
}

Space space(const std::string& text) {
  return {yaml(text), "space"};
}

std::string values(const std::string& text) {
  std::string all;
  for (const config::Node& value : read_values(yaml(text), "k"))
    all += (all.empty() ? "" : " ") + config::flow_text(value);
  return all;
}

// Returns all candidates as "1 a; 1 b": the values of their axes, '-' for none.
std::string candidates(const std::string& text) {
  const Space s = space(text);
  std::string all;
  Choice choice;
  for (std::int64_t i = 0; i < s.size(); ++i) {
    s.choose(i, choice);
    if (i) all += "; ";
    for (std::size_t axis = 0; axis < choice.size(); ++axis) {
      if (axis) all += ' ';
      all += choice[axis] == kUnset ? "-"
                                    : config::flow_text(s.axes()[axis].values[static_cast<std::size_t>(choice[axis])]);
    }
  }
  return all;
}

std::string error_of(const std::string& text) {
  return test::message_of([&] { candidates(text); });
}

TEST(Space, ListsAndRanges) {
  EXPECT_EQ(values("[3, 1, abc, {base: hls, exact_bursts: true}, [1, 2]]"),
            "3 1 abc {base: hls, exact_bursts: true} [1, 2]");
  EXPECT_EQ(values("{from: 2, to: 9, step: 3}"), "2 5 8");
  EXPECT_EQ(values("{from: 2, to: 8, step: 3}"), "2 5 8");
  EXPECT_EQ(values("{from: 4, to: 4, step: 1}"), "4");
  EXPECT_EQ(values("{from: 0.1, to: 0.3, step: 0.1}"), "0.1 0.2 0.3");  // 3 * 0.1 is above 0.3 in binary
  EXPECT_EQ(values("{from: 1.0, to: 2, count: 5}"), "1 1.25 1.5 1.75 2");
  EXPECT_EQ(values("{from: 1, to: 10, count: 4}"), "1 4 7 10");
}

TEST(Space, LogRanges) {
  EXPECT_EQ(values("{from: 1, to: 256, factor: 4}"), "1 4 16 64 256");
  EXPECT_EQ(values("{from: 1, to: 255, factor: 4}"), "1 4 16 64");
  EXPECT_EQ(values("{from: 1, to: 1000, count: 4, scale: log}"), "1 10 100 1000");
  EXPECT_EQ(values("{from: 1.0, to: 4, count: 3, scale: log}"), "1 2 4");
  // A factor of sqrt(2), as distinct whole numbers: 1, 1.41, 2, 2.83, 4.
  EXPECT_EQ(values("{from: 1, to: 4, factor: 1.414214}"), "1 2 3 4");
  EXPECT_EQ(values("{from: 0.5, to: 2, factor: 2}"), "0.5 1 2");
}

TEST(Space, ProductsCountTheLastAxisFastest) {
  EXPECT_EQ(candidates("{a: [1, 2], b: [x, y, z]}"), "1 x; 1 y; 1 z; 2 x; 2 y; 2 z");
  EXPECT_EQ(candidates("{product: [{a: [1, 2]}, {b: [x, y]}]}"), "1 x; 1 y; 2 x; 2 y");
}

TEST(Space, ZipsGoSideBySide) {
  EXPECT_EQ(candidates("{zip: {a: [1, 2], b: [x, y]}}"), "1 x; 2 y");
  EXPECT_EQ(candidates("{zip: [{a: [1, 2]}, {b: [x, y]}], c: [7, 8]}"), "1 x 7; 1 x 8; 2 y 7; 2 y 8");
  // A product of four zipped with a list of four.
  EXPECT_EQ(candidates("{zip: [{a: [1, 2], b: [x, y]}, {c: [5, 6, 7, 8]}]}"), "1 x 5; 1 y 6; 2 x 7; 2 y 8");
}

TEST(Space, PointsAreTakenAsTheyAre) {
  EXPECT_EQ(candidates("{points: [{a: 1, b: x}, {a: 2}, {b: y, c: 3}], d: [8, 9]}"),
            "1 x - 8; 1 x - 9; 2 - - 8; 2 - - 9; - y 3 8; - y 3 9");
}

TEST(Space, WhatIsWrongIsSaidAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{a: 3}", "must be a list of values or a range"},
      {"{a: [1, 1]}", "'1' is given twice"},
      {"{a: [1], product: [{a: [2]}]}", "varied twice"},
      {"{'a b': [1]}", "neither a key of a run"},
      {"{$a.b: [1]}", "nor a parameter"},
      {"{a..b: [1]}", "neither a key of a run"},
      {"{zip: {a: [1, 2], b: [1, 2, 3]}}", "but have 2 and 3"},
      {"{zip: []}", "space.zip: is empty"},
      {"{points: []}", "is empty"},
      {"{points: [{$s: 1}, {b: 2}]}", "gives no value for '$s'"},
      {"{a: {from: 5, to: 1, step: 1}}", "from 5 is above to 1"},
      {"{a: {from: 1, to: 5}}", "one of step, factor and count"},
      {"{a: {from: 1, to: 5, step: 1, count: 2}}", "one of step, factor and count"},
      {"{a: {from: 1, to: 5, step: 0}}", "step must be above 0"},
      {"{a: {from: 1, to: 5, factor: 1}}", "factor must be above 1"},
      {"{a: {from: 0, to: 5, factor: 2}}", "starts above 0"},
      {"{a: {from: 0, to: 5, count: 3, scale: log}}", "starts above 0"},
      {"{a: {from: 1, to: 5, factor: 2, scale: log}}", "scale needs count"},
      {"{a: {from: 1, to: 5, stpe: 2}}", "did you mean 'step'"},
      {"{a: {from: 1, to: 1000000000, step: 1}}", "more than"},
      {"{a: {from: 1, to: 10000, step: 1}, b: {from: 1, to: 10000, step: 1}}", "more than 5000000 points"}};
  for (const auto& [text, wanted] : cases) {
    EXPECT_TRUE(test::has(error_of(text), wanted)) << text;
  }
}

}  // namespace
}  // namespace weft::sweep

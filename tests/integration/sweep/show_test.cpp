#include <algorithm>
#include <sstream>

#include "tests/integration/sweep/sweep_case.h"

namespace weft {
namespace {

using test::Outcome;

class ShowSweep : public test::SweepCase {
 protected:
  void SetUp() override {
    dir_.write("s.yaml", R"(run: conv-small
set: {rung: analytical}
space: {kernel.array.x: [1, 2, 4, 8], kernel.array.y: [1, 2, 4, 8]}
objectives: [{minimize: cycles}, {minimize: dsp}]
constraints: [dsp < 500]
)");
    ASSERT_EQ(sweep({"s.yaml", "--out", "s.db"}).exit_code, 0);
  }
  // A column of CSV output.
  std::vector<std::string> column(const std::vector<std::string>& options, std::size_t index) {
    const Outcome outcome = show(test::joined({"s.db", "--format", "csv"}, options));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> cells;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string field;
      for (std::size_t i = 0; i <= index; ++i) std::getline(fields, field, ',');
      cells.push_back(field);
    }
    cells.erase(cells.begin());
    return cells;
  }
};

TEST_F(ShowSweep, FiltersAndSorts) {
  EXPECT_EQ(column({"--where", "x*y == 8", "--where", "x > 1"}, 0), (std::vector<std::string>{"6", "9", "12"}));
  EXPECT_EQ(column({"--where", "kernel.array.x == 8 && status == 'done'"}, 0).size(), 4U);
  EXPECT_EQ(column({"--sort", "y-x", "--limit", "2"}, 0), (std::vector<std::string>{"12", "13"}));
  EXPECT_EQ(column({"--sort", "dsp", "--descending", "--limit", "1"}, 0), (std::vector<std::string>{"15"}));
  EXPECT_EQ(column({"--feasible"}, 0).size(), 15U);  // 9 * 8 * 8 = 576 DSPs are too many
  EXPECT_EQ(column({"--columns", "board.dsp.usable,x*y", "--point", "7"}, 2), (std::vector<std::string>{"16"}));
}

TEST_F(ShowSweep, TheParetoFrontIsWhatSqlFindsToo) {
  const std::string wanted = query("s.db",
                                   "SELECT point FROM points p WHERE dsp < 500 AND NOT EXISTS (SELECT 1 FROM points q "
                                   "WHERE q.dsp < 500 AND q.cycles <= p.cycles AND q.dsp <= p.dsp AND (q.cycles < "
                                   "p.cycles OR q.dsp < p.dsp)) ORDER BY point");
  std::vector<std::string> front = column({"--pareto", "--sort", "point"}, 0);
  std::string found;
  for (const std::string& each : front) found += each + "\n";
  EXPECT_EQ(found, wanted);
  EXPECT_GE(front.size(), 4U);
  EXPECT_EQ(column({"--maximize", "x", "--minimize", "y"}, 0), (std::vector<std::string>{"12"}));
}

TEST_F(ShowSweep, ObjectivesAndConstraintsMayChangeWithoutRunningAnything) {
  std::string text = test::read_text_file(dir_.path() / "s.yaml");
  text.replace(text.find("dsp < 500"), 9, "dsp < 200");
  dir_.write("s.yaml", text);
  const Outcome outcome = sweep({"s.yaml", "--out", "s.db"});
  EXPECT_NE(outcome.out.find("this start ran 0"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_EQ(column({"--feasible"}, 0).size(), 13U);
}

TEST_F(ShowSweep, WhatIsWrongIsSaid) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"s.db", "--where", "cylces > 3"}, "did you mean 'cycles'"},
      {{"s.db", "--where", "cycles >"}, "the expression 'cycles >' is wrong"},
      {{"s.db", "--sort", "nosuch"}, "there is no field, axis or key 'nosuch'"},
      {{"s.db", "--sweep", "7"}, "holds no sweep 7"},
      {{"s.db", "--point", "77", "--yaml"}, "point 77 is not recorded"},
      {{"s.db", "--yaml"}, "--point N"},
      {{"s.db", "--limit", "x"}, "--limit: must be a whole number"},
      {{"s.db", "--format", "xml"}, "must be one of table, json, csv"},
      {{"u250", "--pareto"}, "is no database of results"},
      {{"nosuch.db"}, "nosuch.db"}};
  for (const auto& [words, wanted] : cases) {
    const Outcome outcome = show(words);
    EXPECT_EQ(outcome.exit_code, 2) << words.back();
    EXPECT_NE(outcome.err.find(wanted), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
}

}  // namespace
}  // namespace weft

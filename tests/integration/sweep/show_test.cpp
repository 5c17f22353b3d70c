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
    ok(sweep({"s.yaml", "--out", "s.db"}));
  }
  // Returns a column of CSV output.
  std::vector<std::string> column(const std::vector<std::string>& options, std::size_t index) {
    const Outcome outcome = ok(show(test::joined({"s.db", "--format", "csv"}, options)));
    std::vector<std::string> cells;
    for (const std::string& line : test::split(outcome.out)) cells.push_back(test::split(line, ',').at(index));
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
  change("s.yaml", "dsp < 500", "dsp < 200");
  const Outcome outcome = weft(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_TRUE(test::has(outcome.out, "this start ran 0")) << outcome.err;
  EXPECT_EQ(column({"--feasible"}, 0).size(), 13U);
}

// LUTs and registers are those that weft run prints, and can be searched like every other field; the equations have
// none.
TEST_F(ShowSweep, EveryResourceIsRecordedAndCanBeAnObjectiveOrAConstraint) {
  dir_.write("r.yaml", R"(run: conv-small
set: {rung: analytical}
space: {readings.resources: [thesis, synthesis], kernel.array.x: [2, 4, 8]}
objectives: [{maximize: gops}, {minimize: lut}]
constraints: [lut <= 100000 && ff < ff_available]
)");
  ok(sweep({"r.yaml", "--out", "r.db"}));
  for (const char* point : {"0", "4"}) {
    dir_.write("point.yaml", weft(show({"r.db", "--point", point, "--yaml"})).out);
    const nlohmann::json fit = json_of({"run", "point.yaml", "--no-save"})["fit"];
    std::string wanted;
    for (const char* key : {"used", "available"}) {
      for (const char* name : {"dsp", "bram18", "uram", "lut", "ff"}) {
        wanted += (wanted.empty() ? "" : "|") + (fit.contains(name) ? fit[name][key].dump() : std::string());
      }
    }
    const std::string list = "dsp, bram18, uram, lut, ff";
    EXPECT_EQ(
        query("r.db",
              "SELECT dsp, bram18, uram, lut, ff, dsp_available, bram18_available, uram_available, lut_available, "
              "ff_available FROM results_1 WHERE point = " +
                  std::string(point)),
        wanted + "\n");
    // One convolution: the largest kernel is that of the convolution.
    EXPECT_EQ(query("r.db", "SELECT " + list + " FROM convolutions WHERE point = " + std::string(point)),
              query("r.db", "SELECT " + list + " FROM points WHERE point = " + std::string(point)));
  }
  EXPECT_EQ(
      query("r.db", "SELECT count(*) FROM points WHERE (lut IS NULL) = (ff IS NULL) AND (lut IS NULL) = (point < 3)"),
      "6\n");
  // The array grows from point 3 to 4 to 5; the last needs more LUTs than the constraint allows.
  const std::string luts = query("r.db", "SELECT sum(lut <= 100000), sum(lut > 100000) FROM points");
  EXPECT_EQ(luts, "2|1\n");
  const Outcome front = weft(show({"r.db", "--pareto", "--format", "csv", "--columns", "lut"}));
  EXPECT_EQ(std::count(front.out.begin(), front.out.end(), '\n'), 3) << front.out << front.err;
  const Outcome table = weft(show({"r.db"}));
  EXPECT_TRUE(test::has(table.out, "  lut  "));
  EXPECT_FALSE(test::has(weft(show({"s.db"})).out, "  lut  "));
}

TEST_F(ShowSweep, WhatIsWrongIsSaid) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"s.db", "--where", "cylces > 3"}, "did you mean 'cycles'"},
      {{"s.db", "--where", "cycles >"}, "the expression 'cycles >' is wrong"},
      {{"s.db", "--where", "x = 2"}, "--where: the expression 'x = 2' is wrong: a single '=' assigns; write =="},
      {{"s.db", "--columns", "x = 2"}, "--columns: the expression 'x = 2' is wrong"},
      {{"s.db", "--minimize", "x = 2"}, "--minimize: the expression 'x = 2' is wrong"},
      {{"s.db", "--sort", "x = 2"}, "--sort: the expression 'x = 2' is wrong"},
      {{"s.db", "--sort", "nosuch"}, "there is no field, axis or key 'nosuch'"},
      {{"s.db", "--sweep", "7"}, "holds no sweep 7"},
      {{"s.db", "--point", "77", "--yaml"}, "point 77 is not recorded"},
      {{"s.db", "--yaml"}, "--point N"},
      {{"s.db", "--limit", "x"}, "--limit: must be a whole number"},
      {{"s.db", "--format", "xml"}, "must be one of table, json, csv"},
      {{"nosuch.db"}, "nosuch.db"}};
  for (const auto& [words, wanted] : cases) {
    const Outcome outcome = weft(show(words));
    EXPECT_EQ(outcome.exit_code, 2) << words.back();
    EXPECT_TRUE(test::has(outcome.err, wanted));
    EXPECT_TRUE(outcome.out.empty());
  }
}

}  // namespace
}  // namespace weft

#include <gtest/gtest.h>

#include "platform/document/document.h"
#include "platform/document/fitted_table.h"
#include "platform/document/table_view.h"

namespace weft::report {
namespace {

TEST(CommonForm, HasAStarForWhatDiffers) {
  EXPECT_EQ(common_form({"conv1"}), "conv1");
  EXPECT_EQ(common_form({"layer3.0.conv1", "layer3.1.conv1"}), "layer3.*.conv1");
  EXPECT_EQ(common_form({"a.conv", "b.conv"}), "*.conv");
  EXPECT_EQ(common_form({"conv1", "conv12"}), "conv1*");
  EXPECT_EQ(common_form({"aa", "aaa"}), "aa*") << "head and tail do not overlap";
  EXPECT_EQ(common_form({"x", "y"}), "*");
}

TEST(Cells, HaveTheUnitsOfTheirColumns) {
  EXPECT_EQ(value_cell(0.00602112, "s").text, "6.02 ms");
  EXPECT_EQ(value_cell(0.1875, "1").text, "18.8%");
  EXPECT_EQ(value_cell(110.25, "h").text, "110.25 h");
  EXPECT_EQ(value_cell(std::int64_t{602112}, "cycles").text, "602,112");
  EXPECT_EQ(value_cell(Value(), "s").text, "");
}

TEST(FittedTables, BreakANoteBelowItsRowAtTheWidth) {
  FittedTable table({{"layer"}, {"cycles", true}});
  table.add({"conv1", "12"});
  table.add_note("a sentence that is longer than the table");
  table.add({"conv2", "3"});
  EXPECT_EQ(table.text(24),
            "layer  cycles\n"
            "conv1      12\n"
            "    a sentence that is\n"
            "      longer than the\n"
            "      table\n"
            "conv2       3\n");
}

TEST(FittedTables, StandInTablesBelowEachOtherWhereTheyHaveNoRoom) {
  const std::vector<std::string> first{"block", "array"};
  const std::vector<std::vector<std::string>> groups{{" dsp", "  12"}, {" lut", " 345"}, {"  ff", "   6"}};
  // 5 + 2 + 4 + 2 + 4 = 17 for two groups, 23 for three.
  EXPECT_EQ(stacked(first, groups, 23), "block   dsp   lut    ff\narray    12   345     6\n");
  EXPECT_EQ(stacked(first, groups, 22), "block   dsp   lut\narray    12   345\n\nblock    ff\narray     6\n");
  EXPECT_EQ(stacked(first, groups, 17), stacked(first, groups, 22));
  EXPECT_EQ(stacked(first, groups, 16),
            "block   dsp\narray    12\n\nblock   lut\narray   345\n\nblock    ff\narray     6\n");
  EXPECT_EQ(stacked(first, groups, 1), stacked(first, groups, 16)) << "at least one at a time";
}

TEST(CsvFields, OfTextsThatASpreadsheetWouldComputeHaveAnApostropheThatReadersTakeOff) {
  for (const char* text :
       {"=1+1", "=HYPERLINK(\"a\",\"b\")", "+a", "-x", "@SUM(A1)", "\tx", "\rx", "-", "+1", "-1-1"}) {
    const std::string field = csv_field(text);
    EXPECT_TRUE(field.rfind("'", 0) == 0 || field.rfind("\"'", 0) == 0) << field;
  }
  EXPECT_EQ(csv_field("=a,b"), "\"'=a,b\"");
  for (const char* text : {"-1", "-0.5", "-1e-7", "0", "", "conv1", "a=b", "'quoted'", "'"})
    EXPECT_EQ(csv_field(text), text);
  for (const char* text : {"=1+1", "+a", "-x", "@a", "\tx", "\rx", "=a,b", "=\"a\"\nb", "-1", "'=a", "''=a", "'-1",
                           "'a", "'", "", "a", "+1"}) {
    EXPECT_EQ(csv_lines(csv_field(text) + "," + csv_field(text) + "\n"),
              (std::vector<std::vector<std::string>>{{text, text}}))
        << text;
  }
}

TEST(FittedTables, HaveTheColumnsOfTheUsualTableWhereACsvFileHasNone) {
  FittedTable usual({{"layer"}, {"shape"}, {"util", true}});
  usual.add({"a", "3x3", "5%"});
  usual.add({"b", "1x1", "10%"});
  usual.add_gap();
  usual.add({"network", "2 convs", "7%"});
  TableView view;
  view.columns = {"util", "shape", "layer"};
  EXPECT_EQ(chosen_table("layer\na\nb\n", view, &usual), "util  shape  layer\n  5%  3x3    a\n 10%  1x1    b\n");
}

TEST(FittedTables, HaveTheColumnsThatAreChosenOfACsvFile) {
  const std::string csv =
      "layer,cycles,share,note\n"
      "\"a, \"\"b\"\"\",1234567,0.123456789,\n"
      "c,8,,\"two\nlines\"\n";
  EXPECT_EQ(columns_of(csv), (std::vector<std::string>{"layer", "cycles", "share", "note"}));
  TableView view;
  view.columns = {"cycles", "layer", "share"};
  EXPECT_EQ(chosen_table(csv, view),
            "   cycles  layer      share\n"
            "1,234,567  a, \"b\"  0.123457\n"
            "        8  c\n");
  view.width = 18;
  EXPECT_EQ(chosen_table(csv, view),
            "   cycles  layer\n"
            "1,234,567  a, \"b\"\n"
            "        8  c\n"
            "left out at 18 columns: share; use a wider terminal or --format csv\n");
  EXPECT_EQ(chosen_table("layer,cycles\n", {120, {"cycles"}, false}), "cycles\n") << "no rows";
}

}  // namespace
}  // namespace weft::report

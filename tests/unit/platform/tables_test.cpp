#include <gtest/gtest.h>

#include "platform/report/fitted_table.h"
#include "platform/report/table_view.h"

namespace weft::report {
namespace {

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
            "left out at 18 columns: share; a wider terminal or --format csv has them\n");
  EXPECT_EQ(chosen_table("layer,cycles\n", {120, {"cycles"}, false}), "cycles\n") << "no rows";
}

}  // namespace
}  // namespace weft::report

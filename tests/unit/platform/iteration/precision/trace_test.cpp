#include "platform/iteration/precision/trace.h"

#include <algorithm>
#include <fstream>

#include "platform/os/temporary_folder.h"
#include "tests/support/texts.h"

namespace weft::precision {
namespace {

class Trace : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) const {
    std::filesystem::path path = folder_.path() / "trace.csv";
    std::ofstream(path) << text;
    return path;
  }
  template <class Function>
  std::string error_of(Function function) {
    const std::string text = test::message_of<InputError>(function);
    return text.substr(std::min(text.size(), text.rfind("trace.csv")));
  }
  std::string diversities(const std::string& rows) {
    return error_of([&] { read_diversities(file("epoch,diversity\n" + rows), 3); });
  }
  std::string errors(const std::string& rows) {
    return error_of([&] {
      read_errors(file("epoch,tick,convolution,level,rae\n" + rows), {"conv1:F", "conv1:GW"}, {8, 12, 32}, 2);
    });
  }

 private:
  os::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "weft-trace-test-"};
};

TEST_F(Trace, ReadsDiversities) {
  const DiversityTrace trace = read_diversities(file("epoch,diversity\n2,0.5\n5,1e-3\r\n8,2\n"), 3);
  ASSERT_EQ(trace.rows.size(), 3U);
  EXPECT_EQ(trace.rows[1].line, 3);
  EXPECT_EQ(trace.rows[1].epoch, 5);
  EXPECT_EQ(trace.rows[1].diversity, 1e-3);
}

TEST_F(Trace, RefusesDiversitiesWithGapsAndWhatIsNoNumber) {
  EXPECT_EQ(diversities("2,1\n8,1\n"),
            "trace.csv:3: epoch: must be 5, not 8: a diversity is due at the end of every 3 epochs");
  EXPECT_EQ(diversities("2,1\n2,1\n"),
            "trace.csv:3: epoch: must be 5, not 2: a diversity is due at the end of every 3 epochs");
  EXPECT_EQ(diversities("2,nan\n"), "trace.csv:2: diversity: must be a number above 0, not 'nan'");
  EXPECT_EQ(diversities("2,0\n"), "trace.csv:2: diversity: must be a number above 0, not '0'");
  EXPECT_EQ(diversities("2,inf\n"), "trace.csv:2: diversity: must be a number above 0, not 'inf'");
  EXPECT_EQ(diversities("2,1 \n"), "trace.csv:2: diversity: must be a number above 0, not '1 '");
  EXPECT_EQ(diversities("x,1\n"), "trace.csv:2: epoch: must be a whole number from 0 to 1000000, not 'x'");
  EXPECT_EQ(diversities("2\n"), "trace.csv:2: has 1 fields, not 2");
  EXPECT_EQ(diversities("2,1\n\n"), "trace.csv:3: has 1 fields, not 2");
  EXPECT_EQ(error_of([&] { read_diversities(file("epoch,d\n"), 3); }),
            "trace.csv:1: must be the columns 'epoch,diversity'");
  EXPECT_EQ(error_of([&] { read_diversities(file("").parent_path() / "no" / "trace.csv", 3); }),
            "trace.csv: cannot be read");
}

TEST_F(Trace, ReadsErrorsByEpochTickConvolutionAndLevel) {
  const ErrorTrace trace = read_errors(
      file("epoch,tick,convolution,level,rae\n9,0,conv1:GW,fxp8,0.5\n9,0,conv1:F,fxp8,0.25\n9,0,conv1:F,fxp12,0\n"
           "9,1,conv1:F,fp32,0.125\n"),
      {"conv1:F", "conv1:GW"}, {8, 12, 32}, 2);
  ASSERT_EQ(trace.ticks.size(), 2U);
  EXPECT_EQ(trace.ticks.at({9, 0}).line, 2);
  EXPECT_EQ(trace.ticks.at({9, 0}).errors, (ErrorTrace::Errors{{{0, 8}, 0.25}, {{0, 12}, 0.0}, {{1, 8}, 0.5}}));
  EXPECT_EQ(trace.ticks.at({9, 1}).errors, (ErrorTrace::Errors{{{0, 32}, 0.125}}));
  EXPECT_EQ(trace.last_line, 5);
}

TEST_F(Trace, RefusesErrorsOutOfOrderAndWrongNames) {
  EXPECT_EQ(errors("9,0,conv1:F,fxp12,0\n9,0,conv1:F,fxp8,0\n"),
            "trace.csv:3: level: levels must ascend, but fxp8 of 'conv1:F' follows fxp12");
  EXPECT_EQ(errors("9,0,conv1:F,fxp8,0\n9,0,conv1:F,fxp8,0\n"),
            "trace.csv:3: level: levels must ascend, but fxp8 of 'conv1:F' follows fxp8");
  EXPECT_EQ(errors("9,0,conv1:F,fxp8,0\n9,1,conv1:F,fxp8,0\n9,0,conv1:GW,fxp8,0\n"),
            "trace.csv:4: tick: must ascend, but epoch 9, tick 0 follows epoch 9, tick 1");
  EXPECT_EQ(errors("9,0,conv1:F,fxp8,0\n8,1,conv1:F,fxp8,0\n"),
            "trace.csv:3: epoch: must ascend, but epoch 8, tick 1 follows epoch 9, tick 0");
  EXPECT_EQ(errors("9,2,conv1:F,fxp8,0\n"), "trace.csv:2: tick: must be a whole number from 0 to 1, not '2'");
  EXPECT_EQ(
      errors("9,0,conv1:G,fxp8,0\n"),
      "trace.csv:2: convolution: 'conv1:G' is no convolution of the run; did you mean 'conv1:F'? (known: conv1:F, "
      "conv1:GW)");
  EXPECT_EQ(errors("9,0,conv1:F,fxp14,0\n"),
            "trace.csv:2: level: 'fxp14' is not a level of GM; allowed: fxp8, fxp12, fp32");
  EXPECT_EQ(errors("9,0,conv1:F,fxp8,NaN\n"), "trace.csv:2: rae: must be a number of at least 0, not 'NaN'");
  EXPECT_EQ(errors("9,0,conv1:F,fxp8,-1\n"), "trace.csv:2: rae: must be a number of at least 0, not '-1'");
}

}  // namespace
}  // namespace weft::precision

#include "platform/os/progress.h"

#include <cstdlib>

#include "tests/support/captured.h"
#include "tests/support/texts.h"

namespace weft::os {
namespace {

TEST(ProgressLine, ShowsShareCountAndTimeLeft) {
  EXPECT_EQ(progress_line("net", 50, 200, 30, 60), "net [=======                       ]  25%  50/200  1:30 left");
}

TEST(ProgressLine, FillsTheBarAtTheEndAndHasNoTimeLeft) {
  EXPECT_EQ(progress_line("n", 10, 10, 5, 30), "n [==============] 100%  10/10");
}

TEST(ProgressLine, NeverExceedsItsWidth) {
  for (int width = 0; width < 200; ++width) {
    EXPECT_LE(progress_line("a label", 3, 7, 100, width).size(), static_cast<std::size_t>(width));
  }
}

TEST(ProgressLine, SurvivesNothingToDoAndTooMuchDone) {
  EXPECT_EQ(progress_line("n", 0, 0, 0, 16), "n   0%  0/0");
  EXPECT_TRUE(test::has(progress_line("n", 9, 7, 1, 40), "100%  7/7"));
}

TEST(Progress, SaysThatItLivesOnceAnIntervalWhereThereIsNoTerminal) {
  ::setenv("WEFT_ALIVE_SECONDS", "1", 1);
  test::Captured err(STDERR_FILENO);
  {
    Progress progress("n", 10);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (std::chrono::steady_clock::now() < end) progress.update(5);
  }
  ::unsetenv("WEFT_ALIVE_SECONDS");
  EXPECT_EQ(err.text(), "weft: n  50%  5/10  0:01 left\n");
}

TEST(Progress, SaysNothingWhereThereIsNoTerminal) {
  test::Captured err(STDERR_FILENO);
  {
    Progress progress("n", 10);
    progress.update(5);
  }
  EXPECT_EQ(err.text(), "");
}

}  // namespace
}  // namespace weft::os

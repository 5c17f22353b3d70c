#include "platform/os/shell.h"

#include <gtest/gtest.h>

namespace weft::os {
namespace {

TEST(ShellWord, KeepsWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("a"), "'a'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a $b \"c\" *"), "'a $b \"c\" *'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
}

}  // namespace
}  // namespace weft::os

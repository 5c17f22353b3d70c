#include "platform/os/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/files.h"

namespace weft::os {
namespace {

namespace fs = std::filesystem;

class TemporaryFolderTest : public testing::Test {
 protected:
  // Returns a folder with one file, left by a process that SIGKILL ended.
  fs::path left_behind() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const TemporaryFolder folder(dir_.path(), "weft-test-");
      const int file = ::creat((folder.path() / "content").c_str(), 0600);
      static_cast<void>(file);
      ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      if (fs::exists(entry.path() / "content")) return entry.path();
    }
    throw std::runtime_error("the process left no folder");
  }

  const test::TemporaryDirectory dir_;
};

TEST_F(TemporaryFolderTest, IsGoneWithItsContentAtTheEnd) {
  {
    const TemporaryFolder folder(dir_.path(), "weft-test-");
    fs::create_directories(folder.path() / "a/b");
    EXPECT_TRUE(fs::exists(folder.path() / kTemporaryMark));
  }
  EXPECT_TRUE(dir_.listing().empty());
}

TEST_F(TemporaryFolderTest, RemovesThatOfAKilledProcess) {
  const fs::path left = left_behind();
  const TemporaryFolder next(dir_.path(), "weft-test-");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST_F(TemporaryFolderTest, LeavesThoseThatAreInUse) {
  const TemporaryFolder one(dir_.path(), "weft-test-");
  const TemporaryFolder two(dir_.path(), "weft-test-");
  EXPECT_TRUE(fs::exists(one.path()));
}

TEST_F(TemporaryFolderTest, LeavesWhatItDidNotMake) {
  dir_.write("weft-test-notes1/content", "mine");      // no mark
  dir_.write("weft-test-notes2/.weft-temporary", "");  // an empty one, from a process that has just begun
  dir_.write("weft-test-notes3/.weft-temporary", "weft made something\n");  // the mark of another folder
  dir_.write("weft-test-abcdef", "a file");
  const auto before = dir_.listing();
  remove_stale_folders(dir_.path(), "weft-test-");
  EXPECT_EQ(dir_.listing(), before);
}

// The mark contains name and inode, so that a user's copy or renamed folder stays.
TEST_F(TemporaryFolderTest, LeavesACopyAndARenamedFolder) {
  const test::TemporaryDirectory keep;
  const fs::path left = left_behind();
  fs::copy(left, keep.path() / left.filename(), fs::copy_options::recursive);
  fs::rename(left, keep.path() / "weft-test-kept00");
  const auto before = keep.listing();
  remove_stale_folders(keep.path(), "weft-test-");
  EXPECT_EQ(keep.listing(), before);
}

TEST_F(TemporaryFolderTest, LeavesALinkToAFolderAndWhatItPointsTo) {
  const test::TemporaryDirectory other;
  const fs::path left = left_behind();
  fs::create_directory_symlink(left, other.path() / left.filename());
  remove_stale_folders(other.path(), "weft-test-");
  EXPECT_TRUE(fs::exists(left / "content"));
  EXPECT_TRUE(fs::is_symlink(other.path() / left.filename()));
}

TEST_F(TemporaryFolderTest, TakesExactlyItsPattern) {
  const fs::path left = left_behind();
  for (const char* prefix : {"weft-test", "weft-tes", "weft-test-a", ""}) remove_stale_folders(dir_.path(), prefix);
  EXPECT_TRUE(fs::exists(left));
}

}  // namespace
}  // namespace weft::os

#include "platform/os/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/run_binary.h"

namespace weft::os {
namespace {

namespace fs = std::filesystem;

// The folder that a process makes in `parent`, holding one file, and leaves behind when SIGKILL ends it.
fs::path left_behind(const fs::path& parent) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder(parent, "weft-test-");
    const int file = ::creat((folder.path() / "content").c_str(), 0600);
    static_cast<void>(file);
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (fs::exists(entry.path() / "content")) return entry.path();
  }
  return {};
}

TEST(TemporaryFolder, IsGoneWithItsContentAtTheEnd) {
  const test::TemporaryDirectory dir;
  {
    const TemporaryFolder folder(dir.path(), "weft-test-");
    fs::create_directories(folder.path() / "a/b");
    EXPECT_TRUE(fs::exists(folder.path() / kTemporaryMark));
  }
  EXPECT_TRUE(dir.listing().empty());
}

TEST(TemporaryFolder, RemovesThatOfAKilledProcess) {
  const test::TemporaryDirectory dir;
  const fs::path left = left_behind(dir.path());
  ASSERT_FALSE(left.empty());
  const TemporaryFolder next(dir.path(), "weft-test-");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST(TemporaryFolder, LeavesThoseThatAreInUse) {
  const test::TemporaryDirectory dir;
  const TemporaryFolder one(dir.path(), "weft-test-");
  const TemporaryFolder two(dir.path(), "weft-test-");
  EXPECT_TRUE(fs::exists(one.path()));
}

TEST(TemporaryFolder, LeavesWhatItDidNotMake) {
  const test::TemporaryDirectory dir;
  dir.write("weft-test-notes1/content", "mine");      // no mark
  dir.write("weft-test-notes2/.weft-temporary", "");  // an empty one: of a process that just begins
  dir.write("weft-test-notes3/.weft-temporary", "weft made something\n");  // that of another
  dir.write("weft-test-abcdef", "a file");
  const auto before = dir.listing();
  remove_stale_folders(dir.path(), "weft-test-");
  EXPECT_EQ(dir.listing(), before);
}

// Name and inode stand in the mark, so that what a user keeps of a folder stays.
TEST(TemporaryFolder, LeavesACopyAndARenamedFolder) {
  const test::TemporaryDirectory dir, keep;
  const fs::path left = left_behind(dir.path());
  ASSERT_FALSE(left.empty());
  fs::copy(left, keep.path() / left.filename(), fs::copy_options::recursive);
  fs::rename(left, keep.path() / "weft-test-kept00");
  const auto before = keep.listing();
  remove_stale_folders(keep.path(), "weft-test-");
  EXPECT_EQ(keep.listing(), before);
}

TEST(TemporaryFolder, LeavesALinkToAFolderAndWhatItPointsTo) {
  const test::TemporaryDirectory dir, other;
  const fs::path left = left_behind(dir.path());
  ASSERT_FALSE(left.empty());
  fs::create_directory_symlink(left, other.path() / left.filename());
  remove_stale_folders(other.path(), "weft-test-");
  EXPECT_TRUE(fs::exists(left / "content"));
  EXPECT_TRUE(fs::is_symlink(other.path() / left.filename()));
}

TEST(TemporaryFolder, TakesExactlyItsPattern) {
  const test::TemporaryDirectory dir;
  const fs::path left = left_behind(dir.path());
  ASSERT_FALSE(left.empty());
  for (const char* prefix : {"weft-test", "weft-tes", "weft-test-a", ""}) remove_stale_folders(dir.path(), prefix);
  EXPECT_TRUE(fs::exists(left));
}

}  // namespace
}  // namespace weft::os

#include "platform/os/free_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files.h"

namespace weft::os {
namespace {

class FreeMemory : public testing::Test {
 protected:
  FreeMemory() { put("proc/meminfo", "MemTotal:  8000 kB\nMemAvailable:  4000 kB\n"); }
  void put(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Bytes found() const { return free_memory(root_.path()); }

  const test::TemporaryDirectory root_;
};

TEST_F(FreeMemory, IsWhatTheMachineHasAvailable) {
  EXPECT_EQ(found(), 4000 * 1024);
  put("proc/self/cgroup", "0::/\n");  // the root of version 2 has no limit
  EXPECT_EQ(found(), 4000 * 1024);
}

TEST_F(FreeMemory, IsBoundByEachGroupOfVersion2ThatHasALimit) {
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/memory.max", "max\n");
  put("sys/fs/cgroup/a/b/memory.current", "1000\n");
  EXPECT_EQ(found(), 4000 * 1024);
  put("sys/fs/cgroup/a/memory.max", "5000\n");
  put("sys/fs/cgroup/a/memory.current", "3000\n");
  EXPECT_EQ(found(), 2000);
  put("sys/fs/cgroup/a/memory.stat", "anon 100\ninactive_file 700\n");  // given back when asked for
  EXPECT_EQ(found(), 2700);
}

// In a container the path of the group may not exist: its limit is in the mount itself.
TEST_F(FreeMemory, IsBoundByTheContainer) {
  put("proc/self/cgroup", "0::/docker/123\n");
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "400\n");
  EXPECT_EQ(found(), 600);
}

TEST_F(FreeMemory, IsBoundByTheMemoryGroupOfVersion1) {
  put("proc/self/cgroup", "3:cpu,cpuacct:/x\n5:memory:/y\n");
  put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1\n");
  put("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "1\n");
  put("sys/fs/cgroup/memory/y/memory.limit_in_bytes", "900\n");
  put("sys/fs/cgroup/memory/y/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(found(), 0);  // beyond the limit
  put("sys/fs/cgroup/memory/y/memory.usage_in_bytes", "300\n");
  EXPECT_EQ(found(), 600);
}

TEST(FreeMemoryOfThisMachine, IsKnown) {
  EXPECT_GT(free_memory(), 0);
}

}  // namespace
}  // namespace weft::os

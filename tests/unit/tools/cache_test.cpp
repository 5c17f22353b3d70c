#include "tools/cli/cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "model/core/error.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::tools {
namespace {

namespace fs = std::filesystem;

// Returns the cache folder of a build, computed in a process with its own environment and rights.
std::string place_for(const fs::path& of_build, uid_t user, const std::vector<std::pair<const char*, std::string>>& set,
                      const fs::path& answer) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char* name : {"WEFT_CACHE", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
    for (const auto& [name, value] : set) ::setenv(name, value.c_str(), 1);
    if (user != 0 && ::setuid(user) != 0) ::_exit(2);
    std::string text;
    try {
      text = build_cache(of_build).string();
    } catch (const Error& error) {
      text = error.what();
    }
    std::ofstream(answer) << text;
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return test::read_text_file(answer);
}

TEST(BuildCache, IsInTheBuildOrTheUsersFolderWhereThatCannotBeWritten) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the rights of two users";
  constexpr uid_t kNobody = 65534;
  const test::TemporaryDirectory dir;
  fs::permissions(dir.path(), fs::perms::all);
  fs::create_directories(dir.path() / "build/there");
  fs::permissions(dir.path() / "build", fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const auto place = [&](const char* name, uid_t user, const std::vector<std::pair<const char*, std::string>>& set) {
    return place_for(dir.path() / "build" / name, user, set, dir.path() / "answer");
  };
  for (const char* name : {"there", "not yet"}) {
    fs::remove(dir.path() / "answer");
    EXPECT_EQ(place(name, 0, {{"HOME", "/h"}}), (dir.path() / "build" / name).string());
    fs::remove(dir.path() / "answer");
    EXPECT_EQ(place(name, kNobody, {{"HOME", "/h"}}), (fs::path("/h/.cache/weft") / name).string());
    EXPECT_EQ(place(name, kNobody, {{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}), (fs::path("/x/weft") / name).string());
    EXPECT_EQ(place(name, kNobody, {{"HOME", "/h"}, {"WEFT_CACHE", "/w"}}), (fs::path("/w") / name).string());
    EXPECT_EQ(place(name, kNobody, {{"HOME", "/h"}, {"WEFT_CACHE", "none"}}),
              (fs::path("/h/.cache/weft") / name).string());
    EXPECT_TRUE(test::has(place(name, kNobody, {}), "set XDG_CACHE_HOME to a folder of your own"));
  }
}

}  // namespace
}  // namespace weft::tools

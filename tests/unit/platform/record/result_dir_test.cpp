#include "platform/record/result_dir.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "platform/os/temporary_folder.h"
#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft::record {
namespace {

namespace fs = std::filesystem;

// What every result.json begins with, and what tells one from another.
std::string json_of(const std::string& what) {
  return "{\"schema\": 3, \"is\": \"" + what + "\"}";
}

std::map<std::string, std::string> result(const std::string& what) {
  return {{kResultJson, json_of(what)}, {kResultCsv, "layer\n"}, {kResultConfig, "batch: 1\n"}};
}

TEST(ResultDir, AppearsWithAllItsFiles) {
  const test::TemporaryDirectory dir;
  ResultDir(dir.path() / "out").write(result("{}"));
  EXPECT_EQ(dir.listing(),
            (std::vector<std::string>{"out", "out/config.yaml", "out/convolutions.csv", "out/result.json"}));
  EXPECT_EQ(test::read_text_file(dir.path() / "out/result.json"), json_of("{}"));
  EXPECT_TRUE(is_result(dir.path() / "out"));
}

TEST(ResultDir, CheckingThePlaceLeavesNothingThere) {
  const test::TemporaryDirectory dir;
  const ResultDir unused(dir.path() / "out");
  EXPECT_TRUE(dir.listing().empty());
}

TEST(ResultDir, HasTheModeThatTheUserAskedFor) {
  const test::TemporaryDirectory dir;
  const mode_t old = ::umask(027);
  ResultDir(dir.path() / "out").write(result("{}"));
  ::umask(old);
  struct stat status {};
  ASSERT_EQ(::stat((dir.path() / "out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0750U);
  ASSERT_EQ(::stat((dir.path() / "out/result.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(ResultDir, TakesAnEmptyDirectoryAndATrailingSlash) {
  const test::TemporaryDirectory dir;
  fs::create_directory(dir.path() / "out");
  ResultDir(dir.path() / "out/").write(result("{}"));
  EXPECT_TRUE(is_result(dir.path() / "out"));
}

TEST(ResultDir, ReplacesAnEarlierResultAndNothingOfItStays) {
  const test::TemporaryDirectory dir;
  ResultDir(dir.path() / "out").write(result("old"));
  ResultDir(dir.path() / "out").write(result("new"));
  EXPECT_EQ(test::read_text_file(dir.path() / "out/result.json"), json_of("new"));
  EXPECT_EQ(dir.listing().size(), 4U);
}

TEST(ResultDir, RefusesWhatIsNotItsOwnAndLeavesItAlone) {
  const test::TemporaryDirectory dir;
  dir.write("foreign/notes.txt", "mine");
  dir.write("mixed/result.json", json_of("mine"));
  dir.write("mixed/config.yaml", "a: 1");
  dir.write("mixed/notes.txt", "mine");
  dir.write("half/result.json", json_of("mine"));
  dir.write("other/result.json", "{\"accuracy\": 0.9}");  // of another program
  dir.write("other/config.yaml", "a: 1");
  dir.write("file", "mine");
  fs::create_directory_symlink("foreign", dir.path() / "link");
  const auto before = dir.listing();
  for (const char* name :
       {"foreign", "mixed", "half", "other", "file", "link", "no/parent", "file/below", ".", "..", ""}) {
    const fs::path path = std::string(name).empty() ? fs::path() : dir.path() / name;
    EXPECT_THROW(ResultDir{path}, Error) << name;
  }
  EXPECT_EQ(dir.listing(), before);
}

TEST(ResultDir, ReplacesCopiesOfInputsThatWeftMadeAndNoFolderOfTheUsers) {
  const test::TemporaryDirectory dir;
  std::map<std::string, std::string> files = result("old");
  files["inputs/net.onnx"] = "mine";
  ResultDir(dir.path() / "out").write(files);
  EXPECT_THROW(ResultDir{dir.path() / "out"}, Error) << "its configuration does not ask for copies";
  dir.write("out/config.yaml", "results:\n  keep_inputs: true\n");
  ResultDir(dir.path() / "out").write(result("new"));
  EXPECT_EQ(dir.listing().size(), 4U);
}

TEST(ResultDir, FollowsALinkToADirectoryThatItMayWrite) {
  const test::TemporaryDirectory dir;
  fs::create_directories(dir.path() / "disk/place");
  fs::create_directory_symlink("disk/place", dir.path() / "out");
  for (const char* json : {"old", "new"}) {
    for (const char* name : {"out", "out/"}) {
      ResultDir(dir.path() / name).write(result(json));
      EXPECT_TRUE(fs::is_symlink(dir.path() / "out"));
      EXPECT_EQ(test::read_text_file(dir.path() / "disk/place/result.json"), json_of(json));
    }
  }
  EXPECT_EQ(dir.listing().size(), 6U) << "the link, two folders and three files";
}

TEST(ResultDir, WritesBelowAFolderThatIsALink) {
  const test::TemporaryDirectory dir;
  fs::create_directory(dir.path() / "disk");
  fs::create_directory_symlink("disk", dir.path() / "results");
  ResultDir(dir.path() / "results/out").write(result("{}"));
  EXPECT_TRUE(is_result(dir.path() / "disk/out"));
}

TEST(ResultDir, SaysWhereALinkLeadsThatLeadsNowhere) {
  const test::TemporaryDirectory dir;
  fs::create_directory_symlink("gone", dir.path() / "out");
  fs::create_directory_symlink("ring", dir.path() / "ring");
  for (const char* name : {"out", "ring"}) {
    EXPECT_TRUE(
        test::has(test::message_of([&] { const ResultDir out(dir.path() / name); }), "it is a symbolic link to '"));
  }
}

TEST(ResultDir, RefusesFilesThatCameWhileTheSimulationRan) {
  const test::TemporaryDirectory dir;
  const ResultDir out(dir.path() / "out");
  dir.write("out/notes.txt", "mine");
  EXPECT_THROW(out.write(result("{}")), Error);
  EXPECT_EQ(dir.listing(), (std::vector<std::string>{"out", "out/notes.txt"}));
}

TEST(ResultDir, RemovesWhatAKilledWriterLeftBesideIt) {
  const test::TemporaryDirectory dir;
  const pid_t child = ::fork();
  if (child == 0) {
    const os::TemporaryFolder folder(dir.path(), ".out.");  // as write() does
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(dir.listing().size(), 2U);  // the folder and its mark
  ResultDir(dir.path() / "out").write(result("{}"));
  EXPECT_EQ(dir.listing().size(), 4U);
}

// A limit on the size of files stands in for a full disk: both make write() fail half-way.
TEST(ResultDir, AFailingWriteLeavesTheEarlierResultAndNoOther) {
  const test::TemporaryDirectory dir;
  ResultDir(dir.path() / "out").write(result("old"));
  const auto before = dir.listing();

  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(ResultDir(dir.path() / "out").write(result(std::string(1 << 20, 'x'))), Error);
  EXPECT_THROW(ResultDir(dir.path() / "other").write(result(std::string(1 << 20, 'x'))), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(dir.listing(), before);
  EXPECT_EQ(test::read_text_file(dir.path() / "out/result.json"), json_of("old"));
}

TEST(ResultDir, AFullDiskLeavesNothing) {
  const test::TemporaryDirectory dir;
  const fs::path disk = dir.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting needs root";
  EXPECT_THROW(ResultDir(disk / "out").write(result(std::string(1 << 20, 'x'))), Error);
  EXPECT_TRUE(fs::is_empty(disk));
  ::umount(disk.c_str());
}

}  // namespace
}  // namespace weft::record

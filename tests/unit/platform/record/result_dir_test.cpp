#include "platform/record/result_dir.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "platform/os/temporary_folder.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::record {
namespace {

namespace fs = std::filesystem;

// Returns the beginning of every result.json, with the kind of the result.
std::string json_of(const std::string& what) {
  return "{\"schema\": 3, \"is\": \"" + what + "\"}";
}

std::map<std::string, std::string> result(const std::string& what) {
  return {{kResultJson, json_of(what)}, {kResultCsv, "layer\n"}, {kResultConfig, "batch: 1\n"}};
}

class ResultDirTest : public testing::Test {
 protected:
  void write(const std::map<std::string, std::string>& files) const { ResultDir(dir_.path() / "out").write(files); }

  const test::TemporaryDirectory dir_;
  const fs::path json_ = dir_.path() / "out/result.json";
};

TEST_F(ResultDirTest, AppearsWithAllItsFiles) {
  write(result("{}"));
  EXPECT_EQ(dir_.listing(),
            (std::vector<std::string>{"out", "out/config.yaml", "out/convolutions.csv", "out/result.json"}));
  EXPECT_EQ(test::read_text_file(json_), json_of("{}"));
  EXPECT_TRUE(is_result(dir_.path() / "out"));
}

TEST_F(ResultDirTest, CheckingThePlaceLeavesNothingThere) {
  const ResultDir unused(dir_.path() / "out");
  EXPECT_TRUE(dir_.listing().empty());
}

TEST_F(ResultDirTest, HasTheModeThatTheUserAskedFor) {
  const mode_t old = ::umask(027);
  write(result("{}"));
  ::umask(old);
  struct stat status {};
  ASSERT_EQ(::stat((dir_.path() / "out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0750U);
  ASSERT_EQ(::stat((json_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(ResultDirTest, TakesAnEmptyDirectoryAndATrailingSlash) {
  fs::create_directory(dir_.path() / "out");
  ResultDir(dir_.path() / "out/").write(result("{}"));
  EXPECT_TRUE(is_result(dir_.path() / "out"));
}

TEST_F(ResultDirTest, ReplacesAnEarlierResultAndNothingOfItStays) {
  write(result("old"));
  write(result("new"));
  EXPECT_EQ(test::read_text_file(json_), json_of("new"));
  EXPECT_EQ(dir_.listing().size(), 4U);
}

TEST_F(ResultDirTest, RefusesWhatIsNotItsOwnAndLeavesItAlone) {
  dir_.write("foreign/notes.txt", "mine");
  dir_.write("mixed/result.json", json_of("mine"));
  dir_.write("mixed/config.yaml", "a: 1");
  dir_.write("mixed/notes.txt", "mine");
  dir_.write("half/result.json", json_of("mine"));
  dir_.write("other/result.json", "{\"accuracy\": 0.9}");  // from another program
  dir_.write("other/config.yaml", "a: 1");
  dir_.write("file", "mine");
  fs::create_directory_symlink("foreign", dir_.path() / "link");
  const auto before = dir_.listing();
  for (const char* name :
       {"foreign", "mixed", "half", "other", "file", "link", "no/parent", "file/below", ".", "..", ""}) {
    const fs::path path = std::string(name).empty() ? fs::path() : dir_.path() / name;
    EXPECT_THROW(ResultDir{path}, Error) << name;
  }
  EXPECT_EQ(dir_.listing(), before);
}

TEST_F(ResultDirTest, ReplacesCopiesOfInputsThatWeftMadeAndNoFolderOfTheUsers) {
  std::map<std::string, std::string> files = result("old");
  files["inputs/net.onnx"] = "mine";
  write(files);
  EXPECT_THROW(ResultDir{dir_.path() / "out"}, Error) << "its configuration does not ask for copies";
  dir_.write("out/config.yaml", "results:\n  keep_inputs: true\n");
  write(result("new"));
  EXPECT_EQ(dir_.listing().size(), 4U);
}

TEST_F(ResultDirTest, FollowsALinkToADirectoryThatItMayWrite) {
  fs::create_directories(dir_.path() / "disk/place");
  fs::create_directory_symlink("disk/place", dir_.path() / "out");
  for (const char* json : {"old", "new"}) {
    for (const char* name : {"out", "out/"}) {
      ResultDir(dir_.path() / name).write(result(json));
      EXPECT_TRUE(fs::is_symlink(dir_.path() / "out"));
      EXPECT_EQ(test::read_text_file(dir_.path() / "disk/place/result.json"), json_of(json));
    }
  }
  EXPECT_EQ(dir_.listing().size(), 6U) << "the link, two folders and three files";
}

TEST_F(ResultDirTest, WritesBelowAFolderThatIsALink) {
  fs::create_directory(dir_.path() / "disk");
  fs::create_directory_symlink("disk", dir_.path() / "results");
  ResultDir(dir_.path() / "results/out").write(result("{}"));
  EXPECT_TRUE(is_result(dir_.path() / "disk/out"));
}

TEST_F(ResultDirTest, SaysWhereALinkLeadsThatLeadsNowhere) {
  fs::create_directory_symlink("gone", dir_.path() / "out");
  fs::create_directory_symlink("ring", dir_.path() / "ring");
  for (const char* name : {"out", "ring"}) {
    EXPECT_TRUE(test::fails([&] { const ResultDir out(dir_.path() / name); }, "it is a symbolic link to '"));
  }
}

TEST_F(ResultDirTest, RefusesFilesThatCameWhileTheSimulationRan) {
  const ResultDir out(dir_.path() / "out");
  dir_.write("out/notes.txt", "mine");
  EXPECT_THROW(out.write(result("{}")), Error);
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"out", "out/notes.txt"}));
}

TEST_F(ResultDirTest, RemovesWhatAKilledWriterLeftBesideIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    const os::TemporaryFolder folder(dir_.path(), ".out.");  // as in write()
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(dir_.listing().size(), 2U);  // the folder and its mark
  write(result("{}"));
  EXPECT_EQ(dir_.listing().size(), 4U);
}

// A limit on the size of files simulates a full disk: both make write() fail half-way.
TEST_F(ResultDirTest, AFailingWriteLeavesTheEarlierResultAndNoOther) {
  write(result("old"));
  const auto before = dir_.listing();

  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write(result(std::string(1 << 20, 'x'))), Error);
  EXPECT_THROW(ResultDir(dir_.path() / "other").write(result(std::string(1 << 20, 'x'))), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(dir_.listing(), before);
  EXPECT_EQ(test::read_text_file(json_), json_of("old"));
}

TEST_F(ResultDirTest, AFullDiskLeavesNothing) {
  const fs::path disk = dir_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting needs root";
  EXPECT_THROW(ResultDir(disk / "out").write(result(std::string(1 << 20, 'x'))), Error);
  EXPECT_TRUE(fs::is_empty(disk));
  ::umount(disk.c_str());
}

}  // namespace
}  // namespace weft::record

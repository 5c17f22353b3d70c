#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "model/core/error.h"
#include "platform/os/data_root.h"
#include "platform/os/process.h"
#include "tests/support/captured.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::os {
namespace {

namespace fs = std::filesystem;

class Packages : public testing::Test {
 protected:
  // Writes a project whose launcher records its arguments.
  void launcher(const std::string& more) {
    const fs::path file = project_.write("weft", "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/calls\"\n" + more);
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string calls() const { return test::read_text_file(project_.path() / "calls"); }

  test::TemporaryDirectory project_;
};

TEST_F(Packages, TheLauncherIsAskedOncePerListAndItsOutputIsNoneOfOurs) {
  launcher("echo installed\n");
  test::Captured out(STDOUT_FILENO);
  require_packages(project_.path(), "one");
  require_packages(project_.path(), "two");
  require_packages(project_.path(), "one");
  EXPECT_EQ(out.text(), "");
  EXPECT_EQ(calls(), "install one\ninstall two\n");
}

TEST_F(Packages, WhatCannotBeInstalledIsAnErrorAndIsAskedForAgain) {
  launcher("exit 2\n");
  EXPECT_THROW(require_packages(project_.path(), "three"), Error);
  launcher("");
  require_packages(project_.path(), "three");
  EXPECT_EQ(calls(), "install three\ninstall three\n");
}

// An installed weft has lists and no launcher.
TEST_F(Packages, WithoutALauncherMissingPackagesAreAnErrorThatSaysHowToInstallThem) {
  if (!fs::exists("/usr/bin/dpkg-query")) GTEST_SKIP() << "this is no Debian";
  project_.write("packages-five.txt", "# head\ndpkg  dpkg  # there\nno-such-weft-package  none  # missing\n");
  EXPECT_TRUE(test::fails([&] { require_packages(project_.path(), "five"); },
                          "run as root: apt-get install --yes --no-install-recommends no-such-weft-package"));
  project_.write("packages-five.txt", "dpkg  dpkg  # there\n");
  require_packages(project_.path(), "five");
}

TEST_F(Packages, FilesThatOnlyACheckoutHasAreRequiredByName) {
  project_.write("bench/main.cpp", "");
  require_checkout(project_.path(), "bench/main.cpp", "weft bench");
  EXPECT_TRUE(test::fails([&] { require_checkout(project_.path(), "tests/CMakeLists.txt", "weft mutants"); },
                          "weft mutants needs a checkout of weft, because it is compiled from 'tests/CMakeLists.txt'"));
  EXPECT_FALSE(is_installed());
  EXPECT_EQ(data_root().string(), WEFT_SOURCE_DIR);
  EXPECT_EQ(built_file("/build/relay").string(), "/build/relay");
}

// For a user who may start no more processes the error names this reason, not missing packages, and appears soon.
TEST_F(Packages, ProcessesThatCannotBeStartedAreSaidToBeTheReason) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user with a limit";
  launcher("");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1, 1};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
    try {
      require_packages(project_.path(), "four");
    } catch (const MachineError& error) {
      _exit(std::string(error.what()).find("ulimit -u") != std::string::npos ? 0 : 1);
    } catch (const Error&) {
      _exit(2);
    }
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(calls(), "");
}

}  // namespace
}  // namespace weft::os

#include "platform/os/packages.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "tests/support/run_binary.h"

namespace weft::os {
namespace {

namespace fs = std::filesystem;

class Packages : public testing::Test {
 protected:
  // A project whose launcher notes how it was called.
  void launcher(const std::string& more) {
    const fs::path file = project_.write("weft", "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/calls\"\n" + more);
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string calls() const { return test::read_text_file(project_.path() / "calls"); }

  test::TemporaryDirectory project_;
};

TEST_F(Packages, TheLauncherIsAskedOncePerListAndItsOutputIsNoneOfOurs) {
  launcher("echo installed\n");
  testing::internal::CaptureStdout();
  require_packages(project_.path(), "one");
  require_packages(project_.path(), "two");
  require_packages(project_.path(), "one");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(calls(), "install one\ninstall two\n");
}

TEST_F(Packages, WhatCannotBeInstalledIsAnErrorAndIsAskedForAgain) {
  launcher("exit 2\n");
  EXPECT_THROW(require_packages(project_.path(), "three"), Error);
  launcher("");
  require_packages(project_.path(), "three");
  EXPECT_EQ(calls(), "install three\ninstall three\n");
}

}  // namespace
}  // namespace weft::os

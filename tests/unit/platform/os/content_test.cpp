#include "platform/os/content.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "model/core/error.h"
#include "tests/support/files.h"

namespace weft::os {
namespace {

TEST(Content, IsTheWholeOfAFile) {
  const test::TemporaryDirectory folder;
  const std::string text = std::string(100'000, 'x') + '\0' + "end";
  const auto path = folder.write("a", text);
  EXPECT_EQ(content(path), text);
  EXPECT_EQ(content_of_regular(path), text);
  EXPECT_EQ(content(folder.write("empty", "")), "");
}

TEST(Content, WhatCannotBeReadIsAnError) {
  const test::TemporaryDirectory folder;
  EXPECT_THROW(content(folder.path() / "none"), Error);
  EXPECT_THROW(content(folder.path()), Error);
  EXPECT_FALSE(content_of_regular(folder.path() / "none"));
  EXPECT_FALSE(content_of_regular(folder.path()));
  EXPECT_FALSE(content_of_regular("/dev/zero"));
}

TEST(Content, AFifoThatNobodyWritesDoesNotWait) {
  const test::TemporaryDirectory folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(content(fifo), "");
  EXPECT_FALSE(content_of_regular(fifo));
}

TEST(Content, APipeIsReadToTheEndOfItsWriter) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    for (const char* part : {"one ", "two"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_GT(write(ends[1], part, std::string(part).size()), 0);
    }
    close(ends[1]);
  });
  EXPECT_EQ(content("/dev/fd/" + std::to_string(ends[0])), "one two");
  writer.join();
  close(ends[0]);
}

}  // namespace
}  // namespace weft::os

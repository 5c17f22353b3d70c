#include "platform/os/output_file.h"

#include <sys/resource.h>

#include <csignal>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft::os {
namespace {

constexpr const char* kMark = "layer,kind,part";

OutputFile at(const test::TemporaryDirectory& dir) {
  return {dir.path() / "out", "--activity", kMark};
}

TEST(OutputFile, AppearsWithNothingBesideIt) {
  const test::TemporaryDirectory dir;
  at(dir).write("layer,kind,part\n1");
  EXPECT_EQ(dir.listing(), (std::vector<std::string>{"out"}));
  EXPECT_EQ(test::read_text_file(dir.path() / "out"), "layer,kind,part\n1");
}

TEST(OutputFile, ReplacesAnEmptyFileAndOneOfItsKind) {
  const test::TemporaryDirectory dir;
  dir.write("out", "");
  at(dir).write("layer,kind,part\n1");
  at(dir).write("layer,kind,part\n2");
  EXPECT_EQ(test::read_text_file(dir.path() / "out"), "layer,kind,part\n2");
}

TEST(OutputFile, RefusesEveryOtherFileBeforeAnyWork) {
  const test::TemporaryDirectory dir;
  dir.write("out", "name: my-run\n");
  EXPECT_THROW(at(dir), Error);
  EXPECT_EQ(test::read_text_file(dir.path() / "out"), "name: my-run\n");
  // The mark must be in the first kilobyte: a file that only speaks of it is another's.
  dir.write("out", std::string(2000, ' ') + kMark);
  EXPECT_THROW(at(dir), Error);
}

TEST(OutputFile, RefusesAFileThatCameWhileTheWorkWasDone) {
  const test::TemporaryDirectory dir;
  const OutputFile file = at(dir);
  dir.write("out", "mine");
  EXPECT_THROW(file.write("layer,kind,part\n"), Error);
  EXPECT_EQ(test::read_text_file(dir.path() / "out"), "mine");
  EXPECT_EQ(dir.listing().size(), 1U);
}

TEST(OutputFile, BeyondTheLimitOfAFilesSizeTheEarlierOneStaysAndTheLimitIsNamed) {
  const test::TemporaryDirectory dir;
  at(dir).write("layer,kind,part\n1");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = test::message_of<MachineError>([&] { at(dir).write(std::string(1 << 20, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(test::has(message, "ulimit -f"));
  EXPECT_EQ(test::read_text_file(dir.path() / "out"), "layer,kind,part\n1");
  EXPECT_EQ(dir.listing().size(), 1U);
}

}  // namespace
}  // namespace weft::os

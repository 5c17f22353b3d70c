#include "platform/os/output_file.h"

#include <sys/resource.h>

#include <csignal>

#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::os {
namespace {

constexpr const char* kMark = "layer,kind,part";

class OutputFileTest : public testing::Test {
 protected:
  OutputFile file() const { return {dir_.path() / "out", "--activity", kMark}; }
  std::string content() const { return test::read_text_file(dir_.path() / "out"); }

  const test::TemporaryDirectory dir_;
};

TEST_F(OutputFileTest, AppearsWithNothingBesideIt) {
  file().write("layer,kind,part\n1");
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"out"}));
  EXPECT_EQ(content(), "layer,kind,part\n1");
}

TEST_F(OutputFileTest, ReplacesAnEmptyFileAndOneOfItsKind) {
  dir_.write("out", "");
  file().write("layer,kind,part\n1");
  file().write("layer,kind,part\n2");
  EXPECT_EQ(content(), "layer,kind,part\n2");
}

TEST_F(OutputFileTest, RefusesEveryOtherFileBeforeAnyWork) {
  dir_.write("out", "name: my-run\n");
  EXPECT_THROW(file(), Error);
  EXPECT_EQ(content(), "name: my-run\n");
  // The mark must be in the first kilobyte: a file that only mentions it later belongs to another program.
  dir_.write("out", std::string(2000, ' ') + kMark);
  EXPECT_THROW(file(), Error);
}

TEST_F(OutputFileTest, RefusesAFileThatCameWhileTheWorkWasDone) {
  const OutputFile out = file();
  dir_.write("out", "mine");
  EXPECT_THROW(out.write("layer,kind,part\n"), Error);
  EXPECT_EQ(content(), "mine");
  EXPECT_EQ(dir_.listing().size(), 1U);
}

TEST_F(OutputFileTest, BeyondTheLimitOfAFilesSizeTheEarlierOneStaysAndTheLimitIsNamed) {
  file().write("layer,kind,part\n1");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = test::message_of<MachineError>([&] { file().write(std::string(1 << 20, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(test::has(message, "ulimit -f"));
  EXPECT_EQ(content(), "layer,kind,part\n1");
  EXPECT_EQ(dir_.listing().size(), 1U);
}

}  // namespace
}  // namespace weft::os

// weft cosim as a user meets it, on the smallest kernel there is.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

const std::vector<std::string> kSmall{
    "cosim", "conv-small",    "--set", "kernel.array={x: 1, y: 1}",
    "--set", "kernel.band=2", "--set", "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}",
    "--set", "batch=1"};

test::Outcome cosim(const test::TemporaryDirectory& dir, const std::vector<std::string>& more) {
  return test::run_program(WEFT_BINARY, test::joined(kSmall, more), dir.path());
}

std::uint64_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

TEST(CosimCommand, SaysWhatItComparedInEveryFormat) {
  const test::TemporaryDirectory dir;
  const test::Outcome table = cosim(dir, {}), csv = cosim(dir, {"--format", "csv"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("RTL and model agree."), std::string::npos) << table.out;
  const auto json = nlohmann::json::parse(cosim(dir, {"--format", "json", "--refuse", "50"}).out);
  EXPECT_TRUE(json.at("equal"));
  ASSERT_EQ(json.at("convolutions").size(), 1U);
  EXPECT_GT(json.at("convolutions")[0].at("handshakes"), 1000);
  EXPECT_EQ(csv.out.rfind("layer,kind,cycles,handshakes,equal\nconvolution,F,", 0), 0U) << csv.out;
}

// An FST file begins with its header: a type of one byte, a length and the first and last time of 8 bytes each.
TEST(CosimCommand, WritesTheCyclesThatAreAskedForAsWaveforms) {
  const test::TemporaryDirectory dir;
  const test::Outcome outcome = cosim(dir, {"--waves", "w.fst", "--waves-from", "30", "--waves-cycles", "20"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("cycles 30 to 49"), std::string::npos) << outcome.err;
  const std::string waves = test::read_text_file(dir.path() / "w.fst");
  ASSERT_GT(waves.size(), 100U);
  EXPECT_EQ(waves[0], 0);
  EXPECT_EQ(big_endian(waves, 17) - big_endian(waves, 9), 39 * 5U);  // 20 cycles of two edges, 5 ns apart
  const test::Outcome late = cosim(dir, {"--waves", "late.fst", "--waves-from", "1000000"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.err.find("no waveforms: the convolution ended in cycle "), std::string::npos) << late.err;
  EXPECT_EQ(dir.listing(), std::vector<std::string>{"w.fst"});
}

}  // namespace
}  // namespace weft

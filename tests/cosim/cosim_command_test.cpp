// weft cosim as a user meets it, on the smallest kernel there is.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

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
  EXPECT_TRUE(test::has(table.out, "RTL and model agree."));
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
  EXPECT_TRUE(test::has(outcome.err, "cycles 30 to 49"));
  const std::string waves = test::read_text_file(dir.path() / "w.fst");
  ASSERT_GT(waves.size(), 100U);
  EXPECT_EQ(waves[0], 0);
  EXPECT_EQ(big_endian(waves, 17) - big_endian(waves, 9), 39 * 5U);  // 20 cycles of two edges, 5 ns apart
  const test::Outcome late = cosim(dir, {"--waves", "late.fst", "--waves-from", "1000000"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_TRUE(test::has(late.err, "no waveforms: the convolution ended in cycle "));
  EXPECT_EQ(dir.listing(), std::vector<std::string>{"w.fst"});
}

// Barista: a unit is the GEMM of an image and a group. Their cycles are those that weft run counts without RTL.
TEST(CosimCommand, ComparesTheGemmsOfEachImageAndGroupOfARun) {
  const test::TemporaryDirectory dir;
  dir.write("two.yaml", R"(
name: two
board: vu9p_f1
kernel: {design: barista, tile: {r: 3, c: 2, p: 5}, partial_sums: 2, band: 4, clock_mhz: 250}
network:
  layers:
    - {name: a, channels: 4, h: 6, w: 5, filters: 4, groups: 2, kernel: 3, pad: 1}
    - {name: b, channels: 4, h: 5, w: 5, filters: 5, kernel: 2, stride: 2}
batch: 2
rung: exact
gi_first: true
)");
  const test::Outcome compared = test::run_program(WEFT_BINARY, {"cosim", "two.yaml", "--format", "json"}, dir.path());
  ASSERT_EQ(compared.exit_code, 0) << compared.out << compared.err;
  const auto cosim = nlohmann::json::parse(compared.out).at("convolutions");
  const auto rows =
      nlohmann::json::parse(
          test::run_program(WEFT_BINARY, {"run", "two.yaml", "--no-save", "--format", "json"}, dir.path()).out)
          .at("convolutions");
  ASSERT_EQ(rows.size(), 6U);
  ASSERT_EQ(cosim.size(), 3U * 4 + 3 * 2);
  std::size_t unit = 0;
  for (const auto& row : rows) {
    std::int64_t cycles = 0;
    for (std::int64_t i = 0; i < row.at("launches"); ++i, ++unit) {
      EXPECT_EQ(cosim[unit].at("kind"), row.at("kind"));
      EXPECT_EQ(cosim[unit].at("layer").get<std::string>().substr(0, 8),
                row.at("layer").get<std::string>() + " image ");
      cycles += cosim[unit].at("cycles").get<std::int64_t>();
    }
    EXPECT_EQ(row.at("cycles"), cycles) << row.at("layer") << row.at("kind");
  }
  EXPECT_EQ(cosim[2].at("layer"), "a image 1 group 0");
  EXPECT_EQ(cosim[4].at("layer"), "a image 0 group 0");
  EXPECT_EQ(cosim[4].at("kind"), "GI");
  // The beat of RT, CT and K has at least four words (BLC-5).
  const test::Outcome narrow =
      test::run_program(WEFT_BINARY, {"cosim", "two.yaml", "--set", "kernel.band=2"}, dir.path());
  EXPECT_EQ(narrow.exit_code, 2);
  EXPECT_EQ(narrow.err, "weft: error: band: the RTL's bus has 4, 8, 16 or 32 words a beat, not 2\n");
}

}  // namespace
}  // namespace weft

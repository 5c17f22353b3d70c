// weft cosim from the command line, on the smallest possible kernel.

#include <cstdint>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

const std::vector<std::string> kSmall{
    "cosim", "conv-small",    "--set", "kernel.array={x: 1, y: 1}",
    "--set", "kernel.band=2", "--set", "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}",
    "--set", "batch=1"};

std::uint64_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

class CosimCommand : public test::WeftTest {
 protected:
  static Words cosim(const Words& more) { return test::joined(kSmall, more); }
};

TEST_F(CosimCommand, SaysWhatItComparedInEveryFormat) {
  const test::Outcome table = ok(cosim({})), csv = weft(cosim({"--format", "csv"}));
  EXPECT_TRUE(test::has(table.out, "RTL and model agree."));
  const auto json = json_of(cosim({"--refuse", "50"}));
  EXPECT_TRUE(json.at("equal"));
  ASSERT_EQ(json.at("convolutions").size(), 1U);
  EXPECT_GT(json.at("convolutions")[0].at("handshakes"), 1000);
  EXPECT_EQ(csv.out.rfind("layer,kind,cycles,handshakes,equal\nconvolution,F,", 0), 0U) << csv.out;
}

// An FST file begins with its header: a type of one byte, a length and the first and last time of 8 bytes each.
TEST_F(CosimCommand, WritesTheCyclesThatAreAskedForAsWaveforms) {
  const test::Outcome outcome = ok(cosim({"--waves", "w.fst", "--waves-from", "30", "--waves-cycles", "20"}));
  EXPECT_TRUE(test::has(outcome.err, "cycles 30 to 49"));
  const std::string waves = text("w.fst");
  ASSERT_GT(waves.size(), 100U);
  EXPECT_EQ(waves[0], 0);
  EXPECT_EQ(big_endian(waves, 17) - big_endian(waves, 9), 39 * 5U);  // 20 cycles of two edges, 5 ns apart
  refused(cosim({"--waves", "late.fst", "--waves-from", "1000000"}), "no waveforms: the convolution ended in cycle ");
  EXPECT_EQ(dir_.listing(), std::vector<std::string>{"w.fst"});
}

// Barista: a unit is the GEMM of an image and a group. The cycles equal those that weft run counts without RTL.
TEST_F(CosimCommand, ComparesTheGemmsOfEachImageAndGroupOfARun) {
  dir_.write("two.yaml", R"(
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
  const auto cosim = json_of({"cosim", "two.yaml"}).at("convolutions");
  const auto rows = json_of({"run", "two.yaml", "--no-save"}).at("convolutions");
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
  EXPECT_EQ(refused({"cosim", "two.yaml", "--set", "kernel.band=2"}),
            "weft: error: band: the RTL's bus has 4, 8, 16 or 32 words a beat, not 2\n");
}

}  // namespace
}  // namespace weft

#include "model/core/number_format.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace weft {
namespace {

TEST(NumberFormat, IsReadAsItIsPrintedAndNothingElseIs) {
  EXPECT_EQ(to_string(NumberFormat::fp32()), "fp32");
  EXPECT_EQ(to_string(NumberFormat::fixed(8)), "fxp8");
  for (int bits = 4; bits <= 16; ++bits) {
    EXPECT_EQ(parse_number_format(to_string(NumberFormat::fixed(bits))), NumberFormat::fixed(bits));
  }
  EXPECT_EQ(parse_number_format("fp32"), NumberFormat::fp32());
  for (const char* text : {"", "fxp", "fxp3", "fxp17", "fxp08", "fxp8 ", "FXP8", "fp16", "8", "fxp-8"}) {
    EXPECT_EQ(parse_number_format(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_formats_text(), "fp32, or fxp4 to fxp16");
}

// The table of the contract, section 2: F, and the lanes of INP and KERN.
TEST(NumberFormat, FinalAddAndLanesAreThoseOfTheContract) {
  EXPECT_EQ(NumberFormat::fp32().final_add_cycles(), 8);
  EXPECT_EQ(NumberFormat::fixed(16).final_add_cycles(), 0);
  EXPECT_EQ(lane_bits(NumberFormat::fp32(), Packing::Packed), 32);
  EXPECT_EQ(lane_bits(NumberFormat::fp32(), Packing::Padded), 32);
  for (int bits = 4; bits <= 16; ++bits) {
    EXPECT_EQ(lane_bits(NumberFormat::fixed(bits), Packing::Packed), bits);
    const int padded = bits == 4 ? 4 : bits <= 8 ? 8 : 16;
    EXPECT_EQ(lane_bits(NumberFormat::fixed(bits), Packing::Padded), padded) << bits;
  }
}

std::vector<std::int64_t> three_of_four(int words) {
  std::vector<std::int64_t> list(4, 0);
  for (int i = 0; i < words; ++i) list[static_cast<std::size_t>(i)] = 4096;
  return list;
}

// What this compiler, with the options of the build, has been seen to do wrong: GCC's PR 108599: in a test of this
// form, with -O3 -march=native on a processor with AVX-512, GCC 12.2 stored 4096 as the fourth word too.
TEST(TheCompiler, KeepsTheLastWordOfAConstantThatIsZero) {
  EXPECT_EQ(three_of_four(3), (std::vector<std::int64_t>{4096, 4096, 4096, 0}));
  EXPECT_EQ((std::array<std::int64_t, 4>{7, 7, 7, 0})[3], 0);
}

}  // namespace
}  // namespace weft

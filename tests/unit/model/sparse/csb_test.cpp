#include "model/sparse/csb.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/texts.h"

namespace weft::sparse {
namespace {

std::vector<std::int8_t> weights_of(const Mask& mask, int value_bytes) {
  std::vector<std::int8_t> weights;
  for (int i = 0; i < mask.outputs() * mask.inputs(); ++i) {
    const bool kept = mask.kept(i / mask.inputs(), i % mask.inputs());
    for (int v = 0; v < value_bytes; ++v) weights.push_back(static_cast<std::int8_t>(kept ? 7 * i + v : 0));
  }
  return weights;
}

// The matrix of the slides, 8 x 6 in blocks of 4: columns, then rows. Block (0,0) has W10 W22 W03 W33.
TEST(Csb, BlocksAreThoseOfTheSlides) {
  Mask mask(8, 8);
  for (const auto& [row, column] : {std::pair(1, 0),
                                    {7, 0},
                                    {4, 1},
                                    {6, 1},
                                    {2, 2},
                                    {4, 2},
                                    {0, 3},
                                    {3, 3},
                                    {5, 4},
                                    {1, 5},
                                    {3, 5},
                                    {7, 5},
                                    {4, 6},
                                    {5, 6},
                                    {1, 7},
                                    {5, 7}}) {
    mask.set(row, column, true);
  }
  const Csb csb = encode(mask, weights_of(mask, 1), 1, 4);
  EXPECT_EQ(csb.begin, (std::vector<std::uint32_t>{0, 4, 7, 11, 16}));
  EXPECT_EQ(csb.row, (std::vector<std::uint8_t>{1, 2, 0, 3, 1, 3, 1, 3, 0, 2, 0, 1, 3, 0, 1, 1}));
  EXPECT_EQ(csb.column, (std::vector<std::uint8_t>{0, 2, 3, 3, 1, 1, 3, 0, 1, 1, 2, 0, 1, 2, 2, 3}));
}

TEST(Csb, DecodesToWhatWasEncodedAndTransposesBothWays) {
  for (const auto& [outputs, inputs, bytes, block] :
       {std::array{7, 9, 9, 4}, std::array{1, 30, 1, 128}, std::array{130, 40, 4, 128}, std::array{5, 5, 1, 256}}) {
    for (const double density : {0.0, 0.3, 1.0}) {
      const Mask mask = random_mask(outputs, inputs, density, 5, "l");
      const Csb csb = encode(mask, weights_of(mask, bytes), bytes, block);
      const Decoded decoded = decode(csb);
      EXPECT_TRUE(decoded.mask == mask);
      EXPECT_EQ(decoded.weights, weights_of(mask, bytes));
      const Csb turned = transpose(csb);
      EXPECT_TRUE(decode(turned).mask == mask.transposed());
      EXPECT_TRUE(transpose(turned) == csb);
      EXPECT_TRUE(read_csb_file(csb_file(csb)) == csb);
      EXPECT_TRUE(read_csb_file(csb_file(turned)) == turned);
    }
  }
}

TEST(Csb, RefusesDamageWithOffsetAndReason) {
  const auto message = [](const std::string& bytes) -> std::string {
    return test::message_of([&] { read_csb_file(bytes); });
  };
  Mask mask(3, 3);
  mask.set(0, 1, true);
  mask.set(2, 1, true);
  // 8 of the magic, 16 of sizes, begins 0 and 2 (24..31), then twice a weight, a row and a column.
  const std::string good = csb_file(encode(mask, weights_of(mask, 1), 1, 4));
  ASSERT_EQ(good.size(), 38U);
  ASSERT_EQ(message(good), "nothing");
  const auto changed = [&](std::size_t at, char value) {
    std::string bad = good;
    bad[at] = value;
    return message(bad);
  };
  EXPECT_EQ(changed(0, 'w'), "byte 0: does not begin with 'WEFTCSB1'");
  EXPECT_EQ(changed(8, '\0'), "byte 8: the number of rows is 0; allowed: 1 to 65536");
  EXPECT_EQ(changed(16, '\0'), "byte 16: the side of a block is 0; allowed: 1 to 256");
  EXPECT_EQ(changed(24, '\1'), "byte 24: the begin of a block is 1; allowed: 0 to 0");
  EXPECT_EQ(changed(28, '\12'), "byte 28: the end of the last block is 10; allowed: 0 to 9");
  EXPECT_EQ(changed(33, '\3'), "byte 33: a kernel in row 3, column 1 of block 0, which has 3 x 3");
  EXPECT_EQ(changed(36, '\0'), "byte 36: row 0, column 1 of block 0 is not behind the kernel before it");
  EXPECT_EQ(message(good + "x"), "byte 38: 1 bytes behind the last kernel");
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_NE(message(good.substr(0, i)), "nothing") << i;
}

}  // namespace
}  // namespace weft::sparse

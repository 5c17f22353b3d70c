#include "model/sparse/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/sparse/csb.h"
#include "tests/support/texts.h"

namespace weft::sparse {
namespace {

// MSK-1, computed independently with Python's integers; equal on every machine.
TEST(Mask, TheHashIsTheDocumentedOne) {
  EXPECT_EQ(kernel_hash(1, "conv1", 2, 3), 0x319DEE5E4C744C97U);
  EXPECT_EQ(kernel_hash(0, "", 0, 0), 0xD5784DC90FF56603U);
}

TEST(Mask, RandomIsTheHashBelowTheDensity) {
  const Mask mask = random_mask(40, 30, 0.3, 9, "layer");
  for (int o = 0; o < 40; ++o) {
    for (int c = 0; c < 30; ++c) {
      const bool below = static_cast<double>(kernel_hash(9, "layer", o, c) >> 11) < 0.3 * 0x1p53;
      ASSERT_EQ(mask.kept(o, c), below) << o << " " << c;
    }
  }
  EXPECT_NEAR(mask.density(), 0.3, 0.05);
  EXPECT_EQ(random_mask(9, 9, 0, 1, "l").kept(), 0);
  EXPECT_EQ(random_mask(9, 9, 1, 1, "l").kept(), 81);
}

// Returns the kept kernels of each PE in a block of outputs, for one input: PE p has outputs p modulo pes.
std::vector<int> counts(const Mask& mask, int input, int first, const Lanes& lanes) {
  const int end = std::min(mask.outputs(), first + lanes.block);
  std::vector<int> kept(static_cast<std::size_t>(std::min(lanes.pes, end - first)), 0);
  for (int o = first; o < end; ++o) {
    kept[static_cast<std::size_t>((o - first) % lanes.pes)] += mask.kept(o, input) ? 1 : 0;
  }
  return kept;
}

// Returns the largest difference between PEs that hold outputs, in any block and for any input.
int imbalance(const Mask& mask, const Lanes& lanes) {
  int most = 0;
  for (int first = 0; first < mask.outputs(); first += lanes.block) {
    for (int input = 0; input < mask.inputs(); ++input) {
      const std::vector<int> kept = counts(mask, input, first, lanes);
      const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
      most = std::max(most, *high - *low);
    }
  }
  return most;
}

// MSK-3, for F and, transposed, for GI.
TEST(Mask, BalancedHasEqualCountsOfPesInBothDirections) {
  const Lanes lanes{32, 128};
  for (const auto& [outputs, inputs] :
       {std::pair(128, 64), std::pair(256, 128), std::pair(512, 512), std::pair(32, 96)}) {
    for (const double density : {0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 1.0}) {
      const Mask mask = balanced_mask(outputs, inputs, density, lanes, 3, "l");
      EXPECT_EQ(imbalance(mask, lanes), 0) << outputs << "x" << inputs << " " << density;
      EXPECT_EQ(imbalance(mask.transposed(), lanes), 0) << outputs << "x" << inputs << " " << density;
      // MSK-4: within half a kernel of each pair of PEs in all blocks.
      EXPECT_LE(std::abs(static_cast<double>(mask.kept()) - density * outputs * inputs), 512 + 1e-6);
    }
  }
}

TEST(Mask, BalancedDiffersByAtMostOneWhereItMust) {
  const Lanes lanes{32, 128};
  for (const auto& [outputs, inputs] : {std::pair(10, 512), std::pair(64, 3), std::pair(50, 70), std::pair(130, 40)}) {
    for (const double density : {0.1, 0.37, 0.5, 0.9}) {
      EXPECT_LE(imbalance(balanced_mask(outputs, inputs, density, lanes, 3, "l"), lanes), 1)
          << outputs << "x" << inputs << " " << density;
    }
  }
}

TEST(Mask, BalancedDependsOnSeedAndLayer) {
  const Lanes lanes{4, 16};
  const Mask mask = balanced_mask(64, 64, 0.5, lanes, 1, "a");
  EXPECT_TRUE(mask == balanced_mask(64, 64, 0.5, lanes, 1, "a"));
  EXPECT_FALSE(mask == balanced_mask(64, 64, 0.5, lanes, 2, "a"));
  EXPECT_FALSE(mask == balanced_mask(64, 64, 0.5, lanes, 1, "b"));
}

TEST(MaskFile, IsReadAsItWasWritten) {
  const LayerMasks masks{{"a", random_mask(7, 9, 0.4, 1, "a")}, {"b.c", random_mask(16, 8, 0.4, 1, "b")}};
  const LayerMasks again = read_mask_file(mask_file(masks));
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].first, masks[i].first);
    EXPECT_TRUE(again[i].second == masks[i].second);
  }
  // MSK-5: output 0, inputs 0 and 2 of 3: bits 0 and 2.
  Mask mask(1, 3);
  mask.set(0, 0, true);
  mask.set(0, 2, true);
  const char expected[] = "WEFTMASK\x01\0\0\0x\x01\0\0\0\x03\0\0\0\x05";
  EXPECT_EQ(mask_file({{"x", mask}}), std::string(expected, sizeof expected - 1));
}

TEST(MaskFile, RefusesDamageWithOffsetAndReason) {
  const auto message = [](const std::string& bytes) -> std::string {
    return test::message_of([&] { read_mask_file(bytes); });
  };
  const std::string good = mask_file({{"x", Mask(1, 3, true)}});
  EXPECT_EQ(message("WEFTMISK"), "byte 0: the file does not begin with 'WEFTMASK'");
  EXPECT_EQ(message("WEFTMASK"), "byte 8: the file holds no mask");
  EXPECT_EQ(message(good.substr(0, good.size() - 1)),
            "byte 21: the file ends within the bits of a layer, after 0 of 1 bytes");
  std::string bad = good;
  bad.back() = '\x0F';
  EXPECT_EQ(message(bad), "byte 21: a bit beyond the 3 kernels of layer 'x' is 1, but must be 0");
  EXPECT_EQ(message(good + good.substr(8)), "byte 22: layer 'x' occurs twice");
  bad = good;
  bad[13] = '\0';
  EXPECT_EQ(message(bad), "byte 13: a number of outputs is 0; allowed: 1 to 65536");
  // Truncation at any byte is detected.
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_NE(message(good.substr(0, i)), "nothing") << i;
}

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
  const std::vector<std::pair<int, int>> kept{{1, 0}, {7, 0}, {4, 1}, {6, 1}, {2, 2}, {4, 2}, {0, 3}, {3, 3},
                                              {5, 4}, {1, 5}, {3, 5}, {7, 5}, {4, 6}, {5, 6}, {1, 7}, {5, 7}};
  for (const auto& [row, column] : kept) {
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
    }
  }
}

}  // namespace
}  // namespace weft::sparse

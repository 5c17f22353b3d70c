#include <gtest/gtest.h>

#include <array>

#include "golden_networks.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/sizing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

Alpha array(int x, int y) {
  Alpha alpha;
  alpha.x = x;
  alpha.y = y;
  return alpha;
}

conv::Kind kind_of(const std::string& name) {
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
    if (name == to_string(kind)) return kind;
  }
  throw std::runtime_error("no kind " + name);
}

// The columns of the golden table are the thesis' symbols; here they are the blocks.
constexpr std::array<const char*, kBlocks> kSymbols{"INP_DDR",    "INP_DEC",  "INP_CONSTR", "INP_I2C",
                                                    "KERN_DDR",   "KERN_DEC", "KERN_FEED",  "SA",
                                                    "OUT_CONSTR", "OUT_ENC",  "OUT_DDR"};
const char* symbol(Block block) {
  return kSymbols[static_cast<std::size_t>(block)];
}

// The row of the golden table for one convolution, column by column.
test::CsvRow as_row(const Gamma& g, const conv::Convolution& c) {
  test::CsvRow row{{"Z", std::to_string(g.z)},         {"Zchannel", std::to_string(g.z_channel)},
                   {"M", std::to_string(g.m)},         {"macs", std::to_string(c.useful_macs)},
                   {"TOTAL", std::to_string(g.total)}, {"limiter", symbol(g.limiter)}};
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const auto component = static_cast<Block>(i);
    row[symbol(component)] = std::to_string(g[component]);
  }
  return row;
}

void expect_reproduces(const std::string& table, NumberFormat format) {
  const auto layers = test::golden_layers("googlenet", 256);
  const auto golden = test::read_csv("analytical/" + table);
  ASSERT_EQ(golden.size(), 170u);
  Alpha alpha = array(4, 8);
  alpha.format = format;
  for (test::CsvRow expected : golden) {
    const std::string where = expected.at("layer") + " " + expected.at("kind");
    const auto c = workloads::lower(test::layer_named(layers, expected.at("layer")), kind_of(expected.at("kind")));
    const test::CsvRow actual = as_row(gamma(fitted(alpha, c), c), c);
    expected.erase("layer");
    expected.erase("kind");
    EXPECT_EQ(actual.size(), expected.size()) << where << ": columns differ";
    for (const auto& [column, value] : expected) {
      ASSERT_TRUE(actual.count(column)) << where << ": the equations give no column " << column;
      EXPECT_EQ(actual.at(column), value) << where << ", column " << column;
    }
  }
}

TEST(GoldenGoogLeNet, EveryColumnOfAll170ConvolutionsAtFourByEightIsReproduced) {
  expect_reproduces("fpgpt_gammas_googlenet_X4_Y8_B256.csv", NumberFormat::fp32());
}

// tests/golden/analytical/fixed_point.py writes them, and the one above by the same equations.
TEST(GoldenGoogLeNet, EveryColumnInFixedPointIsReproduced) {
  expect_reproduces("fpgpt_gammas_googlenet_X4_Y8_B256_fxp8.csv", NumberFormat::fixed(8));
  expect_reproduces("fpgpt_gammas_googlenet_X4_Y8_B256_fxp12.csv", NumberFormat::fixed(12));
}

TEST(GoldenGoogLeNet, TheTableHoldsEveryTrainingConvolutionOnce) {
  const auto layers = test::golden_layers("googlenet", 256);
  EXPECT_EQ(layers.size(), 57u);
  EXPECT_EQ(test::training_convolutions(layers).size(), 170u);  // 57 F, 56 GI, 57 GW: reading N5
  std::map<std::string, int> rows;
  for (const auto& row : test::read_csv("analytical/fpgpt_gammas_googlenet_X4_Y8_B256.csv")) {
    ++rows[row.at("layer") + " " + row.at("kind")];
  }
  EXPECT_EQ(rows.size(), 170u);
}

TEST(GoldenGoogLeNet, LimitersAtFourByEightAreThoseThatTheFactsCount) {
  std::map<std::string, int> limiters;
  for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", 256))) {
    ++limiters[symbol(gamma(fitted(array(4, 8), c), c).limiter)];
  }
  const std::map<std::string, int> expected{{"INP_DDR", 113}, {"KERN_FEED", 52}, {"KERN_DDR", 5}};
  EXPECT_EQ(limiters, expected);
}

TEST(HeadlineConfiguration, GoogLeNetOnSixteenBySixteenTakesTheCyclesTheDesignStates) {
  Cycles batch = 0, image = 0;
  for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", 256))) {
    batch += gamma(fitted(array(16, 16), c), c).total;
  }
  for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", 1))) {
    image += gamma(fitted(array(16, 16), c), c).total;
  }
  EXPECT_NEAR(static_cast<double>(batch), 60.5e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(image), 0.236e9, 0.0005e9);
}

}  // namespace
}  // namespace weft::fpgpt

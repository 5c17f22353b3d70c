#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "golden_networks.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/sizing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

using test::array;

conv::Kind kind_of(const std::string& name) {
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
    if (name == to_string(kind)) return kind;
  }
  throw std::runtime_error("no kind " + name);
}

// Column names of the golden table, the thesis' symbols, in the order of the blocks.
constexpr std::array<const char*, kBlocks> kSymbols{"INP_DDR",    "INP_DEC",  "INP_CONSTR", "INP_I2C",
                                                    "KERN_DDR",   "KERN_DEC", "KERN_FEED",  "SA",
                                                    "OUT_CONSTR", "OUT_ENC",  "OUT_DDR"};
const char* symbol(Block block) {
  return kSymbols[static_cast<std::size_t>(block)];
}

// Returns the row of the golden table for one convolution, column by column.
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

// tests/golden/analytical/fixed_point.py writes these tables, and the table above by the same equations.
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
  const auto cycles = [](int batch) {
    Cycles all = 0;
    for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", batch))) {
      all += gamma(fitted(array(16, 16), c), c).total;
    }
    return static_cast<double>(all);
  };
  EXPECT_NEAR(cycles(256), 60.5e9, 0.05e9);
  EXPECT_NEAR(cycles(1), 0.236e9, 0.0005e9);
}

constexpr int kBatch = 256;
constexpr int kFloatPes = 3072 / 9;    // 341: reading F18
constexpr int kLargestPes = 4096 / 3;  // 1365: N3's basis of comparison

// Reading F18: the thesis counts 12,424 (X, Y) for inception 3b branch3-1, section 5.6.2.
TEST(DesignSpace, HasTheThesisNumberOfArraysForInception3bBranch3) {
  const auto c = test::googlenet("inception3b.branch3.1.conv", conv::Kind::F);
  const std::int64_t widest = 3072 / dsp_per_pe(NumberFormat::fp32());
  int pairs = 0;
  for (std::int64_t x = 1; x <= widest; ++x) {
    for (std::int64_t y = 1; y <= c.n_kern; ++y) pairs += x * y >= 4 && x * y <= 4096;
  }
  EXPECT_EQ(c.n_kern, 96);
  EXPECT_EQ(widest, 341);
  EXPECT_EQ(pairs, 12424);
}

using Shape = std::vector<std::int64_t>;
Shape shape_of(const conv::Convolution& c) {
  const conv::Axis& h = c.h;
  return {static_cast<std::int64_t>(c.kind),
          c.a,
          c.n_inp,
          c.n_kern,
          c.c,
          h.inp,
          h.kern,
          h.out,
          h.stride,
          h.pad_begin,
          h.inp_dilation,
          h.kern_dilation};
}

// Returns the fewest cycles of `c` over all arrays of at most `pes` PEs, with fitted sizes. More than H*W columns or
// N_KERN rows would only idle.
Cycles fewest_cycles(const conv::Convolution& c, int pes, const Readings& readings) {
  Cycles best = kNever;
  for (int x = 1; x <= std::min<std::int64_t>(pes, c.out_map()); ++x) {
    Alpha alpha;
    alpha.x = x;
    const conv::WindowGeometry window = conv::window_geometry(c, x);
    for (int y = 1; y <= std::min<std::int64_t>(pes / x, c.n_kern); ++y) {
      alpha.y = y;
      best = std::min(best, gamma(fitted(alpha, c, window), c, readings, window).total);
    }
  }
  return best;
}

// Returns the hours for the convolutions of one epoch of ImageNet (1,281,167 images) at 100 MHz.
double epoch_hours(const std::string& network, int pes, const Readings& readings = {}) {
  std::map<Shape, Cycles> known;
  Cycles batch = 0;
  for (const auto& c : test::training_convolutions(test::golden_layers(network, kBatch))) {
    const auto [it, is_new] = known.try_emplace(shape_of(c), 0);
    if (is_new) it->second = fewest_cycles(c, pes, readings);
    batch += it->second;
  }
  return static_cast<double>(batch) / 100e6 * 1281167 / kBatch / 3600;
}

// Reading N3: the equations for the convolutions of Table 5.6, with the best array for each.
TEST(HoursPerEpoch, WithFixedBurstsAreThoseOfN3) {
  EXPECT_NEAR(epoch_hours("alexnet", kLargestPes), 27.6, 0.05);
  EXPECT_NEAR(epoch_hours("googlenet", kLargestPes), 252.5, 0.05);
  EXPECT_NEAR(epoch_hours("squeezenet1_0", kLargestPes), 130.3, 0.05);
  EXPECT_NEAR(epoch_hours("alexnet", kFloatPes), 76, 0.5);
  EXPECT_NEAR(epoch_hours("googlenet", kFloatPes), 632, 0.5);
  EXPECT_NEAR(epoch_hours("squeezenet1_0", kFloatPes), 342, 0.5);
}

// N3 gives 37, 145 and 82; the equations as implemented give 37.0, 146.1 and 82.9.
TEST(HoursPerEpoch, WithIdealBurstsAreWithinTwoPercentOfN3) {
  Readings ideal;
  ideal.burst = reading::Burst::Ideal;
  EXPECT_NEAR(epoch_hours("alexnet", kFloatPes, ideal), 37, 37 * 0.02);
  EXPECT_NEAR(epoch_hours("googlenet", kFloatPes, ideal), 145, 145 * 0.02);
  EXPECT_NEAR(epoch_hours("squeezenet1_0", kFloatPes, ideal), 82, 82 * 0.02);
}

}  // namespace
}  // namespace weft::fpgpt

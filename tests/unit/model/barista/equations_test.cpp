#include "model/barista/analytical/equations.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <vector>

#include "model/barista/analytical/rtl_resources.h"
#include "model/core/error.h"

namespace weft::barista {
namespace {

constexpr Bandwidths kFitted{105.3e9, 54.6e9};

Alpha tiles(int tr, int tc, int tp, int partials = 11) {
  Alpha alpha;
  alpha.tr = tr;
  alpha.tc = tc;
  alpha.tp = tp;
  alpha.partials = partials;
  return alpha;
}

// Eqs. 4.1 to 4.9, at 250 MHz, WL = 32, B_mem = 105.3 Gb/s.
//
// The first row: 1 x 64 tiles of C. Data_tile = 32*((16+16)*27 + 256) = 35,840, 64 of them; 1*(64+16+16-2) + 121 = 215
// cycles a tile, 13,760 in all; 2,293,760 bits take 21.8 us, less than 55.04 us. Over PCIe 32*(16*27 + 1024*27 +
// 16*1024) bits.
struct Worked {
  Alpha alpha;
  std::int64_t r, p, c;
  std::int64_t tile_bits, memory_bits;
  Cycles tile_cycles, compute_cycles;
  std::int64_t pcie_bits;
  Cycles cycles;
};
const std::vector<Worked>& worked() {
  static const std::vector<Worked> all{
      {tiles(16, 16, 64), 16, 27, 1024, 35'840, 2'293'760, 215, 13'760, 1'422'848, 13'760},
      // 1 x 2 tiles, 16 deep: 16*94 + 121. 2,113,536 bits take 20.0716 us, which is 5017.9 cycles.
      {tiles(16, 16, 64), 16, 1024, 27, 1'056'768, 2'113'536, 1'625, 3'250, 1'422'848, 5'018},
      // 2 x 3 tiles, 4 deep, of a kernel in fixed point (S = 1): 4*(32+14) + 4.
      {tiles(8, 8, 32, 2), 10, 100, 20, 53'248, 319'488, 188, 1'128, 102'400, 1'128},
      // The data moved have no padding of P: 32*((2+2)*1 + 4).
      {tiles(2, 2, 4, 2), 1, 1, 1, 256, 256, 10, 10, 96, 10},
      // One word more than a tile in each direction: 2*2 tiles, 2 deep.
      {tiles(2, 2, 4, 2), 3, 5, 3, 768, 3'072, 16, 64, 1'248, 64}};
  return all;
}

TEST(BaristaEquations, TakeTheirHandWorkedValues) {
  for (const Worked& each : worked()) {
    const EquationTerms t = equations(each.alpha, {each.r, each.p, each.c}, kFitted);
    EXPECT_EQ(std::tuple(t.tile_bits, t.memory_bits, t.tile_cycles, t.compute_cycles, t.pcie_bits),
              std::tuple(each.tile_bits, each.memory_bits, each.tile_cycles, each.compute_cycles, each.pcie_bits));
    EXPECT_EQ(t.cycles, each.cycles);
    EXPECT_EQ(t.memory_bound, each.cycles != each.compute_cycles);
    EXPECT_DOUBLE_EQ(t.memory_seconds, static_cast<double>(each.memory_bits) / 105.3e9);
    EXPECT_DOUBLE_EQ(t.pcie_seconds, static_cast<double>(each.pcie_bits) / 54.6e9);
    EXPECT_DOUBLE_EQ(t.compute_seconds,
                     t.memory_bound ? t.memory_seconds : static_cast<double>(each.compute_cycles) / 250e6);
    EXPECT_DOUBLE_EQ(t.overall_seconds, t.pcie_seconds + t.compute_seconds);
  }
}

// Eq. 4.6: the memory's time counts as soon as it is the longer one.
TEST(BaristaEquations, AreBoundByWhatTakesLonger) {
  const Alpha alpha = tiles(2, 2, 4, 2);
  // 10 cycles are 40 ns; 256 bits take as long at 6.4 Gb/s.
  EXPECT_FALSE(equations(alpha, {1, 1, 1}, {6.4e9, 1e9}).memory_bound);
  EXPECT_EQ(equations(alpha, {1, 1, 1}, {6.4e9, 1e9}).cycles, 10);
  EXPECT_TRUE(equations(alpha, {1, 1, 1}, {6.3e9, 1e9}).memory_bound);
  EXPECT_EQ(equations(alpha, {1, 1, 1}, {6.3e9, 1e9}).cycles, 11);
}

// Eqs. 4.10 and 4.11: buffers A and B of Tr*Tp and Tp*Tc words, C of Tr*Tc*(S+1).
TEST(BaristaEquations, ResourcesTakeTheirHandWorkedValues) {
  EXPECT_EQ(dsp_use(tiles(16, 16, 64), 5), 1'280);
  EXPECT_EQ(dsp_use(tiles(16, 16, 64), 9), 2'304);
  // Banks: 16 rows of A and 16 columns of B, twice, and the partial sums of 256 elements; 600 words of 32 bits are two
  // blocks, of 16 bits one.
  EXPECT_EQ(bram18_of_banks(tiles(16, 16, 64)), 64 + 256);
  EXPECT_EQ(bram18_of_banks(tiles(4, 2, 600), 32), 2 * 6 * 2 + 8);
  EXPECT_EQ(bram18_of_banks(tiles(4, 2, 600), 16), 2 * 6 + 8);
  EXPECT_EQ(bram_bits(tiles(16, 16, 64), 8) * 4, bram_bits(tiles(16, 16, 64)));
  EXPECT_EQ(dsp_use(tiles(36, 36, 72), 5), 6'480);  // of the 6,840 of the XCVU9P, which 37 x 37 would not fit
  EXPECT_EQ(dsp_use(tiles(37, 37, 72), 5), 6'845);
  EXPECT_EQ(std::tuple(bram_bits(tiles(16, 16, 64)), bram_bits(tiles(36, 36, 72)), bram_bits(tiles(8, 4, 16, 2))),
            std::tuple(32 * (1'024 + 1'024 + 2'816), 32 * (2'592 + 2'592 + 14'256), 32 * (128 + 64 + 64)));
}

// Table 4.1: GOPS per watt of the convolutions of AlexNet for CIFAR-10, each layer on its own kernel, of a card of 80
// W. Per layer: the operations of its F, GI (not of the first layer) and GW divided by their time, with the two
// bandwidths that were fitted to this table.
TEST(BaristaEquations, MeetTable41) {
  struct Layer {
    std::int64_t d, window, outputs;
    Alpha alpha;
    double published;
  };
  const std::array<Layer, 5> layers{{{64, 3 * 11 * 11, 8 * 8, tiles(32, 32, 74), 0.59},
                                     {192, 64 * 5 * 5, 4 * 4, tiles(32, 32, 64), 0.29},
                                     {384, 192 * 3 * 3, 2 * 2, tiles(36, 36, 64), 0.078},
                                     {256, 384 * 3 * 3, 2 * 2, tiles(32, 32, 64), 0.076},
                                     {256, 256 * 3 * 3, 2 * 2, tiles(32, 32, 64), 0.073}}};
  for (const Layer& layer : layers) {
    std::vector<Gemm> gemms{{layer.d, layer.window, layer.outputs}, {layer.d, layer.outputs, layer.window}};
    if (&layer != &layers.front()) gemms.push_back({layer.window, layer.d, layer.outputs});
    double operations = 0, seconds = 0;
    for (const Gemm& gemm : gemms) {
      operations += 2.0 * static_cast<double>(gemm.macs());
      seconds += equations(layer.alpha, gemm, kFitted).overall_seconds;
    }
    const double gops_per_watt = operations / seconds / 1e9 / 80;
    EXPECT_NEAR(gops_per_watt, layer.published, 0.025 * layer.published);
  }
}

// A kernel of one element and one product: 12 PE-cycles for each product of 2^20 x 2^20 x P.
TEST(BaristaEquations, CountUpToALimitAndNoFurther) {
  const Alpha alpha = tiles(1, 1, 1, 1);
  const std::int64_t most = std::int64_t{1} << 17;  // 2^57 products, of 32 * 2 bits and 32 in memory
  EXPECT_EQ(equations(alpha, {1 << 20, most - 1, 1 << 20}, kFitted).memory_bits,
            (std::int64_t{1} << 40) * 32 * (2 * (most - 1) + 1));
  EXPECT_THROW(equations(alpha, {1 << 20, most, 1 << 20}, kFitted), checked::Overflow);
  // At one bit per second the cycles of the memory's time overflow before its bits do.
  EXPECT_THROW(equations(alpha, {1 << 20, 1 << 10, 1 << 20}, {1, 1e9}), checked::Overflow);
}

Alpha alpha_of(int tr, int tc, int tp, int s1, int band) {
  Alpha a = tiles(tr, tc, tp, s1);
  a.band = band;
  return a;
}

using Pipelines = std::array<int, 3>;
Pipelines pipelines(const Alpha& alpha) {
  const ElementPipelines p = element_pipelines(alpha);
  return {p.multiplier, p.adder, p.partials};
}

// An output tile has S1^2 final cycles. An element needs mul + add for its last product and add + 1 for each of S1 - 1
// sums, and has all of them but the last: mul + add + (S1 - 1)(add + 1) <= S1^2 - 1. An adder of `add` registers needs
// add + 1 <= S1 where products follow each other.
TEST(BaristaElement, ItsPipelinesAreAsLongAsS1Allows) {
  EXPECT_EQ(pipelines(alpha_of(16, 16, 64, 11, 16)), (Pipelines{3, 2, 11}));
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 4, 8)), (Pipelines{3, 2, 4})) << "3 + 2 + 3 * 3 = 14 <= 15";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 3, 8)), (Pipelines{3, 1, 3})) << "3 + 1 + 2 * 2 = 8 <= 8, with 2 it were 11";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 2, 8)), (Pipelines{0, 1, 2})) << "0 + 1 + 2 = 3 <= 3, with a multiplier 5";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 1, 8)), (Pipelines{0, 0, 1}));
  EXPECT_EQ(pipelines(alpha_of(4, 4, 2, 11, 8)), (Pipelines{3, 2, 2})) << "a tile of two products reaches two";
  // One element and one product: the next tile's product arrives in the next cycle, Xm = 1.
  EXPECT_EQ(pipelines(alpha_of(1, 1, 1, 4, 4)), (Pipelines{3, 0, 1}));
}

// Row u of A: beats u*Tp/BAND to (u*Tp + Tp - 1)/BAND, in two halves. 14 bits of 32 words are 8 LUTs.
TEST(BaristaRtlMemories, FollowFromTheTile) {
  // <2, 2, 8>, band 4: rows of 2 beats, 4 words deep, 128 bits: 10 times 8. Columns: a beat has 2 words of each, 4
  // beats, 8 deep, 64 bits: 5 times 8.
  const Alpha small = alpha_of(2, 2, 8, 4, 4);
  EXPECT_EQ(memory_use(RtlBlock::ATile, small).lut, 2 * 80);
  EXPECT_EQ(memory_use(RtlBlock::BTile, small).lut, 2 * 40);
  // <3, 6, 10>, band 8: rows begin in lanes 0, 2, 4 of beats 0, 1, 2: 2, 2 and 2 beats, 256 bits: 19 times 8. Columns:
  // up to 2 words of a beat, 8 beats, 16 deep, 64 bits.
  const Alpha odd = alpha_of(3, 6, 10, 4, 8);
  EXPECT_EQ(memory_use(RtlBlock::ATile, odd).lut, 3 * 152);
  EXPECT_EQ(memory_use(RtlBlock::BTile, odd).lut, 6 * 40);
  // <16, 16, 64>, band 16: rows of 4 beats, 512 bits: 37 times 8. Columns: one word of each beat, 128 words deep: 7
  // bits of 64 words are 8 LUTs, 5 of them twice.
  const Alpha built = alpha_of(16, 16, 64, 11, 16);
  EXPECT_EQ(memory_use(RtlBlock::ATile, built).lut, 16 * 37 * 8);
  EXPECT_EQ(memory_use(RtlBlock::BTile, built).lut, 16 * 5 * 8 * 2);
  // <1, 1, 512>, band 16: a row of 32 beats, 64 words deep: 512 bits are 74 times 7.
  EXPECT_EQ(memory_use(RtlBlock::ATile, alpha_of(1, 1, 512, 11, 16)).lut, 74 * 8);
  // Beats of A, B and C 32 deep, rows of C 4 deep: 512 bits each.
  EXPECT_EQ(memory_use(RtlBlock::Fifos, built).lut, 4 * 37 * 8);
  EXPECT_TRUE(memory_use(RtlBlock::Mesh, built) == LogicUse{}) << "the fit has the partial sums";
}

// yosys makes two DSPs of a product of 24 by 24 bits; the other cells do not grow with the mesh.
TEST(BaristaRtlResources, AnElementTakesTwoDsps) {
  const auto dsps = [](int tr, int tc) { return synthesised(RtlBlock::Mesh, alpha_of(tr, tc, 64, 11, 16)).dsp; };
  EXPECT_EQ(dsps(16, 16), 512);
  EXPECT_EQ(dsps(8, 4), 64);
}

}  // namespace
}  // namespace weft::barista

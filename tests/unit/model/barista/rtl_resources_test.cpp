#include "model/barista/analytical/rtl_resources.h"

#include <gtest/gtest.h>

#include <array>

namespace weft::barista {
namespace {

Alpha alpha_of(int tr, int tc, int tp, int s1, int band) {
  Alpha a;
  a.tr = tr;
  a.tc = tc;
  a.tp = tp;
  a.partials = s1;
  a.band = band;
  return a;
}

using Pipelines = std::array<int, 3>;
Pipelines pipelines(const Alpha& alpha) {
  const ElementPipelines p = element_pipelines(alpha);
  return {p.multiplier, p.adder, p.partials};
}

// Of an output tile's S1^2 final cycles an element needs mul + add for its last product and add + 1 for each of S1 - 1
// sums, and has them but for the last: mul + add + (S1 - 1)(add + 1) <= S1^2 - 1. An adder of `add` registers needs add
// + 1 <= S1 where products follow each other.
TEST(BaristaElement, ItsPipelinesAreAsLongAsS1Allows) {
  EXPECT_EQ(pipelines(alpha_of(16, 16, 64, 11, 16)), (Pipelines{3, 2, 11}));
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 4, 8)), (Pipelines{3, 2, 4})) << "3 + 2 + 3 * 3 = 14 <= 15";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 3, 8)), (Pipelines{3, 1, 3})) << "3 + 1 + 2 * 2 = 8 <= 8, with 2 it were 11";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 2, 8)), (Pipelines{0, 1, 2})) << "0 + 1 + 2 = 3 <= 3, with a multiplier 5";
  EXPECT_EQ(pipelines(alpha_of(4, 4, 16, 1, 8)), (Pipelines{0, 0, 1}));
  EXPECT_EQ(pipelines(alpha_of(4, 4, 2, 11, 8)), (Pipelines{3, 2, 2})) << "a tile of two products reaches two";
  // One element and one product: the next tile's product is there in the next cycle, Xm = 1.
  EXPECT_EQ(pipelines(alpha_of(1, 1, 1, 4, 4)), (Pipelines{3, 0, 1}));
}

// A: of row u the beats u*Tp/BAND to (u*Tp + Tp - 1)/BAND, in two halves. 14 bits of 32 words are 8 LUTs.
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

// yosys makes two DSPs of a product of 24 by 24 bits; what else there is does not grow with the mesh.
TEST(BaristaRtlResources, AnElementTakesTwoDsps) {
  const auto dsps = [](int tr, int tc) { return synthesised(RtlBlock::Mesh, alpha_of(tr, tc, 64, 11, 16)).dsp; };
  EXPECT_EQ(dsps(16, 16), 512);
  EXPECT_EQ(dsps(8, 4), 64);
}

}  // namespace
}  // namespace weft::barista

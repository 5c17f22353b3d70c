#include "model/batchlane/analytical/equations.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/batchlane/buffers.h"
#include "model/core/error.h"
#include "tests/random/batchlane/random_pass.h"

namespace weft::batchlane {
namespace {

Alpha deephi() {
  Alpha alpha;
  alpha.feature_port = alpha.csb_port = alpha.result_port = {64, 16};
  return alpha;
}

Plan plan_of(const conv::Layer& layer, conv::Kind kind, double density) {
  const Alpha alpha = deephi();
  const auto mask = sparse::balanced_mask(layer.filters, layer.channels, density, {alpha.pes, alpha.block()}, 1, "l");
  return make_plan(alpha, layer, kind, mask, {}, {}, false);
}

// conv5 of the published table: 4 blocks of 512 channels, 2 beats each, and 512 results of 8 beats, all with a round
// trip of 32 cycles: 4 * 512 * 34 + 512 * 40 = 90112 cycles, 360 us at 250 MHz; the table says 366.
TEST(BatchlaneEquations, Conv5IsBoundByItsRoundTrips) {
  const EquationTerms t = equations(plan_of(test::layer_of(512, 512, 2, 2, 3, 32), conv::Kind::F, 0.1), {}, {32, 32});
  EXPECT_TRUE(t.memory_bound);
  EXPECT_EQ(t.reads, 4 * 512 * 34);
  EXPECT_EQ(t.writes, 512 * 40);
  EXPECT_EQ(t.cycles, 90112);
  EXPECT_EQ(t.transfers, 4 * 512 + 512);
}

// conv4_1, half kept: 256 * 512 * 16 * 9 / 2 / 32 cycles, after the first channel (8 beats), before the last bank (128
// results of 32 beats).
TEST(BatchlaneEquations, Conv4IsBoundByItsPes) {
  const Plan plan = plan_of(test::layer_of(256, 512, 4, 4, 3, 32), conv::Kind::F, 0.5);
  const EquationTerms t = equations(plan, {}, {32, 32});
  EXPECT_FALSE(t.memory_bound);
  EXPECT_EQ(t.compute, 294912);
  EXPECT_EQ(t.cycles, 40 + 294912 + 128 * 64 + 1);
  Readings readings;
  readings.tail = Readings::Tail::Hidden;
  EXPECT_EQ(equations(plan, readings, {32, 32}).cycles, 40 + 294912);
  readings.balance = Readings::Balance::Slowest;  // balanced masks have no slowest PE
  EXPECT_EQ(equations(plan, readings, {32, 32}).cycles, 40 + 294912);
}

// GW of conv5_1, a tenth kept, of 512 channels and outputs of 2 x 2 maps: 16 beats of dY as words, 2 as bytes. Sums are
// 832 strips of 32 kernels, one on each PE.
TEST(BatchlaneEquations, GwFollowsItsReadings) {
  const Plan plan = plan_of(test::layer_of(512, 512, 2, 2, 3, 32), conv::Kind::GW, 0.1);
  const EquationTerms t = equations(plan, {}, {32, 32});
  EXPECT_EQ(t.reads, 4 * 512 * 34 + 512 * 34);
  EXPECT_EQ(t.transfers, 4 * 512 + 512 + 832);
  Readings readings;
  readings.gw_gradients = Readings::GwGradients::Words;
  EXPECT_EQ(equations(plan, readings, {32, 32}).reads, 4 * 512 * 34 + 512 * 40);
  readings.gw_gradients = Readings::GwGradients::Bytes;
  readings.gw_sums = Readings::GwSums::Accumulated;
  const EquationTerms added = equations(plan, readings, {32, 32});
  EXPECT_EQ(added.reads, t.reads + t.writes);
  EXPECT_EQ(added.transfers, t.transfers + 832);
  readings.gw_overlap = Readings::GwOverlap::None;
  EXPECT_EQ(equations(plan, readings, {32, 32}).cycles, t.compute + plan.adder_cycles() + added.reads + added.writes);
  const Plan f = plan_of(test::layer_of(512, 512, 2, 2, 3, 32), conv::Kind::F, 0.1);
  EXPECT_EQ(equations(f, readings, {32, 32}).cycles, equations(f, {}, {32, 32}).cycles);
}

// 32 PEs, two banks each of 32 lanes x 32 bits = 1024 bits: 15 blocks of 72, which are 512 deep; 4 outputs of 64 pixels
// are 256. Channels of 4 x 4 pixels, 2 buffers, 256 bits wide: 4 blocks in each of 8 groups.
TEST(BatchlaneEquations, BramFollowsFromTheShapesOfTheBuffers) {
  const BramUse use = bram36_of(plan_of(test::layer_of(256, 512, 4, 4, 3, 32), conv::Kind::F, 0.5));
  EXPECT_EQ(use.accumulators, 2 * 32 * 15);
  EXPECT_EQ(use.channels, 8 * 4);
  // 4 strips of 128 kernels of 11 bytes, 9 a word: 626 words, 2 blocks of 512 x 72; 64 beats of 512 bits: 8.
  EXPECT_EQ(use.kernels, 2 + 8);
}

// 8 PEs of 4 lanes in groups of 4: 32 MACs and accumulators, 2 trees of 15 adders of 32 bits. Each part costs a power
// of ten, so that the digits of the sum are the counts.
TEST(BatchlaneEquations, FabricIsWhatItsPartsTake) {
  Alpha alpha = deephi();
  alpha.lanes = 4;
  alpha.pes = 8;
  Fabric fabric;
  fabric.mac = {1, 0};
  fabric.accumulator = {100, 1};
  fabric.adder_bit = {10'000, 0};
  fabric.pe = {100'000'000, 0};
  fabric.port = {1'000'000'000, 0};
  fabric.once = {10'000'000'000, 5};
  EXPECT_EQ(fabric_of(alpha, fabric).lut, 13'809'603'232);  // 1 once, 3 ports, 8 PEs, 2 * 15 * 32 bits, 32, 32
  EXPECT_EQ(fabric_of(alpha, fabric).ff, 32 + 5);
  // Dense: one accumulator per lane; a tree of 3 adders for each PE's lanes in GW, one of 7 for the PEs of each lane.
  alpha.across = Across::Channels;
  alpha.split = 1;
  EXPECT_EQ(fabric_of(alpha, fabric).lut, 13'800'000'000 + (8 * 3 + 4 * 7) * 32 * 10'000 + 4 * 100 + 32);
}

// DarkFPGA's F: ceil(B / T_B) * D * Ho * Wo * k*k * ceil(C / T_I), GI with C and D swapped, GW as F. The first two
// layers of its network (assumed): 3 channels are one group of 32, 128 are four.
TEST(BatchlaneEquations, DenseComputingIsDarkFpgasEquation) {
  Alpha alpha = deephi();
  alpha.lanes = 128;
  alpha.split = 1;
  alpha.across = Across::Channels;
  alpha.outputs_per_pe = 128;
  const auto compute = [&](int channels, int filters, conv::Kind kind) {
    const conv::Layer layer = test::layer_of(channels, filters, 32, 32, 3, 128);
    return equations(make_plan(alpha, layer, kind, sparse::Mask(filters, channels, true), {}, {}, false), {}, {32, 32})
        .compute;
  };
  // 40 channels of 4 x 4 pixels, 32 beats each, are 40 transfers, not one for each of their two groups.
  const conv::Layer layer = test::layer_of(40, 16, 4, 4, 1, 128);
  const EquationTerms t =
      equations(make_plan(alpha, layer, conv::Kind::F, sparse::Mask(16, 40, true), {}, {}, false), {}, {32, 32});
  EXPECT_EQ(t.reads, 40 * (32 + 32));
  EXPECT_EQ(t.fill, 32 * (32 + 32));
  EXPECT_EQ(compute(3, 128, conv::Kind::F), 128 * 1024 * 9);
  EXPECT_EQ(compute(3, 128, conv::Kind::GI), 3 * 1024 * 9 * 4);
  EXPECT_EQ(compute(3, 128, conv::Kind::GW), 128 * 1024 * 9);
  EXPECT_EQ(compute(128, 256, conv::Kind::F), 256 * 1024 * 9 * 4);
  EXPECT_EQ(compute(128, 256, conv::Kind::GI), 128 * 1024 * 9 * 8);
}

TEST(BatchlanePlan, CountsKernelsAndWeightsUpToALimitAndNoFurther) {
  EXPECT_NO_THROW(require_countable(test::layer_of(65536, 65535, 2, 2, 3, 32)));
  EXPECT_NO_THROW(require_countable(test::layer_of(1, 1, 65536, 65536, 1024, 32)));
  for (const auto& layer : {test::layer_of(65536, 65536, 2, 2, 3, 32), test::layer_of(65537, 1, 2, 2, 3, 32),
                            test::layer_of(1, 65537, 2, 2, 3, 32), test::layer_of(1, 1, 65536, 65536, 1025, 32),
                            test::layer_of(1, 1, 65537, 1, 1, 32), test::layer_of(1, 1, 1, 65537, 1, 32)}) {
    EXPECT_THROW(require_countable(layer), Error);
  }
}

// A channel of 2 x 2 pixels is two beats, after a round trip of 2^61 cycles.
TEST(BatchlaneEquations, CountUpToALimitAndNoFurther) {
  const Plan plan = plan_of(test::layer_of(3, 1, 2, 2, 1, 32), conv::Kind::F, 1);
  const Cycles beats = 3 * 2;
  EXPECT_EQ(equations(plan, {}, {Cycles{1} << 61, 0}).reads, beats + (Cycles{3} << 61));
  const Plan more = plan_of(test::layer_of(5, 1, 2, 2, 1, 32), conv::Kind::F, 1);
  EXPECT_THROW(equations(more, {}, {Cycles{1} << 61, 0}), checked::Overflow);
}

// NUM-2: 2^31 - 1 + 1 wraps to -2^31 and is counted; so is the wrap in the other direction.
TEST(BatchlaneNumbers, ASumThatLeaves32BitsWrapsAndIsCounted) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max(),
                         kLeast = std::numeric_limits<std::int32_t>::min();
  std::int64_t overflows = 0;
  EXPECT_EQ(add32(kMost, 0, overflows), kMost);
  EXPECT_EQ(overflows, 0);
  EXPECT_EQ(add32(kMost, 1, overflows), kLeast);
  EXPECT_EQ(overflows, 1);
  EXPECT_EQ(add32(kLeast, -1, overflows), kMost);
  EXPECT_EQ(overflows, 2);
}

}  // namespace
}  // namespace weft::batchlane

#include <gtest/gtest.h>

#include <ostream>

#include "model/batchlane/kernel.h"
#include "tests/random/batchlane/random_pass.h"
#include "tests/support/random_memory.h"
#include "tests/support/texts.h"

namespace weft::batchlane {
namespace {

// Runs a pass on a memory whose first beat and whose response take `latency` cycles, from the request or the last beat.
PassResult simulated(const Alpha& alpha, const conv::Layer& layer, conv::Kind kind, const sparse::Mask& mask,
                     Cycles latency) {
  const Plan plan = make_plan(alpha, layer, kind, mask, {}, test::kBases, false);
  weft::test::RandomMemory memory(latency - 1, latency - 1, 1);
  return run_exact(plan, memory, nullptr);
}

Alpha alpha_of(int lanes, int pes) {
  Alpha alpha;
  alpha.lanes = lanes;
  alpha.pes = pes;
  alpha.feature_port = alpha.csb_port = alpha.result_port = {64, 16};
  return alpha;
}

// CONTRACT.md, section 7, cycle by cycle: T = 42.
TEST(BatchlaneContract, TheWorkedExampleTakes42Cycles) {
  Alpha alpha = alpha_of(16, 4);
  alpha.outputs_per_pe = 1;
  const conv::Layer layer = test::layer_of(2, 4, 2, 2, 1, 16);
  const PassResult result = simulated(alpha, layer, conv::Kind::F, sparse::Mask(4, 2, true), 3);
  EXPECT_EQ(result.cycles, 42);
  // The PEs are busy in 5..12. They release one channel in 9 and the other, with the bank, in 13.
  EXPECT_EQ(result.activities[static_cast<std::size_t>(Block::Array)].of(Activity::Active), 9);
  EXPECT_EQ(result.pe_cycles[static_cast<std::size_t>(PeClass::Useful)], 8 * 4 * 16);
}

struct Shape {
  int channels, filters, side, kernel;
  double density;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.channels << "x" << shape.filters << " of " << shape.side << ", kernel " << shape.kernel << ", density "
       << shape.density;
}

// In every strip all PEs have equal numbers of kernels, and channels take longer to compute than to read: waits occur
// only at the ends.
constexpr Shape kShapes[] = {{32, 32, 8, 3, 1},      {64, 64, 8, 3, 0.5},    {128, 128, 4, 3, 0.5},
                             {128, 128, 4, 3, 0.25}, {256, 128, 4, 3, 0.25}, {64, 64, 8, 1, 1}};
constexpr Cycles kLatency = 3;

class ClosedForm : public testing::TestWithParam<Shape> {
 protected:
  const Shape shape = GetParam();
  const conv::Layer layer = test::layer_of(shape.channels, shape.filters, shape.side, shape.side, shape.kernel, 16);
  Alpha alpha = alpha_of(16, 32);
  const sparse::Mask mask =
      sparse::balanced_mask(shape.filters, shape.channels, shape.density, {alpha.pes, alpha.block()}, 7, "layer");
  const int pixels = shape.side * shape.side, taps = shape.kernel * shape.kernel;
  const Cycles s = mask.kept() * pixels * taps / alpha.pes, n = pixels * 16 / 64;
};

TEST_P(ClosedForm, FAndGiTakeTheirMacsDividedByThePes) {
  const auto dense = std::int64_t{shape.channels} * shape.filters;
  ASSERT_EQ(static_cast<double>(mask.kept()), shape.density * static_cast<double>(dense));
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI}) {
    const int streamed = kind == conv::Kind::F ? shape.channels : shape.filters;
    const int outputs = kind == conv::Kind::F ? shape.filters : shape.channels;
    const Cycles w = pixels;
    // Kernels of the first strip, 128 outputs or all; m: its bytes in whole beats.
    const std::int64_t first = mask.kept() / streamed * std::min(128, outputs) / outputs;
    const Cycles m = ceil_div(first * (taps + 2), 64);
    const int last = (outputs - 1) % 128 + 1;
    EXPECT_EQ(simulated(alpha, layer, kind, mask, kLatency).cycles,
              std::max(kLatency + n, kLatency + m + 1) + s + 1 + last * (w + kLatency))
        << conv::to_string(kind);
  }
}

TEST_P(ClosedForm, GwTakesItsMacsDividedByThePesBehindTheLoadOfDy) {
  alpha.strips = 8;
  const std::int64_t kernels = mask.kept() / shape.channels;  // kernels of a strip
  const Plan plan = make_plan(alpha, layer, conv::Kind::GW, mask, {}, test::kBases, false);
  ASSERT_EQ(plan.blocks, 1);
  const std::int64_t last = plan.steps() - 1;
  ASSERT_EQ(plan.kernels_of(last), kernels);
  const Cycles w = plan.sum_transfer(last).beats(64);
  // Partial sums of 4 PEs x 16 lanes: 6 stages.
  EXPECT_EQ(simulated(alpha, layer, conv::Kind::GW, mask, kLatency).cycles,
            shape.filters * (n + kLatency) + kLatency + n + s + 1 + (taps + 6) + w + kLatency);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ClosedForm, testing::ValuesIn(kShapes));

// DN-2, DN-4 (CONTRACT.md, section 11): 20 inputs on 8 PEs are 3 groups, 32 outputs 4: S = O * P * k*k * ceil(N / 8). A
// channel has 64 pixels of 16 lanes, 16 beats, the first group eight channels; a strip of 32 outputs has 32 * 72 bytes,
// 36 beats; an output 64 beats, the sums of a strip 32 * 72 words, 144 beats.
TEST(BatchlaneContract, ADensePassTakesItsOutputsTimesGroupsOfChannels) {
  Alpha alpha = alpha_of(16, 8);
  alpha.across = Across::Channels;
  alpha.split = 1;
  alpha.outputs_per_pe = 32;
  const conv::Layer layer = test::layer_of(20, 32, 8, 8, 3, 16);
  const sparse::Mask mask(32, 20, true);
  const Cycles l = 3, group = 8 * (16 + l);
  const auto cycles = [&](conv::Kind kind) { return simulated(alpha, layer, kind, mask, l).cycles; };
  EXPECT_EQ(cycles(conv::Kind::F), group + 32 * 64 * 9 * 3 + 1 + 32 * (64 + l));
  EXPECT_EQ(cycles(conv::Kind::GI), group + 20 * 64 * 9 * 4 + 1 + 20 * (64 + l));
  // GW starts after dY of 32 outputs; 16 lanes are added in 4 stages.
  EXPECT_EQ(cycles(conv::Kind::GW), 32 * (16 + l) + group + 32 * 64 * 9 * 3 + 1 + (9 + 4) + 144 + l);
  // 4 of the 24 places of 3 groups have no channel.
  const PassResult result = simulated(alpha, layer, conv::Kind::F, mask, l);
  EXPECT_EQ(result.pe_cycles[static_cast<std::size_t>(PeClass::Useful)], 32 * 20 * 64 * 9 * 16);
  EXPECT_EQ(result.pe_cycles[static_cast<std::size_t>(PeClass::SplitRest)], 32 * 4 * 64 * 9 * 16);
  // The last group has four channels, and no more are read.
  EXPECT_EQ(result.ports[static_cast<std::size_t>(Port::Feature)].read_beats, 20 * 16);
}

// PE-2, FR-1 of a layer of stride 2: X of 6 x 6, dY of 3 x 3, kernels of 3 x 3, padding 1 before each axis. Each result
// of F has nine products. Of GI's results one of four has one product, two have two and one has four: 9 * (1 + 2 + 2 +
// 4) in all. Tiles of 12 pixels: F has one of all 3 rows, GI three of 2 rows.
TEST(BatchlaneContract, StridesTakeTheProductsThatReachASample) {
  Alpha alpha = alpha_of(16, 4);
  alpha.outputs_per_pe = 1;
  alpha.split = 2;
  alpha.tile_pixels = 12;
  conv::Layer layer = test::layer_of(4, 4, 6, 6, 3, 16);
  layer.h.stride = layer.w.stride = 2;
  layer.h.pad_end = layer.w.pad_end = 0;
  const auto plan = [&](conv::Kind kind) {
    return make_plan(alpha, layer, kind, sparse::Mask(4, 4, true), {}, test::kBases, false);
  };
  const Plan f = plan(conv::Kind::F), gi = plan(conv::Kind::GI), gw = plan(conv::Kind::GW);
  ASSERT_EQ(f.tiles.size(), 1U);
  ASSERT_EQ(gi.tiles.size(), 3U);
  EXPECT_EQ(f.tiles[0].products, 81);
  EXPECT_EQ(f.tiles[0].in_rows, 6);
  for (const Tile& tile : gi.tiles) EXPECT_EQ(tile.products, 27);
  // Results in rows 0 and 1 add dY of rows 0 and 1, in rows 2 and 3 of 1 and 2, and in rows 4 and 5 of 2.
  EXPECT_EQ(gi.tiles[0].in_rows, 2);
  EXPECT_EQ(gi.tiles[1].first_in_row, 1);
  EXPECT_EQ(gi.tiles[2].in_rows, 1);
  // Two PEs share the 9 pixels of a tap: 5 cycles.
  EXPECT_EQ(gw.tiles[0].cycles, 9 * 5);
  EXPECT_EQ(gw.tiles[0].products, 81);
  const auto useful = [&](conv::Kind kind) {
    return simulated(alpha, layer, kind, sparse::Mask(4, 4, true), 3)
        .pe_cycles[static_cast<std::size_t>(PeClass::Useful)];
  };
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) EXPECT_EQ(useful(kind), 81 * 16 * 16);
}

// The last images of a batch leave lanes unused and take the cycles of a full batch.
TEST(BatchlaneContract, APartialBatchTakesTheSameCyclesWithUnusedLanes) {
  const Alpha alpha = alpha_of(16, 4);
  const sparse::Mask mask(8, 3, true);
  const PassResult full = simulated(alpha, test::layer_of(3, 8, 4, 4, 3, 16), conv::Kind::F, mask, 5);
  const PassResult part = simulated(alpha, test::layer_of(3, 8, 4, 4, 3, 5), conv::Kind::F, mask, 5);
  EXPECT_EQ(part.cycles, full.cycles);
  const auto of = [](const PassResult& result, PeClass each) {
    return result.pe_cycles[static_cast<std::size_t>(each)];
  };
  EXPECT_EQ(of(full, PeClass::UnusedLanes), 0);
  EXPECT_EQ(of(part, PeClass::Useful) * 16, of(full, PeClass::Useful) * 5);
  EXPECT_EQ(of(part, PeClass::UnusedLanes) * 16, of(full, PeClass::Useful) * 11);
}

// FP-3: a memory-bound pass is as long as the sum of its transfers: C of n + l cycles for each block, and the outputs
// of w + l. Two blocks of 4 outputs, 1 x 1 maps of 16 lanes: n = w = 1.
TEST(BatchlaneContract, AMemoryBoundPassIsTheSumOfItsTransfers) {
  Alpha alpha = alpha_of(16, 4);
  alpha.outputs_per_pe = 1;
  const PassResult result =
      simulated(alpha, test::layer_of(20, 8, 1, 1, 1, 16), conv::Kind::F, sparse::Mask(8, 20, true), 30);
  // The last channel ends in cycle 40 * 31 - 1, or after the results of the first block where these go first; then one
  // cycle each until the channel is visible, for its kernel, and until the bank is visible; then four results.
  EXPECT_EQ(result.cycles, (2 * 20 + 4) * 31 + 1 + 1 + 4 * 31);
}

// With one buffer the next channel is read only when the slowest PE has finished the current one.
TEST(BatchlaneContract, OneBufferWaitsForTheSlowestPe) {
  Alpha alpha = alpha_of(16, 2);
  alpha.outputs_per_pe = 2;
  sparse::Mask mask(4, 2);  // PE 0 has outputs 0 and 2, PE 1 has 1 and 3
  mask.set(0, 0, true);
  mask.set(2, 0, true);
  mask.set(1, 1, true);
  mask.set(3, 1, true);
  const conv::Layer layer = test::layer_of(2, 4, 4, 4, 3, 16);
  // Two kernels of 9 taps, 16 pixels each: 288 cycles on either PE, concurrently or one after the other.
  const Cycles n = 4, w = 16, l = 3;
  alpha.ahead = 2;
  // Channel 1 follows channel 0 after n + l cycles.
  EXPECT_EQ(simulated(alpha, layer, conv::Kind::F, mask, l).cycles, (l + n) + (n + l) + 288 + 1 + 4 * (w + l));
  alpha.ahead = 1;
  // PE 0 is done in the cycle after its last one; its pop frees the buffer for the next cycle.
  EXPECT_EQ(simulated(alpha, layer, conv::Kind::F, mask, l).cycles,
            (l + n) + 288 + 1 + (l + n) + 288 + 1 + 4 * (w + l));
}

TEST(BatchlanePlan, RefusesWhatItDoesNotHold) {
  const auto message = [](const conv::Layer& layer, conv::Kind kind, int tile) -> std::string {
    Alpha alpha = alpha_of(16, 4);
    alpha.outputs_per_pe = 1;
    alpha.tile_pixels = tile;
    return weft::test::message_of(
        [&] { make_plan(alpha, layer, kind, sparse::Mask(layer.filters, layer.channels, true), {}, {}, false); });
  };
  EXPECT_EQ(message(test::layer_of(1, 1, 4, 4, 3, 1), conv::Kind::F, 3),
            "3 is too few for layer 'layer': the accumulators of an output hold less than a row; allowed: 4 or more");
  EXPECT_EQ(message(test::layer_of(1, 1, 40, 40, 3, 1), conv::Kind::GW, 40),
            "40 is too few for layer 'layer', GW: a bank of accumulators holds 10240 bytes, and the gradients of "
            "an output have 25600; allowed: 100 or more");
  Alpha dense = alpha_of(16, 4);
  dense.across = Across::Channels;
  EXPECT_EQ(weft::test::message_of([&] {
              make_plan(dense, test::layer_of(2, 2, 4, 4, 3, 1), conv::Kind::F, sparse::Mask(2, 2), {}, {}, false);
            }),
            "layer 'layer': sparsity: kernel.across channels computes every weight; allowed: density 1, or "
            "kernel.across outputs");
  conv::Layer dilated = test::layer_of(1, 1, 4, 4, 3, 1);
  dilated.h.dilation = 2;
  EXPECT_EQ(message(dilated, conv::Kind::F, 64),
            "layer 'layer': dilation 2; a batch-lane kernel needs dilation 1 (kernels/batchlane/CONTRACT.md, section "
            "1)");
}

}  // namespace
}  // namespace weft::batchlane

#include <gtest/gtest.h>

#include <algorithm>
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

constexpr int kBatch = 256;
constexpr int kFloatPes = 3072 / 9;    // 341: reading F18
constexpr int kLargestPes = 4096 / 3;  // 1365: what N3 compares with

// Reading F18: the thesis' 12,424 (X, Y) of inception 3b branch3-1, section 5.6.2.
TEST(DesignSpace, HasTheThesisNumberOfArraysForInception3bBranch3) {
  const auto layers = test::golden_layers("googlenet", kBatch);
  const auto c = workloads::lower(test::layer_named(layers, "inception3b.branch3.1.conv"), conv::Kind::F);
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
  return {static_cast<std::int64_t>(c.kind),
          c.a,
          c.n_inp,
          c.n_kern,
          c.c,
          c.h.inp,
          c.h.kern,
          c.h.out,
          c.h.stride,
          c.h.pad_begin,
          c.h.inp_dilation,
          c.h.kern_dilation};
}

// The fewest cycles of `c` over all arrays of at most `pes` PEs, sizes fitted. Columns beyond H*W and rows beyond
// N_KERN would only idle.
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

// Hours for the convolutions of one epoch of ImageNet (1,281,167 images) at 100 MHz.
double hours_per_epoch(const std::string& network, int pes, const Readings& readings = {}) {
  std::map<Shape, Cycles> known;
  Cycles batch = 0;
  for (const auto& c : test::training_convolutions(test::golden_layers(network, kBatch))) {
    const auto [it, is_new] = known.try_emplace(shape_of(c), 0);
    if (is_new) it->second = fewest_cycles(c, pes, readings);
    batch += it->second;
  }
  return static_cast<double>(batch) / 100e6 * 1281167 / kBatch / 3600;
}

// Reading N3: what the equations give for the convolutions behind Table 5.6, the best array for each.
TEST(HoursPerEpoch, WithFixedBurstsAreThoseOfN3) {
  EXPECT_NEAR(hours_per_epoch("alexnet", kLargestPes), 27.6, 0.05);
  EXPECT_NEAR(hours_per_epoch("googlenet", kLargestPes), 252.5, 0.05);
  EXPECT_NEAR(hours_per_epoch("squeezenet1_0", kLargestPes), 130.3, 0.05);
  EXPECT_NEAR(hours_per_epoch("alexnet", kFloatPes), 76, 0.5);
  EXPECT_NEAR(hours_per_epoch("googlenet", kFloatPes), 632, 0.5);
  EXPECT_NEAR(hours_per_epoch("squeezenet1_0", kFloatPes), 342, 0.5);
}

// N3 says 37, 145 and 82; the equations as they are here give 37.0, 146.1 and 82.9.
TEST(HoursPerEpoch, WithIdealBurstsAreWithinTwoPercentOfN3) {
  Readings ideal;
  ideal.burst = reading::Burst::Ideal;
  EXPECT_NEAR(hours_per_epoch("alexnet", kFloatPes, ideal), 37, 37 * 0.02);
  EXPECT_NEAR(hours_per_epoch("googlenet", kFloatPes, ideal), 145, 145 * 0.02);
  EXPECT_NEAR(hours_per_epoch("squeezenet1_0", kFloatPes, ideal), 82, 82 * 0.02);
}

}  // namespace
}  // namespace weft::fpgpt

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"

namespace weft::pipeline {
namespace {

conv::LayerAxis axis(int size, int kernel, int stride, int pad) {
  return {size, kernel, stride, pad, pad, 1};
}

// 9 pixels, 2 cycles each; line buffer of 3 x 3 in 3 x 3, 5 pixels behind; 3 cycles each. The slowest has 8 pixels
// more than its first, 8 * 3. The lag of 4 pixels before it passes at the source's 2 cycles, 4 * 2.
TEST(ChainLatency, IsThatOfTheHeaviestPath) {
  EXPECT_EQ(chain_latency({{2, 1}, {1, 5}, {3, 1}, {1, 1}}, 9), (2 + 1 + 3 + 1) + 8 * 3 + 4 * 2);
  // Behind the slowest, the last 4 windows go out at the 2 cycles of what follows.
  EXPECT_EQ(chain_latency({{3, 1}, {1, 5}, {2, 1}, {1, 1}}, 9), (3 + 1 + 2 + 1) + 8 * 3 + 4 * 2);
  EXPECT_THROW(chain_latency({{1, 1}, {1, 5}, {1, 6}}, 9), Error);
  EXPECT_NO_THROW(chain_latency({{1, 1}, {1, 5}, {1, 5}}, 9));
}

TEST(ChainLatency, IsTheExactRungsOfRandomChains) {
  std::mt19937 random(20);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const int height = between(4, 9), width = between(4, 9);
    const std::int64_t pixels = std::int64_t{height} * width;
    const Cycles throttle = between(1, 5);
    std::vector<Stage> stages{{throttle, 1}};
    Pipeline chain;
    BlockId at = chain.add(source("source", pixels, throttle));
    std::int64_t lags = 0;
    const auto append = [&](Block block, Stage stage) {
      const BlockId next = chain.add(std::move(block));
      chain.join(at, next);
      at = next;
      stages.push_back(stage);
    };
    for (int layers = between(1, 4); layers > 0; --layers) {
      const int kernel = between(0, 1) == 0 ? 1 : 3;
      const conv::LayerAxis h = axis(height, kernel, 1, kernel / 2), w = axis(width, kernel, 1, kernel / 2);
      if (lags + lag(h, w) - 1 >= pixels) break;
      lags += lag(h, w) - 1;
      append(windows("lines", h, w), {1, lag(h, w)});
      const Cycles cycles = between(1, 6);
      append(each("macs", pixels, cycles), {cycles, 1});
    }
    append(sink("sink", pixels), {1, 1});
    EXPECT_EQ(chain_latency(stages, pixels), simulate(chain, 1).ends[0]);
  }
}

// An image's 3 pixels enter in 9 cycles. The first image ends behind 3 + 3 + 1 + 1 + 2 * 3 = 14, each other 9 later:
// four behind 41. The last pixel entered by 36. 100 words at 16 a cycle are 7 cycles, and 10 at 4 are 3 beside them.
TEST(Batch, IsWrittenRunsEmptyAndIsFollowedByTheSlowestUpdate) {
  Pipeline chain;
  BlockId at = chain.add(source("source", 3, 3));
  for (const Block& block : {each("each", 3, 3), each("each", 3, 1), sink("sink", 3)}) {
    const BlockId next = chain.add(block);
    chain.join(at, next, 2);
    at = next;
  }
  const BatchTimes times = batch(chain, 4, {{"a", 100, 16}, {"b", 10, 4}});
  EXPECT_EQ(times.written, 36);
  EXPECT_EQ(times.fill, 14);
  EXPECT_EQ(times.steady(), 27);
  EXPECT_EQ(times.drain(), 5);
  EXPECT_EQ(times.update, 7);
  EXPECT_EQ(times.total(), 48);
  EXPECT_EQ(times.period, 9);
  EXPECT_DOUBLE_EQ(times.efficiency(), 36.0 / 48);
  EXPECT_EQ(batch(chain, 5000, {}).last, 14 + 4999 * 9);
  EXPECT_THROW(batch(chain, 0, {}), Error);
}

// 2 x 2 by stride 2: output (0, 0) gives pixels (0, 0) and (0, 1), (0, 1) the next two, then row 1 goes out of both.
TEST(GradientWindows, GiveAPixelBehindTheLastOutputThatReadIt) {
  const Block back = gradient_windows("back", axis(4, 2, 2, 0), axis(4, 2, 2, 0));
  ASSERT_EQ(back.image.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(back.image[i].takes, i % 2 == 0);
    EXPECT_TRUE(back.image[i].gives);
    EXPECT_EQ(back.image[i].count, i % 4 == 3 ? 5 : 1);
  }
  EXPECT_EQ(back.taken(), 4);
  EXPECT_EQ(back.given(), 16);
}

// 3 x 3, padding 1, stride 1, in 4 x 4: pixel (0, 0) was read last by output (1, 1), the sixth.
TEST(GradientWindows, OfStrideOneAreAsFarBehindAsWindows) {
  const Block back = gradient_windows("back", axis(4, 3, 1, 1), axis(4, 3, 1, 1));
  ASSERT_FALSE(back.image.empty());
  EXPECT_EQ(back.image[0].count, 5);
  EXPECT_FALSE(back.image[0].gives);
  EXPECT_EQ(back.taken(), 16);
  EXPECT_EQ(back.given(), 16);
}

}  // namespace
}  // namespace weft::pipeline

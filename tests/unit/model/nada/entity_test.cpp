#include "model/nada/entity.h"

#include <gtest/gtest.h>

#include "model/core/error.h"

namespace weft::nada {
namespace {

// 6 channels, 10 filters, 3 x 3, 49 pixels: 540 weights.
Entity layer() {
  Entity entity;
  entity.name = "layer";
  entity.channels = 6;
  entity.filters = 10;
  entity.window = 9;
  entity.pixels = entity.outputs = 49;
  entity.lines = 600;
  return entity;
}

TEST(Entity, TakesTheProductsOfAPixelInTheIntervalOfItsParallelism) {
  EXPECT_EQ(interval(layer(), {1, 1, 1}), 6 * 10 * 9);
  EXPECT_EQ(interval(layer(), {4, 3, 1}), 2 * 4 * 9);  // ceil(6 / 4), ceil(10 / 3)
  EXPECT_EQ(interval(layer(), {4, 3, 9}), 2 * 4);
  EXPECT_EQ(cycles(layer(), {4, 3, 9}), 2 * 4 * 49);
  EXPECT_EQ(cycles(layer(), {6, 10, 9}), 49);
}

TEST(Entity, CannotBeFasterThanItsPixelsComeIn) {
  Entity strided = layer();
  strided.pixels = 196;  // 14 x 14 in, 7 x 7 out
  EXPECT_EQ(cycles(strided, {6, 10, 9}), 196);
  EXPECT_EQ(cycles(strided, {6, 5, 9}), 196);  // 2 * 49
  EXPECT_EQ(cycles(strided, {6, 2, 9}), 5 * 49);
}

TEST(Entity, TakesABankOfMemoryForEachLaneAndCopy) {
  // 12 lanes: 45 words each, one M20K each; two copies; 600 words of line buffers are two M20Ks. Three passes.
  const Use m20k = use(layer(), {4, 3, 1}, {});
  EXPECT_EQ(m20k.dsp, 36);
  EXPECT_EQ(m20k.registers, 36 * 200);
  EXPECT_EQ(m20k.m20k, 2 * 12 + 2);
  EXPECT_EQ(m20k.mlab, 0);
  // 18 lanes: 30 words each, which two MLABs hold.
  const Use mlab = use(layer(), {6, 3, 1}, {});
  EXPECT_EQ(mlab.m20k, 2);
  EXPECT_EQ(mlab.mlab, 2 * 18 * 2);
  // One lane: 540 words are two M20Ks, three copies.
  Costs three;
  three.copies = 3;
  EXPECT_EQ(use(layer(), {1, 1, 1}, three).m20k, 3 * 2 + 2);
}

TEST(Entity, HasItsMemoryInMlabsUpToTheirDepth) {
  Entity entity = layer();
  entity.channels = 1;
  entity.window = 1;
  entity.filters = 32;
  EXPECT_EQ(use(entity, {1, 1, 1}, {}).mlab, 4);
  entity.filters = 33;
  EXPECT_EQ(use(entity, {1, 1, 1}, {}).mlab, 0);
}

TEST(Entity, WithoutWeightsTakesItsLinesAlone) {
  Entity pool = layer();
  pool.passes = 0;
  EXPECT_EQ(use(pool, {}, {}).dsp, 0);
  EXPECT_EQ(use(pool, {}, {}).m20k, 2);
  EXPECT_EQ(attainable(pool), std::vector<Cycles>{49});
  EXPECT_TRUE(choices(pool, {}, 48).empty());
  EXPECT_EQ(choices(pool, {}, 49).size(), 1U);
}

// Every choice fits the period, and for every parallelism that fits it some choice is as good or better.
TEST(Entity, HasTheChoicesThatNoParallelismBeats) {
  for (const Cycles period : {49, 60, 200, 1000, 4000, 26460}) {
    const std::vector<Choice> best = choices(layer(), {}, period);
    ASSERT_FALSE(best.empty());
    for (const Choice& each : best) EXPECT_LE(cycles(layer(), each.parallelism), period);
    for (std::int64_t a = 1; a <= 6; ++a) {
      for (std::int64_t b = 1; b <= 10; ++b) {
        for (const std::int64_t taps : {1, 9}) {
          const Parallelism p{a, b, taps};
          if (cycles(layer(), p) > period) continue;
          bool beaten = false;
          for (const Choice& each : best) beaten = beaten || each.use.within(use(layer(), p, {}));
          EXPECT_TRUE(beaten) << a << ' ' << b << ' ' << taps;
        }
      }
    }
  }
}

// 2^30 by 2^28 lanes: amounts added to the limits of a board are below 2^61.
TEST(Entity, CountsWhatItTakesUpToALimit) {
  Entity entity = layer();
  entity.channels = 1 << 30;
  entity.filters = 1 << 28;
  entity.window = 1;
  entity.passes = 2;
  Costs costs;
  costs.registers_per_lane = 1;
  costs.mlabs_per_bank = 1;
  const Parallelism all{entity.channels, entity.filters, 1};
  EXPECT_EQ(use(entity, all, costs).dsp, std::int64_t{1} << 59);
  EXPECT_EQ(use(entity, all, costs).mlab, std::int64_t{1} << 59);
  costs.registers_per_lane = 3;
  EXPECT_THROW(use(entity, all, costs), checked::Overflow);
}

}  // namespace
}  // namespace weft::nada

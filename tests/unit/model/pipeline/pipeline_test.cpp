#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"
#include "tests/support/texts.h"

namespace weft::pipeline {
namespace {

conv::LayerAxis axis(int size, int kernel, int stride, int pad) {
  return {size, kernel, stride, pad, pad, 1};
}

// Adds a block that reads the output of `from`.
BlockId behind(Pipeline& net, BlockId from, const Block& block, std::int64_t depth = 2) {
  const BlockId id = net.add(block);
  net.join(from, id, depth);
  return id;
}

// 3 pixels by a source of 2 cycles, then 3, 1, and the sink: the first pixel leaves after 2 + 3 + 1 + 1 cycles, each
// other 3 later. The next image follows 9 cycles later.
TEST(Pipeline, TakesTheSumOfABlocksCyclesAndThenTheSlowest) {
  Pipeline chain;
  BlockId at = chain.add(source("source", 3, 2));
  for (const Block& block : {each("each", 3, 3), each("each", 3, 1), sink("sink", 3)}) at = behind(chain, at, block, 4);
  const Simulated simulated = simulate(chain, 10);
  EXPECT_EQ(simulated.ends[0], 2 + 3 + 1 + 1 + 2 * 3);
  EXPECT_EQ(simulated.ends[9] - simulated.ends[8], 9);
  EXPECT_EQ(period(chain), 9);
  EXPECT_EQ(slowest(chain), 9);
  EXPECT_LT(simulated.simulated, 10);
}

// A FIFO of one place: a token is given in cycle t, taken in t + 1, and the next one given in t + 2 at the earliest.
TEST(Pipeline, IsHalvedByAFifoOfOnePlace) {
  Pipeline pair;
  behind(pair, pair.add(source("source", 4)), sink("sink", 4), 1);
  EXPECT_EQ(period(pair), 8);
  EXPECT_EQ(simulate(pair, 20).recurrence->period(), 8);
  pair.fifos[0].depth = 2;
  EXPECT_EQ(period(pair), 4);
  EXPECT_EQ(simulate(pair, 20).recurrence->period(), 4);
  EXPECT_EQ(simulate(pair, 20).high_water[0], 1);
}

// 4 x 4, 3 x 3, padding 1: the window at (0, 0) needs pixels up to (1, 1), the sixth. Of the 16 pixels, the last 11
// arrive with a window each, after the first five; the last five windows follow after all pixels.
TEST(Windows, WaitForTheirLastPixel) {
  const Block lines = windows("lines", axis(4, 3, 1, 1), axis(4, 3, 1, 1));
  EXPECT_EQ(lag(axis(4, 3, 1, 1), axis(4, 3, 1, 1)), 1 * 4 + 2);
  ASSERT_EQ(lines.image.size(), 3U);
  EXPECT_EQ(lines.image[0].count, 5);
  EXPECT_FALSE(lines.image[0].gives);
  EXPECT_EQ(lines.image[1].count, 11);
  EXPECT_EQ(lines.image[2].count, 5);
  EXPECT_FALSE(lines.image[2].takes);
  EXPECT_EQ(lines.taken(), 16);
  EXPECT_EQ(lines.given(), 16);
}

// 4 x 4 by stride 2 and 2 x 2: one window for each second pixel of each second row.
TEST(Windows, LeaveOutWhatStridesSkip) {
  const Block pool = windows("pool", axis(4, 2, 2, 0), axis(4, 2, 2, 0));
  EXPECT_EQ(std::tuple(pool.taken(), pool.given(), pool.cycles()), std::tuple(16, 4, 16));
}

Pipeline residual(std::int64_t depth) {
  Pipeline net;
  const BlockId fork = behind(net, net.add(source("source", 64)), each("fork", 64));
  const BlockId lines = behind(net, fork, windows("lines", axis(8, 3, 1, 1), axis(8, 3, 1, 1)));
  const BlockId sum = behind(net, lines, each("sum", 64));
  net.join(fork, sum, depth);
  behind(net, sum, sink("sink", 64));
  return net;
}

// The other branch gives its first token when 8 + 2 = 10 tokens have arrived ((k - 1 - p) rows and k - p pixels): the
// short branch must hold all of them.
TEST(Deadlock, OfAResidualEndsAtTheLagOfTheOtherBranch) {
  ASSERT_EQ(lag(axis(8, 3, 1, 1), axis(8, 3, 1, 1)), 10);
  EXPECT_NO_THROW(simulate(residual(10), 3));
  EXPECT_NO_THROW(period(residual(10)));
  EXPECT_THROW(period(residual(9)), Error);
  const std::string text = test::message_of<Deadlock>([&] { simulate(residual(9), 3); });
  EXPECT_EQ(text.rfind("the pipeline cannot make progress: ", 0), 0U) << text;
  EXPECT_TRUE(test::has(text, "'sum' waits for a token of 'lines -> sum'"));
  EXPECT_TRUE(test::has(text, "'lines' waits for a token of 'fork -> lines'"));
  EXPECT_TRUE(test::has(text, "'fork' waits for room in 'fork -> sum'"));
  EXPECT_TRUE(test::has(text, "; deepen 'fork -> sum', which has 9 tokens"));
}

// A store holds the data that the backward pass reads again until the loss, which needs the whole image. With one place
// less than the pixels of an image the pipeline deadlocks.
Pipeline stored(std::int64_t depth) {
  Pipeline net;
  const BlockId fork = behind(net, net.add(source("source", 36)), each("fork", 36));
  const BlockId loss = behind(net, fork, whole("loss", 36));
  const BlockId back = behind(net, loss, Block{"spread", {{1, true, true, 1}, {35, false, true, 1}}});
  const BlockId gradient = behind(net, back, each("GW", 36));
  net.join(fork, gradient, depth);
  behind(net, gradient, sink("sink", 36));
  return net;
}

TEST(Deadlock, OfAStoreEndsAtOneImage) {
  EXPECT_NO_THROW(simulate(stored(36), 3));
  EXPECT_THROW(simulate(stored(35), 3), Deadlock);
}

// GW takes the first pixel three cycles after the fork gives the last (loss, spread, GW), so with 36 places the fork
// gives the next image's first pixel a cycle later: 35 + 4 cycles after this image's. Each further place saves a cycle.
TEST(Store, BoundsTheRateByItsDepth) {
  EXPECT_EQ(std::tuple(period(stored(36)), period(stored(37)), period(stored(38))), std::tuple(39, 38, 37));
  EXPECT_EQ(period(stored(39)), slowest(stored(39)));
  EXPECT_EQ(simulate(stored(37), 50).recurrence->period(), 38);
  EXPECT_EQ(simulate(stored(37), 50).high_water[4], 37);
}

// Residence of token k after the fork: the 35 - k others, loss, spread and GW, 35 - k + 3, and the k tokens before it
// in GW: 38 cycles, and one until its place is free, for each of 36 tokens.
TEST(Store, BoundsTheRateByDepthOverResidence) {
  constexpr FifoId kStore = 4;
  for (const std::int64_t depth : {36, 37, 38, 39, 60}) {
    EXPECT_EQ(store_bound(stored(depth), kStore), Rational(36 * 39, depth));
    EXPECT_LE(store_bound(stored(depth), kStore), period(stored(depth)));
  }
  EXPECT_EQ(store_bound(stored(kUnbounded), kStore), 0);
}

// A loop of fork, a (2 cycles), b (3 cycles) and join over two places: a pixel given in cycle 0 is taken by a in 1 and
// given in 2, taken by b in 3 and given in 5, joined in 6, and its place is free in 7. So two images, of one pixel
// each, take 7 cycles.
TEST(Pipeline, MayRepeatOnlyAfterSeveralImages) {
  Pipeline net;
  const BlockId fork = behind(net, net.add(source("source", 1)), each("fork", 1));
  const BlockId a = behind(net, fork, each("a", 1, 2), 4), b = behind(net, a, each("b", 1, 3), 4);
  const BlockId join = behind(net, b, each("join", 1), 4);
  net.join(fork, join, 2);
  behind(net, join, sink("sink", 1));
  EXPECT_EQ(period(net), Rational(7, 2));
  const Simulated simulated = simulate(net, 101);
  ASSERT_TRUE(simulated.recurrence);
  EXPECT_EQ(simulated.recurrence->images, 2);
  EXPECT_EQ(simulated.recurrence->cycles, 7);
  SimulateOptions slow;
  slow.jump = false;
  EXPECT_EQ(simulated.ends, simulate(net, 101, slow).ends);
}

Pipeline packets(bool flush) {
  Pipeline net;
  const BlockId pack = behind(net, net.add(source("source", 10)), packetiser("pack", 10, 4, flush));
  behind(net, behind(net, pack, depacketiser("unpack", 10, 4)), sink("sink", 10));
  return net;
}

// 10 tokens are packets of 4, 4 and 2.
TEST(Deadlock, OfAPacketThatIsNotFlushed) {
  EXPECT_EQ(packets(true).blocks[1].given(), 3);
  EXPECT_EQ(simulate(packets(true), 20).recurrence->period(), period(packets(true)));
  EXPECT_THROW(period(packets(false)), Error);
  EXPECT_EQ(test::message_of<Deadlock>([&] { simulate(packets(false), 1); }),
            "the pipeline cannot make progress: 'unpack' waits for a token of 'pack -> unpack', and 'pack' keeps an "
            "incomplete packet: flush it at the end of an image");
}

TEST(Pipeline, RefusesTokensThatNobodyTakes) {
  Pipeline pair;
  const BlockId from = pair.add(source("a", 4));
  pair.join(from, pair.add(sink("b", 5)));
  EXPECT_EQ(test::message_of([&] { simulate(pair, 1); }), "FIFO 'a -> b' receives 4 tokens an image, but 5 are taken");
}

// Two cycles share a node: 7 over 2 images and 5 over 1.
TEST(CycleRatio, IsTheLargestOfAllCycles) {
  const std::vector<TimedEdge> edges{{0, 1, 3, 1}, {1, 0, 4, 1}, {0, 2, 5, 0}, {2, 0, 0, 1}};
  EXPECT_EQ(maximum_cycle_ratio(3, edges, 0), 5);
  EXPECT_EQ(maximum_cycle_ratio(3, {edges[0], edges[1]}, 0), Rational(7, 2));
  EXPECT_EQ(maximum_cycle_ratio(3, {edges[0]}, 2), 2);
  EXPECT_THROW(maximum_cycle_ratio(2, {{0, 1, 1, 0}, {1, 0, 1, 0}}, 0), Error);
}

// Two sources of 3 tokens, one per cycle, both present from cycle 1 on; the port takes 2 cycles for a token of the
// first stream and 3 for one of the second. In turn: 1 2 1 2 1 2. By priority, as the first always has one waiting: 1 1
// 1 2 2 2.
TEST(SharedBlocks, ServeInTurnOrByPriority) {
  for (const Arbitration arbitration : {Arbitration::RoundRobin, Arbitration::Priority}) {
    Pipeline pipeline;
    const BlockId a = pipeline.add(source("a", 3)), b = pipeline.add(source("b", 3));
    const BlockId shared = pipeline.add(port("port", {{3, 2}, {3, 3}}, arbitration));
    const BlockId c = pipeline.add(sink("c", 3)), d = pipeline.add(sink("d", 3));
    pipeline.join(a, shared, 3);
    pipeline.join(b, shared, 3);
    pipeline.join(shared, c, 3);
    pipeline.join(shared, d, 3);
    std::vector<std::vector<std::pair<Cycles, Cycles>>> times;
    SimulateOptions watched;
    watched.times = &times;
    const Simulated simulated = simulate(pipeline, 1, watched);
    using Times = std::vector<std::pair<Cycles, Cycles>>;
    EXPECT_EQ(times[shared], arbitration == Arbitration::RoundRobin
                                 ? (Times{{1, 2}, {3, 5}, {6, 7}, {8, 10}, {11, 12}, {13, 15}})
                                 : (Times{{1, 2}, {3, 4}, {5, 6}, {7, 9}, {10, 12}, {13, 15}}));
    EXPECT_EQ(simulated.ends, std::vector<Cycles>{17}) << "the sink takes the last token in cycle 16";
    EXPECT_EQ(period(pipeline), 3 * 2 + 3 * 3) << "the port is never idle";
    const Simulated far = simulate(pipeline, 50);
    // By priority `a` is always served, and `b` only after the end of `a`: nothing repeats.
    ASSERT_EQ(far.recurrence.has_value(), arbitration == Arbitration::RoundRobin);
    if (far.recurrence) {
      EXPECT_EQ(far.recurrence->period(), 15);
    }
  }
}

TEST(SharedBlocks, HaveAnInputAndAnOutputForEachStream) {
  Pipeline pipeline;
  const BlockId a = pipeline.add(source("a", 3));
  const BlockId shared = pipeline.add(port("port", {{3, 1}, {3, 1}}));
  pipeline.join(a, shared);
  EXPECT_EQ(test::message_of([&] { simulate(pipeline, 1); }),
            "shared block 'port' of 2 streams has 1 inputs and 0 outputs; allowed: one of each per stream");
  pipeline.join(a, shared);
  for (int i = 0; i < 2; ++i) pipeline.join(shared, pipeline.add(sink("sink", 3)));
  EXPECT_NO_THROW(simulate(pipeline, 1));
  pipeline.blocks[shared].streams[1].tokens = 2;
  EXPECT_THROW(simulate(pipeline, 1), Error) << "3 tokens are given to it";
}

// A source of a given number of cycles per image and a sink of one. Twice the cycles of all steps must fit 64 bits.
TEST(Pipeline, CountsCyclesUpToALimitAndNoFurther) {
  Pipeline chain;
  const BlockId from = chain.add(source("source", 1, (Cycles{1} << 29)));
  chain.join(from, chain.add(sink("sink", 1)), 4);
  EXPECT_EQ(simulate(chain, 1 << 20).ends.back(), (Cycles{1} << 49) + 1);
  chain.blocks[from].image[0].cycles = Cycles{1} << 58;
  EXPECT_EQ(simulate(chain, 15).ends.back(), (Cycles{15} << 58) + 1);
  EXPECT_THROW(simulate(chain, 16), checked::Overflow);
}

// 9 pixels of 2 cycles; a line buffer of 3 x 3 in 3 x 3 with a lag of 5 pixels; 3 cycles each. The slowest block has 8
// pixels after its first, 8 * 3. The lag of 4 pixels before it passes at the source's 2 cycles, 4 * 2.
TEST(ChainLatency, IsThatOfTheHeaviestPath) {
  EXPECT_EQ(chain_latency({{2, 1}, {1, 5}, {3, 1}, {1, 1}}, 9), (2 + 1 + 3 + 1) + 8 * 3 + 4 * 2);
  // After the slowest, the last 4 windows leave at the 2 cycles of the next block.
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
    const auto append = [&](const Block& block, Stage stage) {
      at = behind(chain, at, block, kUnbounded);
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

// An image's 3 pixels enter in 9 cycles. The first image ends after 3 + 3 + 1 + 1 + 2 * 3 = 14, each other 9 later:
// four after 41. The last pixel entered by 36. 100 words at 16 per cycle take 7 cycles, meanwhile 10 at 4 take 3.
TEST(Batch, IsWrittenRunsEmptyAndIsFollowedByTheSlowestUpdate) {
  Pipeline chain;
  BlockId at = chain.add(source("source", 3, 3));
  for (const Block& block : {each("each", 3, 3), each("each", 3, 1), sink("sink", 3)}) at = behind(chain, at, block);
  const BatchTimes times = batch(chain, 4, {{"a", 100, 16}, {"b", 10, 4}});
  EXPECT_EQ(std::tuple(times.written, times.fill, times.steady(), times.drain()), std::tuple(36, 14, 27, 5));
  EXPECT_EQ(std::tuple(times.update, times.total(), times.period), std::tuple(7, 48, 9));
  EXPECT_DOUBLE_EQ(times.efficiency(), 36.0 / 48);
  EXPECT_EQ(batch(chain, 5000, {}).last, 14 + 4999 * 9);
  EXPECT_THROW(batch(chain, 0, {}), Error);
}

// 2 x 2 by stride 2: output (0, 0) gives pixels (0, 0) and (0, 1), (0, 1) the next two, then both give row 1.
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

// 3 x 3, padding 1, stride 1, in 4 x 4: the last reader of pixel (0, 0) is output (1, 1), the sixth.
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

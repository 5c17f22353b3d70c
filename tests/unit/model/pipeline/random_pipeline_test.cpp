// On random DAGs the rungs agree: times of every step of every block, high-water marks of every FIFO, and the period.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline_module.h"
#include "tests/support/texts.h"

namespace weft::pipeline {
namespace {

constexpr int kDags = 300;
constexpr std::int64_t kImages = 4;
constexpr std::int64_t kFar = 200;       // images; all pipelines repeat by then
constexpr std::int64_t kFarShared = 30;  // images; most pipelines repeat by then

class Builder {
 public:
  // `shared`: with blocks that several streams share.
  explicit Builder(std::uint32_t seed, bool shared = false) : random_(seed), shared_(shared) {}

  int concatenations() const { return concatenations_; }

  Pipeline build() {
    height_ = between(3, shared_ ? 4 : 6);
    width_ = between(3, shared_ ? 5 : 6);
    BlockId at = pipeline_.add(source("source", std::int64_t{height_} * width_, between(1, 4)));
    if (shared_) at = sharing(at);
    for (int i = shared_ ? between(0, 1) : between(1, 3); i > 0; --i) at = part(at);
    if (between(0, 2) == 0) {
      const BlockId pooled = pipeline_.add(whole(name("global"), pixels(), between(1, 5)));
      join(at, pooled);
      at = pooled;
      height_ = width_ = 1;
    }
    join(at, pipeline_.add(sink("sink", pixels())));
    return pipeline_;
  }

 private:
  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  std::int64_t pixels() const { return std::int64_t{height_} * width_; }
  std::string name(const char* what) const { return what + std::to_string(pipeline_.blocks.size()); }
  void join(BlockId from, BlockId to) {
    const FifoId fifo = pipeline_.join(from, to, between(1, 6));
    // One FIFO in eight has the latency of a link.
    if (between(0, 7) == 0) pipeline_.fifos[fifo].latency = between(1, 5);
  }
  BlockId behind(BlockId from, Block block) {
    const BlockId id = pipeline_.add(std::move(block));
    join(from, id);
    return id;
  }

  // Adds a line buffer and its computation, a convolution or a pool with or without strides.
  BlockId layer(BlockId at, int stride) {
    const int kernel = between(1, 3), pad = between(0, (kernel - 1) / 2 + (kernel > 1 ? 1 : 0));
    const conv::LayerAxis h{height_, std::min(kernel, height_), stride, std::min(pad, height_ - 1), pad, 1};
    const conv::LayerAxis w{width_, std::min(kernel, width_), stride, std::min(pad, width_ - 1), pad, 1};
    at = behind(at, windows(name("lines"), h, w));
    height_ = h.out();
    width_ = w.out();
    return behind(at, each(name("macs"), pixels(), between(1, 6)));
  }

  // Adds a layer of equal input and output size, as a residual needs.
  BlockId same(BlockId at) {
    const conv::LayerAxis h{height_, 3, 1, 1, 1, 1}, w{width_, 3, 1, 1, 1, 1};
    at = behind(at, windows(name("lines"), h, w));
    return behind(at, each(name("macs"), pixels(), between(1, 6)));
  }

  // Adds parallel branches whose channels are joined to one pixel: convolutions of one pixel and of nine, pools, and
  // identities.
  BlockId concatenation(BlockId at) {
    const BlockId fork = behind(at, each(name("fork"), pixels()));
    const BlockId meet = pipeline_.add(each(name("concatenation"), pixels()));
    ++concatenations_;
    for (int i = between(2, 4); i > 0; --i) {
      const int kind = between(0, 3);
      const BlockId entered = kind == 3 ? fork : pipeline_.add(each(name("entry"), pixels(), between(1, 3)));
      if (kind < 3) pipeline_.join(fork, entered, between(0, 9) == 0 ? between(1, 4) : between(14, 40));
      const BlockId end = kind == 0 ? same(entered) : kind == 1 ? same(same(entered)) : entered;
      pipeline_.join(end, meet, between(0, 9) == 0 ? between(1, 4) : between(14, 40));
    }
    return meet;
  }

  // Adds streams of one tensor that lag by rows or are packets, share one port, and meet again.
  BlockId sharing(BlockId at) {
    const BlockId fork = behind(at, each(name("fork"), pixels()));
    const int streams = between(2, 3);
    const BlockId shared = pipeline_.add(Block{name("port"), {}});
    const BlockId meet = pipeline_.add(each(name("meet"), pixels()));
    Block& made = pipeline_.blocks[shared];
    made.arbitration = between(0, 1) == 0 ? Arbitration::RoundRobin : Arbitration::Priority;
    made.streams.resize(static_cast<std::size_t>(streams));
    for (int i = 0; i < streams; ++i) {
      // Mostly as deep as all tokens that may wait; otherwise most pipelines would deadlock.
      const std::int64_t deep = between(0, 19) == 0 ? between(1, 4) : between(30, 60);
      BlockId from = pipeline_.add(each(name("entry"), pixels(), between(1, 3)));
      pipeline_.join(fork, from, deep);
      if (between(0, 1) == 0) from = same(from);
      const std::int64_t tokens = between(1, 4), packets = ceil_div(pixels(), tokens);
      if (tokens > 1) from = behind(from, packetiser(name("pack"), pixels(), tokens));
      Stream& stream = pipeline_.blocks[shared].streams[static_cast<std::size_t>(i)];
      stream = {packets, between(1, 4)};
      if (between(0, 9) == 0) stream.faults = {between(1, 3), between(0, 3) * 50'000, 125'000, between(0, 9), 7};
      const FifoId in = pipeline_.join(from, shared, between(1, 6));
      if (between(0, 5) == 0) pipeline_.fifos[in].latency = between(1, 4);
      const BlockId to = pipeline_.add(tokens > 1 ? depacketiser(name("unpack"), pixels(), tokens)
                                                  : each(name("exit"), pixels(), between(1, 2)));
      const FifoId out = pipeline_.join(shared, to, deep);
      if (between(0, 5) == 0) pipeline_.fifos[out].latency = between(1, 4);
      pipeline_.join(to, meet, deep);
    }
    return meet;
  }

  BlockId part(BlockId at) {
    if (shared_ && between(0, 3) == 0) return sharing(at);
    const int what = between(0, 5);
    if (what < 3) return layer(at, between(1, 2));
    if (what == 3) return concatenation(at);
    // A fork whose branches are added.
    const BlockId fork = behind(at, each(name("fork"), pixels()));
    BlockId far = fork;
    for (int i = between(1, 2); i > 0; --i) far = same(far);
    const BlockId meet = pipeline_.add(each(name("add"), pixels(), between(1, 2)));
    join(far, meet);
    if (between(0, 1) == 0) {
      const BlockId near = same(fork);
      join(near, meet);
    } else {
      // Mostly deep enough; otherwise all rungs must deadlock.
      pipeline_.join(fork, meet, between(0, 9) == 0 ? between(1, 4) : between(14, 40));
    }
    return meet;
  }

  std::mt19937 random_;
  bool shared_;
  Pipeline pipeline_;
  int height_ = 0, width_ = 0;
  int concatenations_ = 0;
};

struct Case {
  explicit Case(Builder builder)
      : pipeline(builder.build()),
        concatenations(builder.concatenations()),
        module(sc_core::sc_gen_unique_name("dag"), pipeline, kImages) {}
  Pipeline pipeline;
  int concatenations;
  PipelineModule module;
};

// All cases are simulated together, because SystemC elaborates only once.
std::vector<std::unique_ptr<Case>> simulated_cases(std::uint32_t first, bool shared) {
  std::vector<std::unique_ptr<Case>> cases;
  for (std::uint32_t i = 0; i < kDags; ++i) cases.push_back(std::make_unique<Case>(Builder(first + i, shared)));
  sc_core::sc_start(30, sc_core::SC_US);
  return cases;
}

// Compares the times of all blocks and the fill of all FIFOs on the exact rung with the module's; false if both
// deadlock.
bool as_in_systemc(const Pipeline& pipeline, const PipelineModule& module) {
  std::vector<std::vector<std::pair<Cycles, Cycles>>> times;
  SimulateOptions watched;
  watched.times = &times;
  Simulated exact;
  const bool ends = test::message_of<Deadlock>([&] { exact = simulate(pipeline, kImages, watched); }) == "nothing";
  EXPECT_EQ(module.done(), ends);
  if (!ends) return false;
  for (BlockId id = 0; id < pipeline.blocks.size(); ++id) {
    EXPECT_EQ(times[id], module.blocks()[id].times()) << pipeline.blocks[id].name;
  }
  EXPECT_EQ(exact.high_water, module.high_water());
  return true;
}

TEST(RandomPipeline, HasTheSameTimesOnAllRungs) {
  int still = 0, stalled = 0, concatenations = 0, i = 0;
  for (const auto& each : simulated_cases(1, false)) {
    SCOPED_TRACE(++i);
    const Pipeline& pipeline = each->pipeline;
    const PipelineModule& module = each->module;
    concatenations += each->concatenations;
    if (!as_in_systemc(pipeline, module)) {
      ++still;
      EXPECT_THROW(period(pipeline), Error);
      continue;
    }
    EXPECT_NO_THROW(module.check());
    // Skipping does not change the result, and the period equals that of the equations.
    const Simulated far = simulate(pipeline, kFar);
    ASSERT_TRUE(far.recurrence);
    EXPECT_EQ(far.recurrence->period(), period(pipeline));
    SimulateOptions slow;
    slow.jump = false;
    EXPECT_EQ(far.ends, simulate(pipeline, kFar, slow).ends);
    EXPECT_GE(far.recurrence->period(), slowest(pipeline));
    for (FifoId id = 0; i % 10 == 0 && id < pipeline.fifos.size(); ++id) {
      EXPECT_LE(store_bound(pipeline, id), far.recurrence->period()) << pipeline.fifos[id].name;
    }
    stalled += far.recurrence->period() > slowest(pipeline) ? 1 : 0;
  }
  // The campaign has covered its cases.
  EXPECT_GT(still, 5);
  EXPECT_LT(still, kDags / 4);
  EXPECT_GT(stalled, 20);
  EXPECT_GT(concatenations, 80);
}

// Pipelines in which streams share ports. SystemC polls the FIFOs of a port every cycle; the exact rung visits only the
// cycles with possible events. The equations have no order of service: they give a lower bound.
TEST(RandomPipeline, WithSharedBlocksHasTheSameTimesAndThePeriodIsNoLessThanTheBound) {
  int still = 0, later = 0, repeat = 0, above = 0, i = 0;
  double gap = 0;
  for (const auto& each : simulated_cases(1001, true)) {
    SCOPED_TRACE(++i);
    const Pipeline& pipeline = each->pipeline;
    if (!as_in_systemc(pipeline, each->module)) {
      ++still;
      continue;
    }
    Simulated far;
    try {
      far = simulate(pipeline, kFarShared);
    } catch (const Deadlock&) {
      ++later;  // streams of high priority may run ahead until no place is free
      continue;
    }
    if (!far.recurrence) continue;
    ++repeat;
    // Only images that ended while others still entered are compared: later images affect the service order, too.
    const std::int64_t from = far.recurrence->from + far.recurrence->images;
    for (auto image = static_cast<std::size_t>(from); image < far.ends.size(); ++image) {
      if (far.ends[image] > far.written.back()) continue;
      EXPECT_EQ(far.ends[image] - far.ends[image - static_cast<std::size_t>(far.recurrence->images)],
                far.recurrence->cycles)
          << image;
    }
    const Rational bound = period(pipeline), mean = far.recurrence->period();
    EXPECT_GE(mean, bound);
    EXPECT_GE(bound, slowest(pipeline));
    above += mean > bound ? 1 : 0;
    gap = std::max(gap, boost::rational_cast<double>(mean / bound) - 1);
  }
  std::printf("%d DAGs: %d stand still, %d later; of %d that repeat %d are above the bound, by %.1f %% at most\n",
              kDags, still, later, repeat, above, 100 * gap);
  EXPECT_LT(still + later, kDags / 4);
  EXPECT_GT(still, 0);
  EXPECT_GT(repeat, kDags / 2);
  EXPECT_GT(above, 5);
}

}  // namespace
}  // namespace weft::pipeline

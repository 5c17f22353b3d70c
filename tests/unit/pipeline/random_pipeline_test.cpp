// On random DAGs the rungs agree: every step of every block at the same time, every FIFO's high-water mark, the period.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline_module.h"

namespace weft::pipeline {
namespace {

constexpr int kDags = 300;
constexpr std::int64_t kImages = 4;
constexpr std::int64_t kFar = 200;  // images; all have repeated by then

class Builder {
 public:
  explicit Builder(std::uint32_t seed) : random_(seed) {}

  int concatenations() const { return concatenations_; }

  Pipeline build() {
    height_ = between(3, 6);
    width_ = between(3, 6);
    BlockId at = pipeline_.add(source("source", std::int64_t{height_} * width_, between(1, 4)));
    for (int i = between(1, 3); i > 0; --i) at = part(at);
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
    // Now and then a link lies between.
    if (between(0, 7) == 0) pipeline_.fifos[fifo].latency = between(1, 5);
  }
  BlockId behind(BlockId from, Block block) {
    const BlockId id = pipeline_.add(std::move(block));
    join(from, id);
    return id;
  }

  // A line buffer and what computes behind it: a convolution or a pool, which may have strides.
  BlockId layer(BlockId at, int stride) {
    const int kernel = between(1, 3), pad = between(0, (kernel - 1) / 2 + (kernel > 1 ? 1 : 0));
    const conv::LayerAxis h{height_, std::min(kernel, height_), stride, std::min(pad, height_ - 1), pad, 1};
    const conv::LayerAxis w{width_, std::min(kernel, width_), stride, std::min(pad, width_ - 1), pad, 1};
    at = behind(at, windows(name("lines"), h, w));
    height_ = h.out();
    width_ = w.out();
    return behind(at, each(name("macs"), pixels(), between(1, 6)));
  }

  // The same size in and out, which a residual needs.
  BlockId same(BlockId at) {
    const conv::LayerAxis h{height_, 3, 1, 1, 1, 1}, w{width_, 3, 1, 1, 1, 1};
    at = behind(at, windows(name("lines"), h, w));
    return behind(at, each(name("macs"), pixels(), between(1, 6)));
  }

  // Branches side by side, whose channels make one pixel: convolutions of one pixel and of nine, pools, and what is
  // passed on as it is.
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

  BlockId part(BlockId at) {
    const int what = between(0, 5);
    if (what < 3) return layer(at, between(1, 2));
    if (what == 3) return concatenation(at);
    // A fork whose branches meet in an addition.
    const BlockId fork = behind(at, each(name("fork"), pixels()));
    BlockId far = fork;
    for (int i = between(1, 2); i > 0; --i) far = same(far);
    const BlockId meet = pipeline_.add(each(name("add"), pixels(), between(1, 2)));
    join(far, meet);
    if (between(0, 1) == 0) {
      const BlockId near = same(fork);
      join(near, meet);
    } else {
      // Mostly deep enough, sometimes not: then all rungs must stand still.
      pipeline_.join(fork, meet, between(0, 9) == 0 ? between(1, 4) : between(14, 40));
    }
    return meet;
  }

  std::mt19937 random_;
  Pipeline pipeline_;
  int height_ = 0, width_ = 0;
  int concatenations_ = 0;
};

struct Case {
  Pipeline pipeline;
  std::unique_ptr<PipelineModule> module;
};

// All in one simulation, for SystemC elaborates once.
TEST(RandomPipeline, HasTheSameTimesOnAllRungs) {
  std::vector<std::unique_ptr<Case>> cases;
  cases.reserve(kDags);
  int concatenations = 0;
  for (int i = 0; i < kDags; ++i) {
    cases.push_back(std::make_unique<Case>());
    Builder builder(static_cast<std::uint32_t>(i) + 1);
    cases.back()->pipeline = builder.build();
    concatenations += builder.concatenations();
    cases.back()->module =
        std::make_unique<PipelineModule>(sc_core::sc_gen_unique_name("dag"), cases.back()->pipeline, kImages);
  }
  sc_core::sc_start(8, sc_core::SC_US);
  int still = 0, stalled = 0;
  for (int i = 0; i < kDags; ++i) {
    SCOPED_TRACE(i);
    const Pipeline& pipeline = cases[static_cast<std::size_t>(i)]->pipeline;
    const PipelineModule& module = *cases[static_cast<std::size_t>(i)]->module;
    std::vector<std::vector<std::pair<Cycles, Cycles>>> times;
    SimulateOptions watched;
    watched.times = &times;
    Simulated exact;
    try {
      exact = simulate(pipeline, kImages, watched);
    } catch (const Deadlock&) {
      ++still;
      EXPECT_FALSE(module.done());
      EXPECT_THROW(period(pipeline), Error);
      continue;
    }
    ASSERT_TRUE(module.done());
    EXPECT_NO_THROW(module.check());
    for (BlockId id = 0; id < pipeline.blocks.size(); ++id) {
      ASSERT_EQ(times[id], module.blocks()[id].times()) << pipeline.blocks[id].name;
    }
    EXPECT_EQ(exact.high_water, module.high_water());
    // Jumps change nothing, and the period is that of the equations.
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
  // The campaign has seen what it is for.
  EXPECT_GT(still, 5);
  EXPECT_LT(still, kDags / 4);
  EXPECT_GT(stalled, 20);
  EXPECT_GT(concatenations, 80);
}

}  // namespace
}  // namespace weft::pipeline

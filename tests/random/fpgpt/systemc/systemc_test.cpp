#include <gtest/gtest.h>

#include "model/fpgpt/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"
#include "tests/support/same_result.h"

namespace weft {
namespace {

// One platform runs them all, one after the other: nothing of a convolution may leak into the next.
TEST(SystemC, OnePlatformRunsConvolutionsInSequenceExactlyLikeFreshClockedKernels) {
  Cycles skipped = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase clocked = test::random_case(seed), hosted = test::random_case(seed);
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 50), seed), same(0, static_cast<Cycles>(seed % 50), seed);
    const auto a = fpgpt::exact::run_clocked(clocked.plan, memory, &clocked.memory);
    const auto b = systemc::virtual_platform().run(hosted.plan, same, {0, 1, 2}, &hosted.memory.channels);
    test::expect_same(a, b);
    EXPECT_EQ(test::contents(clocked.memory.channels[2]), test::contents(hosted.memory.channels[2]));
    skipped += b.skipped_cycles;
  }
  EXPECT_GT(skipped, 1000);  // waiting for memory really was skipped
}

// Address-exact DDR4 with refresh, ports that share a channel and ports that do not, clocks that divide each other and
// clocks that do not.
TEST(SystemC, EqualsTheClockedKernelOnDdr4ToTheCycleTheBurstAndTheRowHit) {
  const std::vector<test::Channels> maps{{0, 1, 2}, {0, 0, 0}, {0, 1, 0}, {1, 0, 1}};
  const std::vector<Frequency> clocks{{100, 1}, {300, 1}, {250, 1}, {1000, 3}};
  std::int64_t conflicts = 0, skipped = 0, late = 0, drained = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::Channels channels = maps[seed % maps.size()];
    test::DataCase data = test::random_case(seed, 100000, channels);
    // Rows apart from each other, so that ports that share a channel close each other's.
    test::Random random(seed);
    conv::Convolution beta = data.plan.beta;
    for (conv::TensorView* view : {&beta.inp, &beta.kern, &beta.out}) {
      view->base += Address{4096} * test::pick(random, 0, 1 << 20);
      view->pitch_n += 32768 * test::pick(random, 0, 3);
    }
    fpgpt::Alpha alpha = data.plan.alpha;
    if (seed % 6 == 1) alpha.band = 32;  // two accesses of the DRAM a beat
    alpha.clock = clocks[seed / 4 % clocks.size()];
    // Short bursts and few of them: what KERN reads to discard is then still on its way at the end.
    if (seed % 5 == 0) alpha.kern_port = {1, test::pick(random, 1, 4)};
    data.plan = fpgpt::make_plan(alpha, beta, false);
    memory::MemoryConfig config;
    config.kernel_clock = data.plan.alpha.clock;
    config.beat_bytes = data.plan.alpha.beat_bytes();
    config.port_channel = {channels[0], channels[1], channels[2]};
    config.channels = 3;
    config.latency_cycles = static_cast<Cycles>(seed % 40);
    config.ddr4.auto_precharge_a3 = seed % 3 == 0;
    const auto memory = memory::make_memory(config), same = memory::make_memory(config);
    const auto a = fpgpt::exact::run_clocked(data.plan, *memory, nullptr);
    const auto b = systemc::virtual_platform().run(data.plan, *same, channels);
    test::expect_same(a, b);
    for (const memory::PortStats& port : a.ports) conflicts += port.row_conflicts;
    late += same->stats(fpgpt::port_id(fpgpt::Port::Kern)).read_beats - b.ports[1].read_beats;
    skipped += b.skipped_cycles;
    drained += b.drain_cycles > 0;
  }
  EXPECT_GT(conflicts, 1000);
  EXPECT_GT(drained, 10);
  EXPECT_GT(late, 0);  // beats that the memory handed on and the kernel did not take any more
  EXPECT_GT(skipped, 1000);
}

// Sees the cycles that are stepped; refuses `percent` of the handshakes of each port.
class Watcher : public systemc::Observer {
 public:
  Watcher(int percent, Cycles last) : percent_(percent), last_(last) {}
  systemc::Ready ready() override {
    const auto accepts = [&] { return test::pick(random_, 0, 99) >= percent_; };
    return {accepts(), accepts(), true, true};
  }
  bool after(Cycles cycle, const fpgpt::Kernel&) override {
    EXPECT_GT(cycle, seen_);
    seen_ = cycle;
    ++stepped_;
    return cycle < last_;
  }
  Cycles seen() const { return seen_; }
  Cycles stepped() const { return stepped_; }

 private:
  int percent_;
  Cycles last_;
  test::Random random_{1};
  Cycles seen_ = -1, stepped_ = 0;
};

TEST(SystemC, AnObserverSeesEveryCycleThatIsNotSkippedAndChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    data.plan.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 50), seed), same(0, static_cast<Cycles>(seed % 50), seed);
    const auto alone = systemc::virtual_platform().run(data.plan, memory);
    Watcher watcher(0, kNever);
    const auto observed = systemc::virtual_platform().run(data.plan, same, {0, 1, 2}, nullptr, &watcher);
    test::expect_same(alone, observed);
    EXPECT_EQ(watcher.seen(), observed.cycles - 1);
    EXPECT_EQ(watcher.stepped(), observed.cycles - observed.skipped_cycles);
  }
}

TEST(SystemC, AnObserverMayRefuseHandshakesAndEndARunAfterWhichTheNextIsUnharmed) {
  test::DataCase data = test::random_case(3);
  data.plan.with_data = false;
  test::RandomMemory memory(0, 9, 3);
  const auto alone = systemc::virtual_platform().run(data.plan, memory);
  Watcher refuses(90, kNever);
  EXPECT_GT(systemc::virtual_platform().run(data.plan, memory, {0, 1, 2}, nullptr, &refuses).cycles, alone.cycles);
  for (const Cycles last : {Cycles{0}, Cycles{7}, alone.cycles / 2}) {
    Watcher ends(0, last);
    const auto cut = systemc::virtual_platform().run(data.plan, memory, {0, 1, 2}, nullptr, &ends);
    EXPECT_GE(ends.seen(), last);
    EXPECT_EQ(cut.cycles, ends.seen() + 1);
    EXPECT_EQ(cut.activities[0].total(), cut.cycles);
    test::expect_same(systemc::virtual_platform().run(data.plan, memory), alone);
  }
}

TEST(SystemC, RepeatsItselfExactly) {
  test::DataCase data = test::random_case(7);
  data.plan.with_data = false;
  test::RandomMemory memory(3, 9, 1);
  const auto first = systemc::virtual_platform().run(data.plan, memory);
  const auto second = systemc::virtual_platform().run(data.plan, memory);
  test::expect_same(first, second);
}

}  // namespace
}  // namespace weft

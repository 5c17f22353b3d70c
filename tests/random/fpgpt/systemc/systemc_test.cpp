#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "model/fpgpt/drain.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "tests/support/block_bench.h"
#include "tests/support/random_case.h"
#include "tests/support/random_memory.h"

namespace weft {
namespace {

// Draws a case for each of the two and compares every count and every bit of OUT's channel.
template <class Draw>
fpgpt::ConvolutionResult expect_like_the_clocked_kernel(std::uint64_t seed, const Draw& draw) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::DataCase clocked = draw(), hosted = draw();
  test::RandomMemory memory(0, static_cast<Cycles>(seed % 50), seed), same(0, static_cast<Cycles>(seed % 50), seed);
  const auto a = fpgpt::exact::run_clocked(clocked.plan, memory, &clocked.memory);
  auto b = fpgpt::systemc::virtual_platform().run(hosted.plan, same, {0, 1, 2}, &hosted.memory.channels);
  test::expect_same(a, b);
  EXPECT_EQ(a.overflows, b.overflows);
  const memory::Store &left = clocked.memory.channels[2], &right = hosted.memory.channels[2];
  EXPECT_EQ(std::memcmp(left.at(left.first()), right.at(right.first()), static_cast<std::size_t>(left.bytes())), 0);
  return b;
}

// One platform runs all cases in sequence: no state of a convolution may leak into the next.
TEST(SystemC, OnePlatformRunsConvolutionsInSequenceExactlyLikeFreshClockedKernels) {
  Cycles skipped = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    skipped += expect_like_the_clocked_kernel(seed, [&] { return test::random_case(seed); }).skipped_cycles;
  }
  EXPECT_GT(skipped, 1000);  // waiting for memory was in fact skipped
}

// Fixed point: 4 to 16 bits, packed and padded, tensors from any word on.
TEST(SystemC, RunsFixedPointExactlyLikeFreshClockedKernels) {
  std::int64_t overflows = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto draw = [&] { return test::random_case(seed, 100000, {0, 1, 2}, test::fixed_point_of(seed)); };
    overflows += expect_like_the_clocked_kernel(seed, draw).overflows;
  }
  EXPECT_GT(overflows, 100);
}

// Section 12 of the contract, in fixed point: T = 23.
TEST(SystemC, TakesThe23CyclesOfTheContractsExampleInFixedPoint) {
  for (const int bits : {8, 12}) {
    fpgpt::Alpha alpha = test::example_alpha(fpgpt::Profile::rtl());
    alpha.format = NumberFormat::fixed(bits);
    test::RandomMemory memory(0, 0, 1);
    const fpgpt::Plan plan = test::plan_of(alpha, test::contract_example());
    EXPECT_EQ(fpgpt::systemc::virtual_platform().run(plan, memory).cycles, 23) << bits;
  }
}

// Address-exact DDR4 with refresh, ports with a common channel and with separate ones, clocks that divide each other
// and clocks that do not.
TEST(SystemC, EqualsTheClockedKernelOnDdr4ToTheCycleTheBurstAndTheRowHit) {
  const std::vector<test::Channels> maps{{0, 1, 2}, {0, 0, 0}, {0, 1, 0}, {1, 0, 1}};
  const std::vector<Frequency> clocks{{100, 1}, {300, 1}, {250, 1}, {1000, 3}};
  std::int64_t conflicts = 0, skipped = 0, late = 0, drained = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::Channels channels = maps[seed % maps.size()];
    test::DataCase data = test::random_case(seed, 100000, channels);
    // Different rows, so that ports that share a channel close each other's rows.
    test::Random random(seed);
    conv::Convolution beta = data.plan.beta;
    for (conv::TensorView* view : {&beta.inp, &beta.kern, &beta.out}) {
      view->base += Address{4096} * test::pick(random, 0, 1 << 20);
      view->pitch_n += 32768 * test::pick(random, 0, 3);
    }
    fpgpt::Alpha alpha = data.plan.alpha;
    if (seed % 6 == 1) alpha.bus_bits = 1024;  // two DRAM accesses per beat
    alpha.clock = clocks[seed / 4 % clocks.size()];
    // Short and few bursts: the beats that KERN reads to discard are then still under way at the end.
    if (seed % 5 == 0) alpha.kern_port = {1, test::pick(random, 1, 4)};
    data.plan = fpgpt::make_plan(alpha, beta, false);
    memory::MemoryConfig config = test::memory_of(data.plan.alpha, channels);
    config.latency_cycles = static_cast<Cycles>(seed % 40);
    config.ddr4.auto_precharge_a3 = seed % 3 == 0;
    const auto memory = memory::make_memory(config), same = memory::make_memory(config);
    const auto a = fpgpt::exact::run_clocked(data.plan, *memory, nullptr);
    const auto b = fpgpt::systemc::virtual_platform().run(data.plan, *same, channels);
    test::expect_same(a, b);
    for (const memory::PortStats& port : a.ports) conflicts += port.row_conflicts;
    late += same->stats(port_id(fpgpt::Port::Kern)).read_beats - b.ports[1].read_beats;
    skipped += b.skipped_cycles;
    drained += b.drain_cycles > 0;
  }
  EXPECT_GT(conflicts, 1000);
  EXPECT_GT(drained, 10);
  EXPECT_GT(late, 0);  // beats delivered by the memory that the kernel no longer took
  EXPECT_GT(skipped, 1000);
}

// Records the cycles that are stepped; refuses `percent` of the handshakes of each port.
class Watcher : public stream::Observer {
 public:
  Watcher(int percent, Cycles last) : percent_(percent), last_(last) {}
  const std::vector<stream::PortReady>* ready() override {
    for (const std::size_t port : {0, 1}) ready_[port].address = test::pick(random_, 0, 99) >= percent_;
    return &ready_;
  }
  bool after(Cycles cycle, const stream::CycleEvents&) override {
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
  std::vector<stream::PortReady> ready_{fpgpt::kPorts};
  Cycles seen_ = -1, stepped_ = 0;
};

// DMA-1..6: a transfer of either direction on any channel, at rates far below to far above the channel's. Equal to the
// clocked kernel with a concurrent master, without SystemC.
TEST(SystemC, WithATransferBesideItEqualsTheClockedKernelWithOne) {
  std::int64_t later = 0, longer = 0, shorter = 0, alone = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::Channels channels{0, static_cast<int>(seed % 2), static_cast<int>(seed / 2 % 2)};
    const test::DataCase data = test::random_case(seed, 100000, channels);
    fpgpt::Alpha alpha = data.plan.alpha;
    if (seed % 3 != 0) alpha.clock = {300, 1};  // a port of 512 bits then saturates a channel
    const fpgpt::Plan plan = fpgpt::make_plan(alpha, data.plan.beta, false);
    test::Random random(seed);
    memory::MemoryConfig config = test::memory_of(plan.alpha, channels);
    config.kind = seed % 7 == 0 ? memory::MemoryKind::ideal : memory::MemoryKind::ddr4;
    config.latency_cycles = static_cast<Cycles>(seed % 40);
    const auto without = memory::make_memory(config);
    const Cycles undisturbed = fpgpt::exact::run_clocked(plan, *without, nullptr).cycles;
    config.port_channel.resize(fpgpt::kPorts + 2, 0);
    config.dma_ports = 2;
    std::vector<memory::Traffic> wanted;
    Bytes moved = 0;
    bool shares = false;
    for (int left = test::pick(random, 1, 3); left > 0; --left) {
      memory::Traffic traffic;
      const int channel = test::pick(random, 0, 2);
      shares = shares || std::find(channels.begin(), channels.end(), channel) != channels.end();
      traffic.start = test::pick(random, 0, 50);
      traffic.address = config.ddr4.capacity * channel + (Address{1} << 32);
      traffic.bytes = test::pick(random, 0, 1 << test::pick(random, 10, 20));
      traffic.write = test::pick(random, 0, 1) != 0;
      traffic.rate.bytes = std::int64_t{1'000'000} * test::pick(random, 1, 20'000);  // up to 20 GB/s
      traffic.burst_bytes = Bytes{128} << test::pick(random, 0, 5);
      traffic.buffer_bytes = traffic.burst_bytes * test::pick(random, 1, 64);
      traffic.outstanding = test::pick(random, 1, 32);
      moved += align_up(traffic.bytes, config.beat_bytes);
      wanted.push_back(traffic);
    }
    const memory::DmaMaster master(wanted, config.kernel_clock, config.beat_bytes);
    fpgpt::DmaTransfers a_transfers{master, {}}, b_transfers{master, {}};
    const auto memory = memory::make_memory(config), same = memory::make_memory(config);

    fpgpt::Kernel kernel(std::make_shared<const fpgpt::Plan>(plan));
    fpgpt::BlockActivities activities{};
    Cycles now = 0;
    for (; !kernel.done(); ++now) {
      fpgpt::exact::step(kernel, *memory, now, nullptr, activities);
      memory::step(a_transfers.master, *memory, fpgpt::kDmaRead, fpgpt::kDmaWrite, now);
    }
    const Cycles drain = fpgpt::drain_cycles(kernel, *memory, now, a_transfers);
    memory->finish();
    fpgpt::ConvolutionResult a = fpgpt::collect(kernel, activities, now, *memory);
    a.drain_cycles = drain;

    const auto b = fpgpt::systemc::virtual_platform().run(plan, *same, channels, nullptr, nullptr, &b_transfers);
    test::expect_same(a, b);
    EXPECT_EQ(a_transfers.master.ends(), b_transfers.master.ends());
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      EXPECT_EQ(a_transfers.stats.*field.count, b_transfers.stats.*field.count) << field.name;
    }
    EXPECT_EQ((b_transfers.stats.write_beats + b_transfers.stats.read_beats) * config.beat_bytes, moved);
    if (!shares || config.kind == memory::MemoryKind::ideal) {
      EXPECT_EQ(b.cycles, undisturbed);
      ++alone;
    }
    later += b.cycles > undisturbed;
    ++(b_transfers.master.ends().back() > b.cycles ? longer : shorter);
  }
  EXPECT_GT(later, 20);
  EXPECT_GT(longer, 20);
  EXPECT_GT(shorter, 20);
  EXPECT_GT(alone, 20);
}

TEST(SystemC, AnObserverSeesEveryCycleThatIsNotSkippedAndChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::DataCase data = test::random_case(seed);
    data.plan.with_data = false;
    test::RandomMemory memory(0, static_cast<Cycles>(seed % 50), seed), same(0, static_cast<Cycles>(seed % 50), seed);
    const auto alone = fpgpt::systemc::virtual_platform().run(data.plan, memory);
    Watcher watcher(0, kNever);
    const auto observed = fpgpt::systemc::virtual_platform().run(data.plan, same, {0, 1, 2}, nullptr, &watcher);
    test::expect_same(alone, observed);
    EXPECT_EQ(watcher.seen(), observed.cycles - 1);
    EXPECT_EQ(watcher.stepped(), observed.cycles - observed.skipped_cycles);
  }
}

TEST(SystemC, AnObserverMayRefuseHandshakesAndEndARunAfterWhichTheNextIsUnharmed) {
  test::DataCase data = test::random_case(3);
  data.plan.with_data = false;
  test::RandomMemory memory(0, 9, 3);
  const auto alone = fpgpt::systemc::virtual_platform().run(data.plan, memory);
  Watcher refuses(90, kNever);
  EXPECT_GT(fpgpt::systemc::virtual_platform().run(data.plan, memory, {0, 1, 2}, nullptr, &refuses).cycles,
            alone.cycles);
  for (const Cycles last : {Cycles{0}, Cycles{7}, alone.cycles / 2}) {
    Watcher ends(0, last);
    const auto cut = fpgpt::systemc::virtual_platform().run(data.plan, memory, {0, 1, 2}, nullptr, &ends);
    EXPECT_GE(ends.seen(), last);
    EXPECT_EQ(cut.cycles, ends.seen() + 1);
    EXPECT_EQ(cut.activities[0].total(), cut.cycles);
    test::expect_same(fpgpt::systemc::virtual_platform().run(data.plan, memory), alone);
  }
}

TEST(SystemC, RepeatsItselfExactly) {
  test::DataCase data = test::random_case(7);
  data.plan.with_data = false;
  test::RandomMemory memory(3, 9, 1);
  const auto first = fpgpt::systemc::virtual_platform().run(data.plan, memory);
  const auto second = fpgpt::systemc::virtual_platform().run(data.plan, memory);
  test::expect_same(first, second);
}

}  // namespace
}  // namespace weft

#include "model/memory/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "model/core/error.h"
#include "model/memory/config.h"

namespace weft::memory {
namespace {

constexpr Bytes kBeat = 64;

// Example of the contract: 1000 bytes at 128 bytes per cycle of 100 MHz, a buffer of two bursts.
Traffic example(bool write) {
  Traffic traffic;
  traffic.address = 4096;
  traffic.bytes = 1000;
  traffic.write = write;
  traffic.rate = {12'800'000'000, 1};
  traffic.buffer_bytes = 512;
  return traffic;
}
Traffic buffered(bool write, Bytes buffer_bytes, int outstanding = 32) {
  Traffic traffic = example(write);
  traffic.buffer_bytes = buffer_bytes;
  traffic.outstanding = outstanding;
  return traffic;
}

// Returns a memory with only the two ports of a DMA engine.
MemoryConfig memory_of(MemoryKind kind, Cycles latency) {
  MemoryConfig config;
  config.kind = kind;
  config.port_channel = {0, 0};
  config.dma_ports = 2;
  config.ideal_latency_cycles = latency;
  return config;
}

struct Sent {
  Cycles cycle;
  TrafficBurst burst;
};
struct Outcome {
  std::vector<Sent> sent;
  Cycles cycles;
  std::vector<Cycles> when() const {
    std::vector<Cycles> all;
    for (const Sent& each : sent) all.push_back(each.cycle);
    return all;
  }
};

// Runs a transfer; every burst is answered `latency` + 1 cycles after it was sent, as by ideal memory.
Outcome run_ideal(const Traffic& traffic, Cycles latency, Frequency clock = {100, 1}) {
  DmaMaster master({traffic}, clock, kBeat);
  Outcome outcome{};
  for (Cycles now = 0; !master.done(); now = std::max(now + 1, master.quiet_until(now + 1))) {
    if (const auto burst = master.step(now)) {
      outcome.sent.push_back({now, *burst});
      for (int beat = 0; !burst->write && beat < burst->beats; ++beat) master.beat(now + 1 + latency);
      if (burst->write) master.response(now + 1 + latency);
    }
  }
  outcome.cycles = master.ends().back();
  return outcome;
}

using Times = std::vector<Cycles>;

Times ends_of(const std::vector<Traffic>& transfers, const MemoryConfig& config) {
  DmaMaster master(transfers, config.kernel_clock, kBeat);
  const std::unique_ptr<Memory> memory = make_memory(config);
  for (Cycles now = 0; !master.done(); ++now) {
    memory->advance(now);
    step(master, *memory, 0, 1, now);
  }
  return master.ends();
}
Cycles run(const Traffic& traffic, const MemoryConfig& config) {
  return ends_of({traffic}, config).back();
}

TEST(Traffic, Dma1BurstsFollowEachOtherAndTheLastEndsWithAWholeBeat) {
  Traffic traffic = example(true);
  const Outcome outcome = run_ideal(traffic, 0);
  ASSERT_EQ(outcome.sent.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outcome.sent[i].burst.address, 4096 + 256 * static_cast<Address>(i));
    EXPECT_EQ(outcome.sent[i].burst.beats, 4);  // 232 bytes of the last burst belong to the transfer
    EXPECT_TRUE(outcome.sent[i].burst.write);
  }
  traffic.bytes = 769;
  EXPECT_EQ(run_ideal(traffic, 0).sent.back().burst.beats, 1);
  traffic.bytes = 0;
  EXPECT_TRUE(run_ideal(traffic, 0).sent.empty());
  EXPECT_EQ(run_ideal(traffic, 0).cycles, 0);
}

// The contract's transfer takes 10 cycles from any start: it begins at 7, and the next 5 cycles after its end at 17.
TEST(Traffic, Dma1ATransferBeginsAtItsStartAndItsPauseBehindTheOneBefore) {
  Traffic first = example(true), second = example(true);
  first.start = 7;
  first.pause = 100;  // no effect: no transfer before it
  second.pause = 5;
  const auto ends = [&] {
    DmaMaster master({first, second}, {100, 1}, kBeat);
    for (Cycles now = 0; !master.done(); ++now) {
      if (master.step(now)) master.response(now + 1);
    }
    return master.ends();
  };
  EXPECT_EQ(ends(), (Times{17, 17 + 5 + 10}));
  second.start = 40;
  EXPECT_EQ(ends(), (Times{17, 50}));
}

// Written: after 2, 4, 6 and 1000 / 128 = 7.8 cycles. Read: two places; the link removes the first burst in 2..4, the
// second in 4..6, the third, requested in 4, in 6..8, the last, requested in 6, from 8 on for 232 / 128 = 1.8.
TEST(Traffic, Dma2To6TheTransferOfTheContract) {
  EXPECT_EQ(run_ideal(example(true), 0).when(), (Times{2, 4, 6, 8}));
  EXPECT_EQ(run_ideal(example(true), 0).cycles, 10);
  EXPECT_EQ(run_ideal(example(false), 0).when(), (Times{0, 1, 4, 6}));
  EXPECT_EQ(run_ideal(example(false), 0).cycles, 10);
  for (const bool write : {false, true}) EXPECT_EQ(run(example(write), memory_of(MemoryKind::ideal, 0)), 10);
}

// Latency 3: a burst sent in t is answered in t + 4, and its place is free in t + 5. One place: 2, then 2 cycles of the
// link after 7, 14 and 21 (1.8). Two: 2, 4, 9 and, at the earliest 9 + 1.8, 11. Any number: at the link's rate.
TEST(Traffic, Dma2TheLinkWaitsForAPlaceInTheBuffer) {
  EXPECT_EQ(run_ideal(buffered(true, 256), 3).when(), (Times{2, 9, 16, 23}));
  EXPECT_EQ(run_ideal(buffered(true, 256), 3).cycles, 28);
  EXPECT_EQ(run_ideal(buffered(true, 512), 3).when(), (Times{2, 4, 9, 11}));
  EXPECT_EQ(run_ideal(buffered(true, 4096), 3).when(), (Times{2, 4, 6, 8}));
  // Read, one place: taken in 4, removed in 7; requested in 7, taken in 11, removed in 14; ...
  EXPECT_EQ(run_ideal(buffered(false, 256), 3).when(), (Times{0, 7, 14, 21}));
  EXPECT_EQ(run_ideal(buffered(false, 256), 3).cycles, 28);  // 26 + 1.8
  EXPECT_EQ(run_ideal(buffered(false, 4096), 3).when(), (Times{0, 1, 2, 3}));
  EXPECT_EQ(run_ideal(buffered(false, 4096), 3).cycles, 13);  // the link is never idle: 5 + 7.8
}

// A long stall of the memory costs link time: afterwards only the buffer is ahead of the link's rate.
TEST(Traffic, Dma2TheLinkIsNeverFasterThanItsRate) {
  Traffic traffic = buffered(true, 512);
  traffic.bytes = 256 * 10;
  DmaMaster master({traffic}, Frequency(100), kBeat);
  Times sent;
  for (Cycles now = 0; !master.done(); ++now) {
    if (!master.step(now)) continue;
    sent.push_back(now);
    master.response(std::max<Cycles>(now + 1, 101));
  }
  EXPECT_EQ(sent, (Times{2, 4, 104, 106, 108, 110, 112, 114, 116, 118}));  // a place is free in 102
}

// 7 bytes in 3 seconds, 1/3 MHz: 256 bytes take 256 * 3/7 * 10^6/3 = 36,571,428 4/7 cycles.
TEST(Traffic, Dma2TimesAreExact) {
  Traffic traffic = buffered(true, 4096);
  traffic.bytes = 256 * 8;
  traffic.rate = {7, 3};
  Times expected;
  for (std::int64_t k = 1; k <= 8; ++k) expected.push_back(ceil_div(256'000'000 * k, 7));
  EXPECT_EQ(run_ideal(traffic, 0, {1, 3}).when(), expected);
  EXPECT_EQ(expected[6], 256'000'000);  // exactly: no cycle later
  traffic.start = 5;
  for (Cycles& each : expected) each += 5;
  EXPECT_EQ(run_ideal(traffic, 0, {1, 3}).when(), expected);
}

// One open burst: sent in 2, answered in 6 and open until then: the next in 7. Two: the third in 7, as the first ended.
TEST(Traffic, Dma3ABurstIsNotSentInTheCycleThatEndsTheOneInItsWay) {
  EXPECT_EQ(run_ideal(buffered(true, 4096, 1), 3).when(), (Times{2, 7, 12, 17}));
  EXPECT_EQ(run_ideal(buffered(true, 4096, 2), 3).when(), (Times{2, 4, 7, 9}));
  EXPECT_EQ(run_ideal(buffered(true, 4096, 3), 3).when(), (Times{2, 4, 6, 8}));
}

// A kernel's port that reads the same bytes at its maximum rate, one beat per cycle.
TEST(Traffic, OnDdr4AReadOfOneBurstTakesWhatAKernelsPortTakes) {
  MemoryConfig config = memory_of(MemoryKind::ddr4, 0);
  config.latency_cycles = 20;
  Traffic traffic = buffered(false, 4096);
  traffic.bytes = 64;
  traffic.burst_bytes = 64;
  traffic.rate = {6'400'000'000, 1};  // 64 bytes per cycle
  const Cycles cycles = run(traffic, config);
  config.dma_ports = 0;
  const std::unique_ptr<Memory> memory = make_memory(config);
  memory->send_read(0, 0, traffic.address, 1);
  Cycles visible = kNever;
  for (Cycles now = 1; visible == kNever; ++now) {
    memory->advance(now);
    visible = memory->next_read_beat(0);
  }
  EXPECT_EQ(cycles, visible + 1 + 1);
}

// Bursts of 4 beats of one row, all requested by cycle 1: port 0's first, the engine's, port 0's second.
TEST(Traffic, Dma5TheEngineTakesItsTurnBurstByBurst) {
  MemoryConfig config = memory_of(MemoryKind::ddr4, 0);
  config.port_channel = {0, 0, 0};
  config.kernel_clock = {1200, 1};  // the DRAM's clock: a beat takes tCCD_S = 4 cycles
  const std::unique_ptr<Memory> memory = make_memory(config);
  Traffic traffic = buffered(false, 4096);
  traffic.bytes = 256;
  traffic.rate = {256 * 1'200'000'000LL, 1};  // 256 bytes per cycle
  DmaMaster engine({traffic}, config.kernel_clock, kBeat);
  Times port;
  memory->send_read(0, 0, 0, 4);
  for (Cycles now = 0; !engine.done() || port.size() < 8; ++now) {
    memory->advance(now);
    if (now == 1) memory->send_read(0, 1, 256, 4);
    for (Cycles visible; (visible = memory->next_read_beat(0)) != kNever;) {
      memory->take_read_beat(0, visible);
      port.push_back(visible);
    }
    step(engine, *memory, 1, 2, now);
  }
  const Cycles taken = engine.ends().back() - 1 - 1;  // the link can use it from the next cycle on
  EXPECT_EQ(taken, port[3] + 4 * 4);
  EXPECT_EQ(port[4], taken + 4);
  EXPECT_EQ(port[7], taken + 4 * 4);
}

// At 100 MHz a kernel's port has at most 6.4 GB/s; a channel of DDR4-2400 has 19.2.
TEST(Traffic, Dma4ATransferIsNotHeldToABeatACycle) {
  constexpr Bytes kBytes = 1 << 20;
  for (const bool write : {false, true}) {
    Traffic traffic = buffered(write, 64 << 10);
    traffic.bytes = kBytes;
    const Cycles cycles = run(traffic, memory_of(MemoryKind::ddr4, 0));
    EXPECT_GE(cycles, kBytes / 128);
    EXPECT_LT(cycles, kBytes / 64);
  }
}

// The second begins when the first has ended, in 10; the third moves no data; the fourth waits for its start.
TEST(Traffic, Dma6TransfersFollowEachOther) {
  Traffic late = example(true);
  late.start = 100;
  Traffic none = example(false);
  none.bytes = 0;
  EXPECT_EQ(ends_of({example(true), example(false), none, late}, memory_of(MemoryKind::ideal, 0)),
            (Times{10, 20, 20, 110}));
}

// On channel 1 the engine's turn follows port 1's; channel 0 is used by port 0 alone.
TEST(Traffic, Dma5APortOfTheEngineReachesEveryChannel) {
  MemoryConfig config = memory_of(MemoryKind::ddr4, 0);
  config.channels = 2;
  config.port_channel = {0, 1, 0, 0};
  const auto last_beats = [&](int channel) {
    const std::unique_ptr<Memory> memory = make_memory(config);
    Traffic traffic = buffered(false, 1 << 20);
    traffic.address = config.ddr4.capacity * channel;
    traffic.bytes = 1 << 16;
    traffic.rate.bytes = 100'000'000'000;
    DmaMaster engine({traffic}, config.kernel_clock, kBeat);
    std::array<Cycles, 2> last{};
    std::array<int, 2> left{64 * 20, 64 * 20};
    for (Cycles now = 0; left[0] + left[1] > 0 || !engine.done(); ++now) {
      memory->advance(now);
      for (PortId port : {0, 1}) {
        if (now < 20) memory->send_read(port, now, 4096 * now, 64);
        for (Cycles visible; (visible = memory->next_read_beat(port)) != kNever;
             --left[static_cast<std::size_t>(port)]) {
          memory->take_read_beat(port, visible);
          last[static_cast<std::size_t>(port)] = visible;
        }
      }
      step(engine, *memory, 2, 3, now);
    }
    return last;
  };
  const std::array<Cycles, 2> on_0 = last_beats(0), on_1 = last_beats(1);
  EXPECT_GT(on_0[0], on_1[0]);
  EXPECT_GT(on_1[1], on_0[1]);
  EXPECT_EQ(on_0[0], on_1[1]);  // the two channels are symmetric
  EXPECT_EQ(on_0[1], on_1[0]);
}

TEST(Traffic, RefusesWhatIsNoTransfer) {
  const auto refused = [](void (*change)(Traffic&)) {
    Traffic traffic = example(true);
    change(traffic);
    EXPECT_THROW(DmaMaster({traffic}, Frequency(100), kBeat), Error);
  };
  refused([](auto& t) { t.bytes = -1; });
  refused([](auto& t) { t.start = -1; });
  refused([](auto& t) { t.address = 64; });
  refused([](auto& t) { t.rate.bytes = 0; });
  refused([](auto& t) { t.rate.seconds = -1; });
  refused([](auto& t) { t.burst_bytes = 192; });
  refused([](auto& t) { t.burst_bytes = 32; });
  refused([](auto& t) { t.burst_bytes = 8192; });
  refused([](auto& t) { t.buffer_bytes = 255; });
  refused([](auto& t) { t.outstanding = 0; });
  refused([](auto& t) { t.rate = {3, (std::int64_t{1} << 61) + 1}; });
}

}  // namespace
}  // namespace weft::memory

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_memory.h"

namespace weft::memory {
namespace {

struct Seen {
  std::vector<Cycles> reads, answers;
  friend bool operator==(const Seen& a, const Seen& b) { return a.reads == b.reads && a.answers == b.answers; }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  MemoryConfig one_port() {
    const Frequency clocks[] = {{100, 1}, {250, 1}, {1000, 3}};
    MemoryConfig config;
    config.kernel_clock = clocks[below(3)];
    config.latency_cycles = 53;
    config.ddr4.map = static_cast<AddressMap>(below(3));
    config.ddr4.auto_precharge_a3 = below(2) != 0;
    if (below(2) != 0) config.ddr4.controller = ControllerKind::mig;
    return config;
  }

 private:
  std::mt19937_64 random_;
};

void take(Ddr4Memory& memory, Seen& seen) {
  for (Cycles at; (at = memory.next_read_beat(0)) != kNever;) {
    memory.take_read_beat(0, at);
    seen.reads.push_back(at);
  }
  for (Cycles at; (at = memory.next_write_response(0)) != kNever;) {
    memory.take_write_response(0, at);
    seen.answers.push_back(at);
  }
}

// Writes the state as bytes and reads it into a memory with another history.
void renew(Ddr4Memory& memory, const MemoryConfig& config, Cycles cycle, int row) {
  memory.settle(0, cycle);
  std::string bytes;
  Relative out(bytes, false);
  memory.relative(out, 0, cycle, row);
  Ddr4Memory other(config);
  for (int i = 0; i < 5; ++i) other.send_read(0, i, 4096 * 77 * i, 3);
  other.settle(0, 40);
  Seen ignored;
  take(other, ignored);
  const PortStats stats = memory.returned(0).stats();
  const Cycles last = memory.returned(0).last_read();
  Relative in(bytes, true);
  other.relative(in, 0, cycle, row);
  other.controller(0).set_refresh_due(memory.controller(0).refresh_due());
  other.returned(0).stats() = stats;
  other.returned(0).follow(last, -1);
  std::string again;
  Relative check(again, false);
  other.relative(check, 0, cycle, row);
  ASSERT_EQ(bytes, again);
  memory = other;
}

class RestoredMemory : public testing::TestWithParam<int> {};

TEST_P(RestoredMemory, GoesOnAsTheOneThatWasNotSaved) {
  Random random(static_cast<std::uint64_t>(GetParam()));
  const auto below = [&](std::int64_t end) { return random.below(end); };
  MemoryConfig config = random.one_port();
  const Bytes widths[] = {16, 64, 128};
  const Bytes width = config.beat_bytes = widths[below(3)];
  Ddr4Memory kept(config), renewed(config);
  Seen seen_kept, seen_renewed;
  const bool writes = below(3) == 0, busy = below(2) != 0;
  Address address = 0;
  Cycles cycle = 0;
  for (int burst = 0; burst < 300; ++burst) {
    cycle += below(busy ? 30 : 400);
    if (below(4) == 0) address = below(1 << 22) / width * width;
    const int beats = static_cast<int>(std::min<std::int64_t>(1 + below(64), (4096 - address % 4096) / width));
    const bool write = writes && below(2) == 0;
    for (Ddr4Memory* memory : {&kept, &renewed}) {
      Seen& seen = memory == &kept ? seen_kept : seen_renewed;
      memory->advance(cycle);
      take(*memory, seen);
      if (memory == &renewed) {
        memory->settle(0, cycle);
        take(*memory, seen);
        renew(*memory, config, cycle, static_cast<int>(address >> kRowBit));
      }
      if (write) {
        memory->send_write(0, cycle, address, beats);
        for (int i = 0; i < beats; ++i) memory->send_write_beat(0, cycle + i);
      } else {
        memory->send_read(0, cycle, address, beats);
      }
    }
    if (write) cycle += beats;
    address += beats * width;
  }
  kept.finish();
  renewed.finish();
  take(kept, seen_kept);
  take(renewed, seen_renewed);
  EXPECT_EQ(seen_kept, seen_renewed);
  for (const auto count : {&PortStats::row_hits, &PortStats::row_misses, &PortStats::row_conflicts}) {
    EXPECT_EQ(kept.stats(0).*count, renewed.stats(0).*count);
  }
}

// Returns the state, at the start of a cycle, of a memory that was not settled before.
std::string state_at(Ddr4Memory memory, Cycles cycle) {
  Seen ignored;
  memory.settle(0, cycle);
  take(memory, ignored);
  std::string bytes;
  Relative state(bytes, false);
  memory.relative(state, 0, cycle, 0);
  return bytes;
}

TEST(RestingMemory, StaysAsItIsFromTheCycleThatItSays) {
  Random random(7);
  const auto below = [&](std::int64_t end) { return random.below(end); };
  int rested = 0, working = 0, settled_later = 0;
  for (int i = 0; i < 300; ++i) {
    MemoryConfig config = random.one_port();
    config.ddr4.refresh = false;
    Ddr4Memory memory(config);
    Cycles cycle = 0;
    for (std::int64_t burst = 1 + below(4); burst > 0; --burst, cycle += below(60)) {
      const int beats = static_cast<int>(1 + below(32));
      const Address address = below(1 << 22) / 4096 * 4096;
      if (below(2) == 0) {
        memory.send_read(0, cycle, address, beats);
        continue;
      }
      memory.send_write(0, cycle, address, beats);
      const std::int64_t sent = below(3) == 0 ? below(beats) : beats;  // a burst may wait long for its data
      for (std::int64_t beat = 0; beat < sent; ++beat) memory.send_write_beat(0, cycle + beat);
      cycle += sent;
      if (sent < beats) break;
    }
    Ddr4Memory settled = memory;
    const Cycles end = cycle + 1 + below(200), period = settled.clocks().period();
    settled.settle(0, end);
    const Cycles rests = settled.rests_from(0, end);
    if (rests == kNever) {
      ++working;
      continue;
    }
    ++rested;
    ASSERT_LE(rests, end);
    settled_later += rests > cycle + 1 && state_at(memory, cycle + 1) != state_at(memory, cycle + 1 + 40 * period);
    for (Cycles from = rests; from < rests + period; ++from) {
      for (const Cycles later : {from + period, from + 40 * period}) {
        ASSERT_EQ(state_at(memory, from), state_at(memory, later)) << i << ": cycle " << from << " and " << later;
      }
    }
  }
  EXPECT_GT(rested, 60);
  EXPECT_GT(working, 20);
  EXPECT_GT(settled_later, 60);
}

INSTANTIATE_TEST_SUITE_P(Random, RestoredMemory, testing::Range(0, 100));

}  // namespace
}  // namespace weft::memory

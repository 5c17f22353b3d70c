#include "model/memory/ideal.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/core/error.h"

namespace weft::memory {
namespace {

MemoryConfig ideal(Cycles latency, int ports = 1) {
  MemoryConfig config;
  config.kind = MemoryKind::ideal;
  config.ideal_latency_cycles = latency;
  config.port_channel.assign(ports, 0);
  return config;
}

// Returns the cycles in which the port's next `count` beats become visible; each beat is taken in that cycle.
std::vector<Cycles> beat_cycles(Memory& memory, PortId port, int count) {
  std::vector<Cycles> cycles;
  for (int i = 0; i < count; ++i) {
    const Cycles cycle = memory.next_read_beat(port);
    memory.advance(cycle);
    memory.take_read_beat(port, cycle);
    cycles.push_back(cycle);
  }
  return cycles;
}

TEST(IdealMemory, ReadBeatIIsVisibleInCycleTPlus1PlusLPlusI) {
  IdealMemory memory(ideal(5));
  EXPECT_EQ(memory.next_read_beat(0), kNever);
  memory.send_read(0, 10, 0, 4);
  EXPECT_EQ(beat_cycles(memory, 0, 4), (std::vector<Cycles>{16, 17, 18, 19}));
  EXPECT_EQ(memory.next_read_beat(0), kNever);
}

TEST(IdealMemory, BeatsOfOnePortAreAtLeastOneCycleApart) {
  IdealMemory memory(ideal(5));
  memory.send_read(0, 10, 0, 3);
  memory.send_read(0, 11, 4096, 2);  // its own latency would make it visible from 17 on
  memory.send_read(0, 30, 8192, 1);
  EXPECT_EQ(beat_cycles(memory, 0, 6), (std::vector<Cycles>{16, 17, 18, 19, 20, 36}));
}

TEST(IdealMemory, PortsDoNotDisturbEachOther) {
  IdealMemory memory(ideal(0, 2));
  memory.send_read(0, 3, 0, 2);
  memory.send_read(1, 3, 0, 2);
  EXPECT_EQ(beat_cycles(memory, 0, 2), (std::vector<Cycles>{4, 5}));
  EXPECT_EQ(memory.next_read_beat(1), 4);
}

TEST(IdealMemory, WriteIsAnsweredLPlus1CyclesAfterItsLastBeat) {
  IdealMemory memory(ideal(5));
  memory.send_write(0, 10, 0, 3);
  for (const Cycles cycle : {10, 11, 14}) {
    EXPECT_EQ(memory.next_write_response(0), kNever);
    memory.send_write_beat(0, cycle);
  }
  EXPECT_EQ(memory.next_write_response(0), 14 + 5 + 1);
  memory.advance(20);
  memory.take_write_response(0, 20);
  EXPECT_EQ(memory.next_write_response(0), kNever);
}

TEST(IdealMemory, AddressAndDataOfAWriteMayComeInEitherOrderWithinACycle) {
  IdealMemory memory(ideal(1));
  memory.send_write_beat(0, 7);
  memory.send_write(0, 7, 0, 1);
  EXPECT_EQ(memory.next_write_response(0), 9);
}

TEST(IdealMemory, NextEventIsTheNextCycleInWhichSomethingBecomesVisible) {
  IdealMemory memory(ideal(5));
  EXPECT_EQ(memory.next_event(), kNever);
  memory.send_read(0, 10, 0, 2);
  EXPECT_EQ(memory.next_event(), 16);
  memory.advance(16);
  EXPECT_EQ(memory.next_event(), 17);
  memory.advance(17);
  EXPECT_EQ(memory.next_event(), kNever);
}

TEST(IdealMemory, CountsBeatsBurstsBusyAndWaitCycles) {
  IdealMemory memory(ideal(5));
  memory.send_read(0, 10, 0, 2);   // outstanding in 10..17, beats in 16 and 17
  memory.send_write(0, 12, 0, 2);  // 12..20: beats in 12 and 16, response in 22
  memory.send_write_beat(0, 12);
  memory.advance(16);
  memory.send_write_beat(0, 16);
  EXPECT_EQ(beat_cycles(memory, 0, 2), (std::vector<Cycles>{16, 17}));
  memory.advance(25);
  memory.take_write_response(0, 25);
  memory.advance(100);
  const PortStats stats = memory.stats(0);
  EXPECT_EQ(stats.read_bursts, 1);
  EXPECT_EQ(stats.read_beats, 2);
  EXPECT_EQ(stats.write_bursts, 1);
  EXPECT_EQ(stats.write_beats, 2);
  EXPECT_EQ(stats.busy_cycles, 3);                  // 12, 16 (both directions), 17
  EXPECT_EQ(stats.wait_cycles, (25 - 10 + 1) - 3);  // outstanding from 10 to 25
  EXPECT_EQ(stats.row_hits + stats.row_misses + stats.row_conflicts, 0);
}

TEST(IdealMemory, WaitCyclesUpToTheLastAdvanceIncludeWhatIsStillOutstanding) {
  IdealMemory memory(ideal(50));
  memory.send_read(0, 10, 0, 1);
  memory.advance(29);
  EXPECT_EQ(memory.stats(0).wait_cycles, 20);  // 10 .. 29
}

TEST(IdealMemory, RefusesBurstsThatAxiDoesNotAllow) {
  IdealMemory memory(ideal(1));
  EXPECT_THROW(memory.send_read(0, 0, 0, 0), Error);
  EXPECT_THROW(memory.send_read(0, 0, 32, 1), Error);         // not aligned to the beat
  EXPECT_THROW(memory.send_read(0, 0, 4096 - 64, 2), Error);  // crosses 4 KB
  EXPECT_THROW(memory.send_write(0, 0, -64, 1), Error);
  memory.send_read(0, 0, 4096 - 64, 1);
}

TEST(IdealMemory, ResetForgetsEverything) {
  IdealMemory memory(ideal(5));
  memory.send_read(0, 10, 0, 4);
  memory.advance(16);
  memory.take_read_beat(0, 16);
  memory.reset();
  EXPECT_EQ(memory.next_read_beat(0), kNever);
  EXPECT_EQ(memory.stats(0).read_beats, 0);
  memory.send_read(0, 0, 0, 1);
  EXPECT_EQ(memory.next_read_beat(0), 6);
}

}  // namespace
}  // namespace weft::memory

#include "model/memory/ddr4_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/core/error.h"

namespace weft::memory {

static void PrintTo(const MemoryConfig& config, std::ostream* out) {
  *out << (config.kind == MemoryKind::ideal ? "ideal" : "ddr4") << " at " << mhz(config.kernel_clock) << " MHz";
}

namespace {

MemoryConfig ddr4(Frequency clock = {100, 1}, Cycles latency = 0, Bytes beat_bytes = 64) {
  MemoryConfig config;
  config.kernel_clock = clock;
  config.latency_cycles = latency;
  config.beat_bytes = beat_bytes;
  config.ddr4.refresh = false;
  return config;
}

// Returns a configuration of ports that share a channel.
MemoryConfig shared(std::size_t ports, Frequency clock = {100, 1}) {
  MemoryConfig config = ddr4(clock);
  config.port_channel.assign(ports, 0);
  return config;
}

// Advances cycle by cycle, like a clocked kernel, and takes each beat and response as soon as it is visible.
struct Taken {
  std::vector<Cycles> beats, responses;
};
std::vector<Taken> run(Memory& memory, int ports, Cycles from, Cycles to) {
  std::vector<Taken> taken(ports);
  for (Cycles cycle = from; cycle < to; ++cycle) {
    memory.advance(cycle);
    for (int port = 0; port < ports; ++port) {
      if (memory.next_read_beat(port) <= cycle) {
        memory.take_read_beat(port, cycle);
        taken[port].beats.push_back(cycle);
      }
      if (memory.next_write_response(port) <= cycle) {
        memory.take_write_response(port, cycle);
        taken[port].responses.push_back(cycle);
      }
    }
  }
  return taken;
}

// A request sent in cycle k is accepted at the first DRAM edge at or after (k+1)T; a closed bank takes 39 nCK; data is
// visible at the first kernel edge after that, plus the latency.
TEST(Ddr4Memory, SingleReadCrossesTheClocksAsTheContractSays) {
  const struct {
    Frequency clock;
    Cycles sent, visible;
  } cases[] = {
      {{100, 1}, 10, 15},  // edge 132, data 171, 171/12 = 14.25
      {{300, 1}, 10, 21},  // edge 44, data 83, 83/4 = 20.75
      {{300, 1}, 11, 22},  // edge 48, data 87
      {{250, 1}, 10, 20},  // 11 * 4.8 = 52.8: edge 53, data 92, 92/4.8 = 19.17
      {{250, 1}, 9, 19},   // 48 exactly: edge 48, data 87, 87/4.8 = 18.125
      {{250, 1}, 3, 13},   // 19.2: edge 20, data 59, 59/4.8 = 12.29
      {{130, 1}, 10, 16},  // 11 * 120/13 = 101.54: edge 102, data 141, 141 * 13/120 = 15.275
      {{130, 1}, 12, 18},  // 120 exactly: edge 120, data 159, 159 * 13/120 = 17.225
  };
  for (const auto& expected : cases) {
    for (const Cycles latency : {0, 14}) {
      Ddr4Memory memory(ddr4(expected.clock, latency));
      memory.advance(expected.sent);
      memory.send_read(0, expected.sent, 0, 1);
      const auto taken = run(memory, 1, expected.sent, expected.sent + 100);
      EXPECT_EQ(taken[0].beats, std::vector<Cycles>{expected.visible + latency})
          << mhz(expected.clock) << " MHz, sent " << expected.sent;
    }
  }
}

TEST(Ddr4Memory, DataAtAKernelEdgeIsVisibleOnlyInTheNextCycle) {
  // 400 MHz, 3 nCK per cycle: sent in 2, accepted at 9, data at 48 = cycle 16 exactly, so visible in 17.
  Ddr4Memory memory(ddr4({400, 1}));
  memory.send_read(0, 2, 0, 1);
  EXPECT_EQ(run(memory, 1, 2, 50)[0].beats, std::vector<Cycles>{17});
}

TEST(Ddr4Memory, BeatsReturnInOrderOneACycle) {
  Ddr4Memory memory(ddr4());
  memory.send_read(0, 0, 0, 16);
  const auto taken = run(memory, 1, 0, 100);
  ASSERT_EQ(taken[0].beats.size(), 16U);
  EXPECT_EQ(taken[0].beats[0], 5);  // edge 12, data 51, 51/12 = 4.25
  for (std::size_t i = 1; i < 16; ++i) EXPECT_EQ(taken[0].beats[i], taken[0].beats[i - 1] + 1);
}

TEST(Ddr4Memory, WriteIsAnsweredWhenItsLastBeatIsAccepted) {
  Ddr4Memory memory(ddr4());
  memory.send_write(0, 10, 0, 2);
  memory.send_write_beat(0, 10);
  memory.advance(20);
  EXPECT_EQ(memory.next_write_response(0), kNever);
  memory.send_write_beat(0, 20);
  // Seen and accepted at nCK 252 = cycle 21 exactly, so visible in 22.
  EXPECT_EQ(run(memory, 1, 20, 40)[0].responses, std::vector<Cycles>{22});
}

// At 1200 MHz a cycle has one edge: a request sent in cycle 10 is offered from edge 11 on, one request per edge.
TEST(Ddr4Memory, AChannelAcceptsARequestInEveryEdge) {
  Ddr4Memory memory(ddr4({1200, 1}));
  memory.send_write(0, 10, 0, 4);
  for (int beat = 0; beat < 4; ++beat) memory.send_write_beat(0, 10);
  // 11, 12, 13, 14.
  EXPECT_EQ(run(memory, 1, 10, 40)[0].responses, std::vector<Cycles>{15});
}

TEST(Ddr4Memory, ReadsAndWritesTakeTurnsWhereBothCouldBeAccepted) {
  Ddr4Memory memory(shared(2, {1200, 1}));
  memory.send_read(0, 10, 0, 2);
  memory.send_write(1, 10, 4096, 4);
  for (int beat = 0; beat < 4; ++beat) memory.send_write_beat(1, 10);
  // R 11, W 12, R 13, W 14, and then the writes alone: 15, 16.
  EXPECT_EQ(run(memory, 2, 10, 40)[1].responses, std::vector<Cycles>{17});
}

TEST(Ddr4Memory, TheTurnIsTheOthersOfTheRequestAcceptedLast) {
  Ddr4Memory memory(shared(3, {1200, 1}));
  memory.send_read(0, 10, 0, 1);  // R 11
  run(memory, 3, 10, 19);
  memory.send_write(1, 19, 4096, 1);
  memory.send_write_beat(1, 19);
  memory.send_read(2, 19, 8192, 1);
  // W 20: the last accepted request was a read.
  EXPECT_EQ(run(memory, 3, 19, 60)[1].responses, std::vector<Cycles>{21});
}

TEST(Ddr4Memory, NarrowBeatsShareA64ByteAccess) {
  Ddr4Memory memory(ddr4({100, 1}, 0, 16));
  memory.send_read(0, 0, 48, 6);  // the last beat of one line, four of the next, the first of the third
  const auto taken = run(memory, 1, 0, 100);
  EXPECT_EQ(taken[0].beats.size(), 6U);
  const PortStats stats = memory.stats(0);
  EXPECT_EQ(stats.read_beats, 6);
  EXPECT_EQ(stats.row_hits + stats.row_misses + stats.row_conflicts, 3);
}

TEST(Ddr4Memory, NarrowWriteBeatsAreAcceptedALineAtATime) {
  Ddr4Memory memory(ddr4({100, 1}, 0, 32));
  memory.send_write(0, 0, 32, 3);
  for (Cycles cycle = 0; cycle < 3; ++cycle) memory.send_write_beat(0, cycle);
  // The last beat, sent in cycle 2, is seen at nCK 36 and answered in cycle 4.
  EXPECT_EQ(run(memory, 1, 2, 40)[0].responses, std::vector<Cycles>{4});
  EXPECT_EQ(memory.stats(0).write_beats, 3);
  EXPECT_EQ(memory.stats(0).row_hits + memory.stats(0).row_misses, 2);
}

// The other half may be delayed by a refresh: the beat becomes visible with the later half.
TEST(PortReturn, ABeatInTwoPartsIsThereWithTheLastOfThem) {
  PortReturn port(2);
  port.begin_read(0, 2);
  const PortReturn::Slot first = port.expect_beats(1), second = port.expect_beats(1);
  port.data_ready(first, 10);
  EXPECT_EQ(port.next_read_beat(), kNever);
  port.data_ready(second, 12);
  port.data_ready(second, 14);
  EXPECT_EQ(port.next_read_beat(), kNever);  // in order
  port.data_ready(first, 430);
  EXPECT_EQ(port.next_read_beat(), 430);
  port.take_read_beat(430);
  EXPECT_EQ(port.next_read_beat(), 431);
}

// Announced in cycles 10, 11 and 12, then 20; the second burst ends with the third beat, the third with the last.
TEST(PortReturn, TakesWhatIsKnownAsRunsOfBeats) {
  PortReturn port, one_by_one;
  for (PortReturn* each : {&port, &one_by_one}) {
    each->begin_read(0, 1);
    each->begin_read(1, 2);
    each->begin_read(2, 2);
    each->data_ready(each->expect_beats(1), 10);
    each->data_ready(each->expect_beats(2), 10);
    each->data_ready(each->expect_beats(1), 20);
    each->take_read_beat(10);
  }
  std::vector<std::pair<Cycles, int>> runs;
  port.take_known_beats([&runs](Cycles first, int count) { runs.emplace_back(first, count); });
  EXPECT_EQ(runs, (std::vector<std::pair<Cycles, int>>{{11, 2}, {20, 1}}));
  EXPECT_EQ(port.next_read_beat(), kNever);
  for (const Cycles cycle : {11, 12, 20}) one_by_one.take_read_beat(cycle);
  for (PortReturn* each : {&port, &one_by_one}) {
    EXPECT_EQ(each->stats_at(25).read_beats, 4);
    EXPECT_EQ(each->stats_at(25).busy_cycles, 4);
    EXPECT_EQ(each->stats_at(25).wait_cycles, 22);  // of 26 cycles with a burst under way
    each->data_ready(each->expect_beats(1), 15);    // earlier than the last beat taken, which it must follow
    EXPECT_EQ(each->next_read_beat(), 21);
    each->take_known_beats([](Cycles, int) {});
    EXPECT_TRUE(each->idle());
    EXPECT_EQ(each->stats_at(30).wait_cycles, 17);  // of cycles 0 to 21
  }
}

// If no beat of a burst was announced when the state was saved, the restored port knows only its later beats.
TEST(PortReturn, ABurstThatBeganBeforeItWasRestoredHasNoEnd) {
  PortReturn before;
  std::string state;
  Relative saved(state, false);
  before.relative(saved, 100, 0);
  PortReturn port;
  port.begin_read(0, 3);  // its end, the third beat, is not part of the state
  port.data_ready(port.expect_beats(1), 5);
  port.take_read_beat(5);
  Relative loaded(state, true);
  port.relative(loaded, 100, 0);
  EXPECT_TRUE(port.idle());
  for (const Cycles cycle : {110, 111, 112}) {
    port.data_ready(port.expect_beats(1), cycle);
    port.take_read_beat(cycle);
    EXPECT_TRUE(port.idle());
  }
}

// Sent in cycle 10 at 300 MHz: its halves are accepted at edges 44 and 45. The first is complete at 83 as in
// SingleReadCrossesTheClocksAsTheContractSays, cycle 20.75; the second's bank is activated tRRD_S after the first's, so
// its data is complete 4 nCK later, at 87 = cycle 21.75.
TEST(Ddr4Memory, AWideReadBeatIsThereWhenBothOfItsHalvesAre) {
  Ddr4Memory memory(ddr4({300, 1}, 0, 128));
  memory.send_read(0, 10, 0, 1);
  EXPECT_EQ(run(memory, 1, 10, 50)[0].beats, std::vector<Cycles>{22});
  EXPECT_EQ(memory.stats(0).read_beats, 1);
  EXPECT_EQ(memory.stats(0).row_misses, 2);
}

// At 1200 MHz, sent in cycle 10: visible to the channel at edge 11; its halves are accepted at edges 11 and 12, and the
// response is visible in the next cycle.
TEST(Ddr4Memory, AWideWriteBeatIsAnsweredWhenBothOfItsHalvesAreAccepted) {
  Ddr4Memory memory(ddr4({1200, 1}, 0, 128));
  memory.send_write(0, 10, 128, 1);
  memory.send_write_beat(0, 10);
  EXPECT_EQ(run(memory, 1, 10, 40)[0].responses, std::vector<Cycles>{13});
  memory.finish();
  EXPECT_EQ(memory.stats(0).write_beats, 1);
  EXPECT_EQ(memory.stats(0).row_misses, 2);
}

// A burst of wide writes waits for the data of each beat, not of each half.
TEST(Ddr4Memory, BothHalvesOfAWideWriteBeatComeWithIt) {
  Ddr4Memory memory(ddr4({100, 1}, 0, 128));
  memory.send_write(0, 0, 0, 2);
  memory.send_write_beat(0, 0);
  memory.send_write_beat(0, 9);
  // The second beat is seen at nCK 120, its second half accepted at 121: visible in 11.
  EXPECT_EQ(run(memory, 1, 0, 40)[0].responses, std::vector<Cycles>{11});
}

TEST(Ddr4Memory, PortsOfAChannelTakeTurnsBurstByBurst) {
  Ddr4Memory memory(shared(3));
  // All are sent in one cycle; burst b of port p reads row 3b + p of bank 0: each conflicts with the one before, so
  // that the order of service is the order of acceptance and determines the cycles of the beats.
  for (int burst = 0; burst < 2; ++burst) {
    for (int port = 2; port >= 0; --port) memory.send_read(port, 0, Address{3 * burst + port} << 17, 1);
  }
  const auto taken = run(memory, 3, 0, 200);
  std::vector<Cycles> in_turn;
  for (int burst = 0; burst < 2; ++burst) {
    for (int port = 0; port < 3; ++port) in_turn.push_back(taken[port].beats.at(burst));
  }
  EXPECT_TRUE(std::is_sorted(in_turn.begin(), in_turn.end()));
  EXPECT_EQ(std::adjacent_find(in_turn.begin(), in_turn.end()), in_turn.end());
  EXPECT_EQ(memory.stats(2).row_conflicts, 2);
}

TEST(Ddr4Memory, ABurstKeepsItsTurnToItsEnd) {
  Ddr4Memory memory(shared(2));
  memory.send_read(0, 0, 0, 32);
  memory.send_read(1, 0, Address{1} << 33, 1);
  const auto taken = run(memory, 2, 0, 200);
  // Port 1's only request is accepted 32 nCK after the first of port 0: at nCK 44 instead of 12.
  EXPECT_GE(taken[1].beats.at(0), (44 + 39) / 12 + 1);
}

TEST(Ddr4Memory, PortsOnDifferentChannelsDoNotDisturbEachOther) {
  MemoryConfig config = ddr4();
  config.port_channel = {0, 1};
  config.channels = 2;
  Ddr4Memory both(config);
  Ddr4Memory alone(config);
  for (int burst = 0; burst < 8; ++burst) {
    both.send_read(0, 0, burst * 4096, 64);
    both.send_read(1, 0, burst * 4096, 64);
    alone.send_read(1, 0, burst * 4096, 64);
  }
  EXPECT_EQ(run(both, 2, 0, 1000)[1].beats, run(alone, 2, 0, 1000)[1].beats);
}

TEST(Ddr4Memory, ARequestWithoutRoomHoldsUpThoseBehindIt) {
  MemoryConfig config = shared(2);
  config.ddr4.read_queue = 1;
  config.ddr4.bank_queue = 1;
  Ddr4Memory memory(config);
  // Port 0: three conflicts in one bank; port 1: another bank, in turn between them. While port 0's second request is
  // in the read queue (its bank has no room), port 1's is not accepted, although its bank is free.
  for (int row = 0; row < 3; ++row) memory.send_read(0, 0, Address{row} << 17, 1);
  memory.send_read(1, 1, Address{64}, 1);
  const auto taken = run(memory, 2, 0, 100);
  // Accepted at 12 (ACT 13, RD 30); the second moves on when the RD frees the bank at 30, so port 1 is accepted at 31.
  EXPECT_EQ(taken[1].beats.at(0), (31 + 39) / 12 + 1);
}

TEST(Ddr4Memory, WriteWithoutDataDoesNotHoldUpReads) {
  Ddr4Memory memory(ddr4());
  memory.send_write(0, 0, 0, 1);
  memory.send_read(0, 0, 4096, 1);
  EXPECT_EQ(run(memory, 1, 0, 100)[0].beats.at(0), 5);
}

TEST(Ddr4Memory, CountsRowHitsMissesAndConflictsPerRequest) {
  Ddr4Memory memory(ddr4());
  memory.send_read(0, 0, 0, 1);                   // bank closed
  memory.send_read(0, 50, 1 << 11, 1);            // the same row
  memory.send_read(0, 100, Address{1} << 17, 1);  // another row of the bank
  run(memory, 1, 0, 200);
  EXPECT_EQ(memory.stats(0).row_misses, 1);
  EXPECT_EQ(memory.stats(0).row_hits, 1);
  EXPECT_EQ(memory.stats(0).row_conflicts, 1);
}

// A scripted kernel: sends random bursts on three ports, two of which share a channel, in an order of calls that
// differs between runs, and records the cycle in which each beat and response becomes visible.
struct Script {
  std::uint32_t call_order_seed;
  bool jump;           // advance only to the cycles of next_event() and of sends
  bool late = false;   // run_late(): DDR4 channels run only when a beat or response may become visible
  bool count = false;  // also log next_event() and, every 64 cycles, the counts
};

std::vector<Cycles> play(const MemoryConfig& config, Script script) {
  const int ports = static_cast<int>(config.port_channel.size());
  const auto owner = make_memory(config);
  Memory& memory = *owner;
  if (auto* const ddr4 = dynamic_cast<Ddr4Memory*>(&memory); ddr4 && script.late) ddr4->run_late();
  std::mt19937 traffic(17);
  std::mt19937 order(script.call_order_seed);
  std::vector<int> beats_to_send(ports, 0);
  std::vector<Cycles> log;
  Cycles next_event = 0;
  for (Cycles cycle = 0; cycle < 6000; ++cycle) {
    struct Send {
      int port, kind, beats;
      Address address;
    };
    std::vector<Send> sends;
    for (int port = 0; port < ports; ++port) {
      const std::uint32_t dice = cycle < 3000 ? traffic() % 64 : 63;
      const int beats = 1 + static_cast<int>(traffic() % 16);
      const Address address = static_cast<Address>(traffic() % 64) * 4096;
      if (dice == 0) sends.push_back({port, 0, beats, address});
      if (dice == 1 && beats_to_send[port] == 0) {
        sends.push_back({port, 1, beats, address});
        beats_to_send[port] = beats;
      }
      if (beats_to_send[port] > 0) {
        sends.push_back({port, 2, 0, 0});
        --beats_to_send[port];
      }
    }
    if (script.jump && sends.empty() && cycle < next_event) continue;
    std::vector<int> calls(ports + sends.size());
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i] = static_cast<int>(i);
    std::shuffle(calls.begin(), calls.end(), order);
    std::vector<Cycles> seen(2 * ports, 0);
    for (const int call : calls) {
      memory.advance(cycle);
      if (call < ports) {
        if (memory.next_read_beat(call) <= cycle) {
          EXPECT_TRUE(!script.jump || memory.next_read_beat(call) == cycle);
          memory.take_read_beat(call, cycle);
          seen[2 * call] = 1;
        }
        if (memory.next_write_response(call) <= cycle) {
          memory.take_write_response(call, cycle);
          seen[2 * call + 1] = 1;
        }
        continue;
      }
      const Send& send = sends[call - ports];
      if (send.kind == 0) memory.send_read(send.port, cycle, send.address, send.beats);
      if (send.kind == 1) memory.send_write(send.port, cycle, send.address, send.beats);
      if (send.kind == 2) memory.send_write_beat(send.port, cycle);
    }
    for (int i = 0; i < 2 * ports; ++i) {
      if (seen[i] != 0) log.push_back(cycle * 100 + i);
    }
    next_event = memory.next_event();
    EXPECT_GT(next_event, cycle);
    if (script.count) log.push_back(next_event);
    if (script.count && cycle % 64 == 0) {
      for (int port = 0; port < ports; ++port) {
        const PortStats stats = memory.stats(port);
        log.insert(log.end(), {stats.row_hits, stats.row_misses, stats.row_conflicts, stats.wait_cycles});
      }
    }
  }
  memory.advance(10000);  // the last writes have not reached the DRAM yet
  for (int port = 0; port < ports; ++port) {
    const PortStats stats = memory.stats(port);
    for (const PortStats::Field& field : PortStats::fields()) log.push_back(stats.*field.count);
    EXPECT_GT(stats.read_beats, 100);
    EXPECT_GT(stats.write_beats, 100);
  }
  return log;
}

class AnyMemory : public testing::TestWithParam<MemoryConfig> {};

TEST_P(AnyMemory, OrderOfCallsWithinACycleDoesNotMatter) {
  const std::vector<Cycles> first = play(GetParam(), {1, false});
  for (std::uint32_t seed = 2; seed < 6; ++seed) EXPECT_EQ(play(GetParam(), {seed, false}), first);
}

TEST_P(AnyMemory, NextEventIsNeverLate) {
  for (const bool late : {false, true}) EXPECT_EQ(play(GetParam(), {9, true, late}), play(GetParam(), {1, false}));
}

// Visible beats, counts and next_event() do not depend on run_late().
TEST_P(AnyMemory, ShowsInTimeWhatChannelsHaveDoneMeanwhile) {
  for (const bool count : {false, true}) {
    EXPECT_EQ(play(GetParam(), {1, false, false, count}), play(GetParam(), {1, false, true, count}));
  }
}

// Reads consecutive ranges with up to sixteen bursts under way. At random times it pauses or jumps, another port reads
// or writes, or the channel is settled. Returns a log of the visible beats and the counts.
std::vector<Cycles> read_ranges(const MemoryConfig& config, bool late, std::uint32_t seed) {
  Ddr4Memory memory(config);
  if (late) memory.run_late();
  std::mt19937 random(seed);
  const Bytes range = 24 + static_cast<Bytes>(random() % 8) * 32;
  const std::int64_t page = 4096 / config.beat_bytes;  // in beats
  std::vector<Cycles> log;
  std::vector<std::int64_t> beats_left;  // per burst
  Address next = static_cast<Address>(random() % 4096) * range;
  Cycles wait_until = 0;
  for (Cycles cycle = 0; cycle < 6000; ++cycle) {
    memory.advance(cycle);
    if (memory.next_read_beat(0) <= cycle) {
      memory.take_read_beat(0, cycle);
      log.push_back(cycle);
      if (--beats_left.front() == 0) beats_left.erase(beats_left.begin());
    }
    if (memory.next_read_beat(1) <= cycle) memory.take_read_beat(1, cycle);
    if (memory.next_write_response(1) <= cycle) memory.take_write_response(1, cycle);
    const std::uint32_t dice = random() % 2048;
    if (dice == 0) wait_until = cycle + 200;
    if (dice == 1) next = std::max<Address>(next - 16 * range, 0);
    if (dice == 2) next += 40000;
    if (dice == 3) memory.send_read(1, cycle, static_cast<Address>(random() % 64) * 4096, 4);
    if (dice == 4) {
      memory.send_write(1, cycle, static_cast<Address>(random() % 64) * 4096, 1);
      memory.send_write_beat(1, cycle);
    }
    if (cycle >= wait_until && beats_left.size() < 16) {
      const std::int64_t first = next / config.beat_bytes, end = ceil_div(next + range, config.beat_bytes);
      const std::int64_t page_end = (first / page + 1) * page;  // no burst crosses it
      beats_left.push_back(std::min(end, page_end) - first);
      memory.send_read(0, cycle, first * config.beat_bytes, static_cast<int>(beats_left.back()));
      next = end > page_end ? page_end * config.beat_bytes : next + range;
    }
    if (dice > 10) continue;
    const PortStats stats = memory.stats(0);
    log.insert(log.end(), {stats.row_hits, stats.row_misses, stats.row_conflicts});
    if (dice > 6) continue;
    memory.settle(0, cycle + 1);
    log.push_back(memory.controller(0).refresh_due());
  }
  return log;
}

TEST_P(AnyMemory, ManySmallReadsShowAsTheyDoFromEdgeToEdge) {
  if (GetParam().kind != MemoryKind::ddr4) return;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    MemoryConfig config = GetParam();
    config.ddr4.map = static_cast<AddressMap>(seed % 3);
    config.ddr4.auto_precharge_a3 = seed % 2 == 0;
    config.port_channel = {0, 0};
    config.channels = 1;
    const std::vector<Cycles> edge_by_edge = read_ranges(config, false, seed);
    EXPECT_GT(edge_by_edge.size(), 300U);
    EXPECT_EQ(read_ranges(config, true, seed), edge_by_edge) << "seed " << seed;
  }
}

// Two ports read a channel of a MIG controller at random addresses. Its FIFOs are often full for one of them, and then
// the other one's turn comes with its next burst. Returns the cycles of the beats.
std::vector<Cycles> read_in_turns(bool late, std::uint32_t seed) {
  MemoryConfig config;
  config.ddr4.controller = ControllerKind::mig;
  config.ddr4.stage1 = config.ddr4.stage2 = 1;
  config.latency_cycles = 60;
  config.port_channel = {0, 0};
  config.channels = 1;
  Ddr4Memory memory(config);
  if (late) memory.run_late();
  std::mt19937 random(seed);
  std::vector<Cycles> log;
  std::array<int, 2> under_way{};
  for (Cycles cycle = 0; cycle < 4000; ++cycle) {
    memory.advance(cycle);
    for (const PortId port : {0, 1}) {
      if (memory.next_read_beat(port) <= cycle) {
        memory.take_read_beat(port, cycle);
        log.push_back(cycle);
        --under_way[port];
      }
      if (under_way[port] >= 4 || random() % 8 != 0) continue;
      memory.send_read(port, cycle, static_cast<Address>(random() % (1 << 20)) * 64, 1);
      ++under_way[port];
    }
  }
  return log;
}

TEST(Ddr4Memory, APortIsServedInItsTurnWhileAnotherWaitsForRoom) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const std::vector<Cycles> in_every_cycle = read_in_turns(false, seed);
    EXPECT_GT(in_every_cycle.size(), 300U);
    EXPECT_EQ(read_in_turns(true, seed), in_every_cycle) << "seed " << seed;
  }
}

// The DRAM finishes the write by cycle 12, long before its response, so that finishing takes no cycle: the write is
// under way in cycles 1 to 30, and its beat moves in the first of them.
TEST(Ddr4Memory, FinishesInTheCycleThatItIsInWhereNothingWaitsForTheDram) {
  Ddr4Memory memory(ddr4({250, 1}, 47));
  memory.run_late();
  memory.advance(1);
  memory.send_write(0, 1, 0, 1);
  memory.send_write_beat(0, 1);
  memory.advance(30);
  memory.finish();
  EXPECT_EQ(memory.stats(0).wait_cycles, 29);
  EXPECT_EQ(memory.stats(0).row_misses, 1);
}

// Checks the order of issue, and that all commands before the cycle are recorded, with or without visible effect.
TEST(Ddr4Memory, RecordsEachCommandByTheNextCycle) {
  MemoryConfig config = ddr4({250, 1}, 47);
  config.ddr4.refresh = true;
  Ddr4Memory memory(config);
  memory.run_late();  // has no effect while commands are recorded
  memory.record_commands();
  memory.reset();
  const ClockRatio& clocks = memory.clocks();
  std::size_t refreshes = 0, reads = 0;
  for (Cycles cycle = 0; cycle < 8000; ++cycle) {
    memory.advance(cycle);
    std::vector<IssuedCommand> commands;
    memory.take_commands(0, commands);
    for (const IssuedCommand& each : commands) {
      EXPECT_GE(each.time, clocks.first_edge(cycle - 1)) << "cycle " << cycle;
      EXPECT_LT(each.time, clocks.first_edge(cycle)) << "cycle " << cycle;
      refreshes += each.command == Command::refresh ? 1 : 0;
      reads += each.command == Command::read ? 1 : 0;
    }
    if (cycle % 500 == 100) memory.send_read(0, cycle, cycle / 100 * 4096, 16);
  }
  EXPECT_EQ(reads, 16 * 16);
  EXPECT_EQ(refreshes, 4);  // 8000 cycles are 38,400 nCK; one per 9,360
}

std::vector<MemoryConfig> memories() {
  std::vector<MemoryConfig> configs;
  for (const Frequency clock : {Frequency{100, 1}, Frequency{250, 1}, Frequency{300, 1}, Frequency{130, 1}}) {
    for (const Cycles latency : {0, 14}) {
      MemoryConfig config;
      config.kernel_clock = clock;
      config.latency_cycles = latency;
      config.ideal_latency_cycles = latency;
      config.port_channel = {0, 1, 0};
      config.channels = 2;
      config.ddr4.auto_precharge_a3 = latency != 0;
      config.ddr4.timing.refi_nck = 2000;
      configs.push_back(config);
    }
  }
  configs.push_back(configs[1]);
  configs.back().kind = MemoryKind::ideal;
  for (const Bytes bytes : {16, 128}) {
    configs.push_back(configs[5]);
    configs.back().beat_bytes = bytes;
  }
  for (std::size_t i = configs.size(); i-- > 0;) {
    if (configs[i].kind == MemoryKind::ideal) continue;
    configs.push_back(configs[i]);
    configs.back().ddr4.controller = ControllerKind::mig;
    configs.back().ddr4.stage1 = configs.back().ddr4.stage2 = 1 << i % 4;
  }
  return configs;
}

INSTANTIATE_TEST_SUITE_P(Clocks, AnyMemory, testing::ValuesIn(memories()), [](const auto& info) {
  const MemoryConfig& config = info.param;
  const bool mig = config.ddr4.controller == ControllerKind::mig;
  return std::string(config.kind == MemoryKind::ideal ? "ideal"
                     : mig                            ? "mig"
                                                      : "ddr4") +
         "_" + std::to_string(config.kernel_clock.numerator()) + "MHz_latency" + std::to_string(config.latency_cycles) +
         "_beat" + std::to_string(config.beat_bytes);
});

TEST(Ddr4Memory, RefusesAddressesBeyondTheChannel) {
  MemoryConfig config = ddr4();
  config.ddr4.capacity = 1 << 20;
  Ddr4Memory memory(config);
  memory.send_read(0, 0, (1 << 20) - 4096, 64);
  EXPECT_THROW(memory.send_read(0, 0, 1 << 20, 1), Error);
}

TEST(Ddr4Memory, RefusesToGiveABeatBeforeItIsVisible) {
  Ddr4Memory memory(ddr4());
  EXPECT_THROW(memory.take_read_beat(0, 0), std::logic_error);
  EXPECT_THROW(memory.take_write_response(0, 0), std::logic_error);
  memory.send_read(0, 0, 0, 1);
  memory.advance(4);
  EXPECT_THROW(memory.take_read_beat(0, 4), std::logic_error);
  memory.advance(5);
  memory.take_read_beat(0, 5);
}

TEST(Ddr4Memory, ResetReturnsToTheInitialState) {
  Ddr4Memory memory(ddr4());
  memory.send_read(0, 0, 0, 16);
  const auto first = run(memory, 1, 0, 100);
  memory.send_write(0, 99, 0, 4);
  memory.reset();
  memory.send_read(0, 0, 0, 16);
  EXPECT_EQ(run(memory, 1, 0, 100)[0].beats, first[0].beats);
  EXPECT_EQ(memory.stats(0).write_bursts, 0);
}

TEST(Ddr4Memory, CopyContinuesLikeTheOriginal) {
  Ddr4Memory memory(ddr4());
  for (int burst = 0; burst < 4; ++burst) memory.send_read(0, 0, burst * 8192, 32);
  run(memory, 1, 0, 20);
  Ddr4Memory copy = memory;
  EXPECT_EQ(run(memory, 1, 20, 300)[0].beats, run(copy, 1, 20, 300)[0].beats);
}

}  // namespace
}  // namespace weft::memory

#include <gtest/gtest.h>

#include "model/fpgpt/plan.h"
#include "model/stream/ddr_reader.h"

namespace weft::fpgpt {
namespace {

stream::RangeLoop one_range(Words base, Words words, std::int64_t floor_beats = 0) {
  stream::RangeLoop loop;
  loop.base = base;
  loop.words = words;
  loop.floor_beats = floor_beats;
  return loop;
}

struct Bench {
  stream::RangeLoop loop;
  stream::PortConfig config;
  stream::DdrReader reader;
  stream::ReadPort port;
  Fifo out{64, 16, false};
  Cycles now = 0;

  explicit Bench(const stream::RangeLoop& range_loop, stream::PortConfig port_config = {})
      : loop(range_loop), config(port_config), reader(loop, config, 64) {}
  Activity step() { return reader.step(now++, loop, port, out); }
};

TEST(Reader, GammaBurstOfHlsIsAlignedTo16AndAtLeastThreeTimes) {
  EXPECT_EQ(gamma_burst_beats(1, 16), 48);          // 1 beat -> 16, x3
  EXPECT_EQ(gamma_burst_beats(256, 16), 48);        // 16 beats
  EXPECT_EQ(gamma_burst_beats(257, 16), 96);        // 17 -> 32, x3
  EXPECT_EQ(gamma_burst_beats(256 * 16, 16), 768);  // 256 x3
  EXPECT_EQ(gamma_burst_beats(49952, 16), 3328);    // 3122 beats: 256 x ceil(3122/256) = 13 (F1: not cut at 768)
}

// Example of the contract: words 4090..4109, floor 48 beats, one beat before the 4 KB boundary.
TEST(Reader, Rd1Rd2Rd3ExampleOfTheContract) {
  Bench bench(one_range(4090, 20, gamma_burst_beats(20, 16)));
  EXPECT_EQ(bench.step(), Activity::Active);
  ASSERT_TRUE(bench.port.requested);
  EXPECT_EQ(bench.port.request.address, 16320);
  EXPECT_EQ(bench.port.request.beats, 1);
  EXPECT_EQ(bench.step(), Activity::Active);
  ASSERT_TRUE(bench.port.requested);
  EXPECT_EQ(bench.port.request.address, 16384);
  EXPECT_EQ(bench.port.request.beats, 47);
  EXPECT_EQ(bench.step(), Activity::Starved);
  EXPECT_FALSE(bench.port.requested);
}

TEST(Reader, Rd1ExcessBeatsAreTakenAndNotHandedOn) {
  Bench bench(one_range(4090, 20, 48));
  bench.port.data.push(3, 48);
  for (int i = 0; i < 3; ++i) bench.step();
  for (int i = 0; i < 48; ++i) EXPECT_EQ(bench.step(), Activity::Active) << i;
  EXPECT_EQ(bench.out.pushed(), 2);  // beats 255 and 256 hold the range
  EXPECT_EQ(bench.step(), Activity::Idle);
}

TEST(Reader, Rd2BurstsAreCutAtTheLargestBurstAndRangesShareNone) {
  stream::RangeLoop loop = one_range(0, 16 * 5);
  loop.n = 2;
  loop.pitch_n = 16 * 5;
  Bench bench(loop, {4, 16});
  std::vector<std::pair<Address, int>> bursts;
  for (int i = 0; i < 4; ++i) {
    bench.step();
    ASSERT_TRUE(bench.port.requested);
    bursts.emplace_back(bench.port.request.address, bench.port.request.beats);
  }
  const std::vector<std::pair<Address, int>> expected{{0, 4}, {256, 1}, {320, 4}, {576, 1}};
  EXPECT_EQ(bursts, expected);
}

// One burst of one beat may be open. Sent in 0; its beat is taken in 4: blocked in 4, legal in 5.
TEST(Reader, Rd4NextBurstIsBlockedWhileTheLastBeatIsTakenAndLegalOneCycleLater) {
  stream::RangeLoop loop = one_range(0, 16);
  loop.n = 2;
  loop.pitch_n = 1024;
  Bench bench(loop, {64, 1});
  bench.step();
  bench.port.data.push(4);
  for (Cycles now = 1; now <= 4; ++now) {
    bench.step();
    EXPECT_FALSE(bench.port.requested) << now;
  }
  EXPECT_EQ(bench.out.pushed(), 1);
  bench.step();
  EXPECT_TRUE(bench.port.requested);
  EXPECT_EQ(bench.port.request.address, 4096);
}

TEST(Reader, Rd5BeatIsNotTakenOneCycleBeforeItIsVisible) {
  Bench bench(one_range(0, 16));
  bench.step();
  bench.port.data.push(7);
  while (bench.now < 7) EXPECT_EQ(bench.step(), Activity::Starved);
  EXPECT_EQ(bench.out.pushed(), 0);
  EXPECT_EQ(bench.reader.quiet_until(7, bench.loop, bench.port, bench.out), 7);
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_EQ(bench.out.pushed(), 1);
}

TEST(Reader, Rd5Rd6UsefulBeatWaitsForRoomAndIsBlocked) {
  Bench bench(one_range(0, 32));
  bench.out = Fifo(1, 16, false);
  bench.step();
  bench.port.data.push(1, 2);
  EXPECT_EQ(bench.step(), Activity::Active);   // cycle 1: beat 0
  EXPECT_EQ(bench.step(), Activity::Blocked);  // cycle 2: full
  bench.out.pop(bench.now);                    // popped in 3: still full in 3
  EXPECT_EQ(bench.step(), Activity::Blocked);
  EXPECT_EQ(bench.step(), Activity::Active);  // 4
  EXPECT_EQ(bench.port.busy_cycles, 2);
  EXPECT_EQ(bench.port.wait_cycles, 2);
}

TEST(Reader, Rd3AddressWaitsForReady) {
  Bench bench(one_range(0, 16));
  bench.port.ready = false;
  EXPECT_EQ(bench.step(), Activity::Starved);
  EXPECT_FALSE(bench.port.requested);
  bench.port.ready = true;
  EXPECT_EQ(bench.step(), Activity::Active);
  EXPECT_TRUE(bench.port.requested);
}

// The exact rung runs the reader of INP with an empty FIFO, from the cycles in which its beats are taken
// (model/fpgpt/exact/read_ahead.cpp): its requests and their cycles must depend on these cycles alone.
TEST(Reader, RequestsFollowFromTheCyclesInWhichBeatsAreTakenWhateverTheFifoHolds) {
  constexpr Cycles kLatency = 6;
  stream::RangeLoop loop = one_range(4090, 200);
  loop.n = 6;
  loop.pitch_n = 200;
  for (const Cycles every : {2, 5, 13}) {
    Bench full(loop, {4, 3}), empty(loop, {4, 3});
    full.out = Fifo(2, 16, false);
    int blocked = 0, requests = 0;
    while (!full.reader.done(loop)) {
      ASSERT_LT(full.now, 10'000);
      const Cycles now = full.now;
      const std::int64_t taken = full.port.busy_cycles;
      if (now % every == 0 && full.out.can_pop(now)) full.out.pop(now);
      if (full.step() == Activity::Blocked) ++blocked;
      if (full.port.requested) full.port.data.push(now + kLatency, full.port.request.beats);
      if (full.port.busy_cycles > taken) empty.port.data.push(now);
      if (empty.out.can_pop(now)) empty.out.pop(now);
      empty.step();
      ASSERT_EQ(empty.port.requested, full.port.requested) << now;
      if (!full.port.requested) continue;
      ++requests;
      EXPECT_EQ(empty.port.request.address, full.port.request.address) << now;
      EXPECT_EQ(empty.port.request.beats, full.port.request.beats) << now;
    }
    EXPECT_GT(blocked, 0);
    EXPECT_GT(requests, 6);
    EXPECT_TRUE(empty.reader.done(loop));
  }
}

}  // namespace
}  // namespace weft::fpgpt

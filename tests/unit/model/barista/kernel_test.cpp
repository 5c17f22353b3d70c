#include "model/barista/kernel.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "model/stream/port_traffic.h"
#include "tests/support/random_memory.h"
#include "tests/support/texts.h"

namespace weft::barista {
namespace {

Alpha small() {
  Alpha alpha;
  alpha.tr = alpha.tc = 2;
  alpha.tp = 4;
  alpha.partials = 2;
  alpha.band = 4;
  return alpha;
}

constexpr Bases kBases{0, 1 << 20, 2 << 20};

// Cycles of each event of a block or FIFO.
struct Trace {
  std::map<std::string, std::vector<Cycles>> at;
  Cycles cycles = 0;
};

// Steps a GEMM on memory that answers after `latency` more cycles.
Trace trace(const Alpha& alpha, const Gemm& gemm, Cycles latency = 0) {
  Kernel kernel(std::make_shared<const Plan>(make_plan(alpha, gemm, kBases, false)));
  test::RandomMemory memory(latency, latency, 1);
  Trace trace;
  const auto note = [&](const char* what, Cycles now) { trace.at[what].push_back(now); };
  for (Cycles now = 0;; ++now) {
    EXPECT_LT(now, 100000);
    if (now >= 100000) return trace;
    std::array<std::int64_t, kFifos> pushed{}, popped{};
    for (std::size_t i = 0; i < kFifos; ++i) {
      pushed[i] = kernel.fifos[static_cast<FifoId>(i)].pushed();
      popped[i] = kernel.fifos[static_cast<FifoId>(i)].popped();
    }
    stream::deliver(memory, port_id(Port::A), kernel.a.port);
    stream::deliver(memory, port_id(Port::B), kernel.b.port);
    stream::deliver(memory, port_id(Port::C), kernel.c.port);
    kernel.step(now);
    if (kernel.a.port.requested) note("a address", now);
    if (kernel.b.port.requested) note("b address", now);
    if (kernel.c.port.beat_sent) note("c beat", now);
    stream::send(memory, port_id(Port::A), kernel.a.port, now, nullptr);
    stream::send(memory, port_id(Port::B), kernel.b.port, now, nullptr);
    stream::send(memory, port_id(Port::C), kernel.c.port, now, nullptr);
    if (kernel.c.port.response_taken) note("response", now);
    for (std::size_t i = 0; i < kFifos; ++i) {
      const auto fifo = static_cast<FifoId>(i);
      if (kernel.fifos[fifo].pushed() != pushed[i]) note((std::string("push ") + to_string(fifo)).c_str(), now);
      if (kernel.fifos[fifo].popped() != popped[i]) note((std::string("pop ") + to_string(fifo)).c_str(), now);
    }
    const auto last = kernel.last();
    for (std::size_t i = 0; i < kBlocks; ++i) {
      trace.at[std::string(kBlockInfos[i].name) + " " + kActivityNames[static_cast<std::size_t>(last[i])]].push_back(
          now);
    }
    if (kernel.done()) {
      trace.cycles = now + 1;
      return trace;
    }
  }
}

std::vector<Cycles> from_to(Cycles first, Cycles last) {
  std::vector<Cycles> all;
  for (Cycles each = first; each <= last; ++each) all.push_back(each);
  return all;
}

// CONTRACT.md, section 7, line by line.
TEST(BaristaKernel, TheWorkedGemmOfTheContractTakesTwentyFiveCycles) {
  Trace t = trace(small(), {2, 8, 2, 0});
  EXPECT_EQ(std::tuple(t.at["a address"], t.at["b address"], t.at["push a_beat"], t.at["pop a_beat"]),
            std::tuple(from_to(0, 1), from_to(0, 1), from_to(1, 4), from_to(2, 5)));
  EXPECT_EQ(std::tuple(t.at["push a_tile"], t.at["push b_tile"], t.at["mesh starved"], t.at["mesh active"]),
            std::tuple((std::vector<Cycles>{3, 5}), (std::vector<Cycles>{3, 5}), from_to(0, 3), from_to(4, 19)));
  EXPECT_EQ(std::tuple(t.at["pop a_tile"], t.at["pop b_tile"], t.at["push c_tile"], t.at["push c_row"]),
            std::tuple((std::vector<Cycles>{9, 15}), (std::vector<Cycles>{9, 15}), from_to(19, 19), from_to(20, 21)));
  EXPECT_EQ(std::tuple(t.at["pop c_tile"], t.at["pop c_row"], t.at["push c_beat"], t.at["c beat"], t.at["response"]),
            std::tuple(from_to(21, 21), from_to(21, 22), from_to(22, 22), from_to(23, 23), from_to(24, 24)));
  EXPECT_EQ(t.at["mesh idle"], from_to(20, 24));
  EXPECT_EQ(t.cycles, 25);
}

// BAR-1. RT = 2, CT = 3, K = 2: A's tiles are 2 beats of 4 words, 32 bytes, those of B as well.
TEST(BaristaKernel, TilesAreFetchedWithTheProductsInnermostAndAIsRepeatedForEveryColumnOfTiles) {
  const Plan plan = make_plan(small(), {3, 5, 6, 0}, kBases, false);
  const auto starts = [](const stream::RangeLoop& loop) {
    std::vector<Words> all;
    for (stream::RangeCursor range; !range.done(loop); range.advance(loop))
      all.push_back(range.start(loop) - loop.base);
    return all;
  };
  // (i, k) = (0,0), (0,1) three times, then (1,0), (1,1): tile i*K + k, of 8 words.
  EXPECT_EQ(starts(plan.a), (std::vector<Words>{0, 8, 0, 8, 0, 8, 16, 24, 16, 24, 16, 24}));
  // (j, k): tile j*K + k, all of them for i = 0 and again for i = 1.
  EXPECT_EQ(starts(plan.b), (std::vector<Words>{0, 8, 16, 24, 32, 40, 0, 8, 16, 24, 32, 40}));
  EXPECT_EQ(std::tuple(plan.a.base, plan.b.base, plan.c.run_words), std::tuple(0, (1 << 20) / 4, 2 * 3 * 4));
}

// A tile of 3 x 5 words is four beats of four words, the next one begins with a beat.
TEST(BaristaKernel, ATileTakesWholeBeats) {
  Alpha alpha = small();
  alpha.tr = 3;
  alpha.tp = 5;
  const Plan plan = make_plan(alpha, {3, 10, 2, 0}, kBases, false);
  EXPECT_EQ(std::tuple(plan.a.pitch_c, plan.a.words, plan.b.pitch_c, plan.b.words), std::tuple(16, 15, 12, 10));
  const Trace t = trace(alpha, {3, 10, 2, 0});
  EXPECT_EQ(t.at.at("push a_beat").size(), 8U);
  EXPECT_EQ(t.at.at("push b_beat").size(), 6U);
}

// BAR-2 and BAR-3. Four tiles (K = 4), two beats each: tile 2 may be filled from the cycle after the pop of tile 0.
// Tile 0 is complete from 4, popped in 9 (Xm = 6): the fill is blocked in 6..9, takes beats in 10 and 11, and the next
// pop, in 15, lets it take tile 3 in 16 and 17.
TEST(BaristaKernel, AHalfIsFreeFromTheCycleAfterTheLastMeshCycle) {
  Trace t = trace(small(), {2, 16, 2, 0});
  EXPECT_EQ(t.at["push a_tile"], (std::vector<Cycles>{3, 5, 11, 17}));
  EXPECT_EQ(t.at["a_fill blocked"], (std::vector<Cycles>{6, 7, 8, 9, 12, 13, 14, 15}));
  EXPECT_EQ(t.at["pop a_tile"], (std::vector<Cycles>{9, 15, 21, 27}));
  EXPECT_EQ(t.at["a_fill starved"], (std::vector<Cycles>{0, 1}));
}

// BAR-3: the mesh begins in the first cycle in which both tiles are complete. Tp = 4 and Tc = 6 make a tile of B six
// beats and one of A two: A's first is complete from 4, B's first from 2 + 6 = 8.
TEST(BaristaKernel, TheMeshBeginsWithTheLaterOfItsTiles) {
  Alpha alpha = small();
  alpha.tc = 6;
  Trace t = trace(alpha, {2, 4, 6, 0});
  EXPECT_EQ(std::tuple(t.at["push a_tile"], t.at["push b_tile"], t.at["mesh starved"]),
            std::tuple(from_to(3, 3), from_to(7, 7), from_to(0, 7)));
  // Xm = 4 + 2 + 6 - 2 = 10 and F = 4.
  EXPECT_EQ(t.at["mesh active"], from_to(8, 21));
}

// BAR-4, blocked in t-1 and legal in t: two output tiles of one product tile each. A drain of Tr = 8 rows of Tc = 1
// word takes 8 cycles, and longer if its FIFO is full: with c_row of one token, a row leaves every second cycle
// (GEN-1). Tr = 8, Tc = 1, Tp = 1, S1 = 1: Xm = 8, F = 1. Mesh 1: from 4 (a tile of A is 2 beats): 4..11, final add 12;
// the tile of C is complete from 13. Rows are pushed in 13, 15, ..., 27; the tile is popped in 27. Mesh 2: 13..20; its
// final add would be in 21 but is blocked until 27 and done in 28.
TEST(BaristaKernel, TheLastFinalAddWaitsUntilTheCycleAfterBufferCWasEmptied) {
  Alpha alpha = small();
  alpha.tr = 8;
  alpha.tc = alpha.tp = 1;
  alpha.partials = 1;
  alpha.fifo[FifoId::CRow] = 1;
  Trace t = trace(alpha, {8, 1, 2, 0});
  EXPECT_EQ(t.at["push c_tile"], (std::vector<Cycles>{12, 28}));
  EXPECT_EQ(t.at["pop c_tile"].front(), 27);
  EXPECT_EQ(t.at["mesh blocked"], from_to(21, 27));
  EXPECT_EQ(t.at["drain blocked"].front(), 14);
}

// BAR-4: the final adds follow the last of the K tiles at once, and the next output tile's mesh cycle 0 comes after
// them. Two output tiles of two tiles each, as in the worked GEMM: 4..15, adds 16..19, 20..31, adds 32..35.
TEST(BaristaKernel, TheNextOutputTileWaitsForTheFinalAdds) {
  Trace t = trace(small(), {2, 8, 4, 0});
  EXPECT_EQ(std::tuple(t.at["pop a_tile"], t.at["push c_tile"], t.at["mesh active"]),
            std::tuple((std::vector<Cycles>{9, 15, 25, 31}), (std::vector<Cycles>{19, 35}), from_to(4, 35)));
}

// BAR-5: with both tiles missing the mesh waits for A; with A present, for B. Counted as in section 10.
TEST(BaristaKernel, TheMeshSaysWhichTileItWaitsFor) {
  Alpha alpha = small();
  alpha.tc = 6;
  test::RandomMemory memory(0, 0, 1);
  const GemmResult result = run_exact(make_plan(alpha, {2, 4, 6, 0}, kBases, false), memory, nullptr);
  // No tile of A in 0..3, one of A alone in 4..7; 12 elements.
  EXPECT_EQ(result.pe_cycles[static_cast<std::size_t>(PeClass::StarvedATile)], 4 * 12);
  EXPECT_EQ(result.pe_cycles[static_cast<std::size_t>(PeClass::StarvedBTile)], 4 * 12);
}

// Section 10, the worked GEMM with R = 1, P = 7, C = 2 in place of 2, 8, 2: the same 25 cycles of 4 elements, 100
// PE-cycles. Starved in 0..3: 16. Two tiles of 6 - 4 cycles in which an element has no product: 16. Final adds: 16.
// Idle in 20..24: 20. The 32 products: row 1 has 16 of them, of row 0 product 7 is padding in 2 columns, and 14 are
// left, of which im2col has made 3 zeros.
TEST(BaristaKernel, PeCyclesOfTheWorkedGemm) {
  test::RandomMemory memory(0, 0, 1);
  const GemmResult result = run_exact(make_plan(small(), {1, 7, 2, 3}, kBases, false), memory, nullptr);
  ASSERT_EQ(result.cycles, 25);
  const PeCycles expected{11, 3, 16, 0, 2, 16, 16, 16, 0, 0, 20};
  EXPECT_EQ(result.pe_cycles, expected);
}

// BAR-7: a row per cycle from the cycle after the tile was pushed. BAR-8: seven words per row into beats of four: after
// three rows a beat holds words of two of them. One output tile of 3 x 7 words = 5 beats and one word.
TEST(BaristaKernel, RowsAreRegroupedIntoBeatsWithoutAGap) {
  Alpha alpha = small();
  alpha.tr = 3;
  alpha.tc = 7;
  alpha.tp = 1;
  Trace t = trace(alpha, {3, 1, 7, 0});
  const Cycles first = t.at["push c_tile"].front() + 1;
  EXPECT_EQ(t.at["push c_row"], from_to(first, first + 2));
  // GRP-1: takes row 0 and gives (holds 3); takes row 1 and gives (6); gives (2); takes row 2 and gives (5); gives (1);
  // gives the last word.
  EXPECT_EQ(t.at["pop c_row"], (std::vector<Cycles>{first + 1, first + 2, first + 4}));
  EXPECT_EQ(t.at["push c_beat"], from_to(first + 1, first + 6));
  EXPECT_EQ(t.at["response"].size(), 1U);
  EXPECT_EQ(t.at["c beat"].size(), 6U);
}

// BAR-9 with a latency: the writer takes its response w cycles later, which ends T; the first beats arrive l later.
TEST(BaristaKernel, LatencyShiftsTheBeginningAndTheEnd) {
  EXPECT_EQ(trace(small(), {2, 8, 2, 0}, 7).cycles, 25 + 7 + 7);
}

TEST(BaristaKernel, ABaseThatIsNotOfAPageIsRefused) {
  EXPECT_THROW(make_plan(small(), {1, 1, 1, 0}, {0, 64, 4096}, false), Error);
}

// Nothing passes a FIFO of depth 0.
TEST(BaristaKernel, AStuckGemmSaysWhichBlockWaitsForWhat) {
  Alpha alpha = small();
  alpha.fifo[FifoId::CRow] = 0;
  test::RandomMemory memory(0, 0, 1);
  EXPECT_EQ(test::message_of<Deadlock>([&] {
              run_exact(make_plan(alpha, {2, 8, 4, 0}, kBases, false), memory, nullptr);
            }),
            "the GEMM cannot make progress in cycle 35: mesh waits for room in FIFO c_tile (depth 1); drain waits for "
            "room in FIFO c_row (depth 0); encode waits for c_row; c_writer waits for c_beat or write response of port "
            "c.");
}

}  // namespace
}  // namespace weft::barista

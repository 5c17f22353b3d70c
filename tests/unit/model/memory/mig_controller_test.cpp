#include "model/memory/mig_controller.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace weft::memory {
namespace {

// A clock of the controller is four nCK. Clock k has the edges 4k (CAS), 4k + 1 (ACT), 4k + 2 (CAS), 4k + 3 (PRE).
constexpr Nck kClock = 4;

// Returns a byte address under the INTLV map.
Address at(int row, int group, int bank = 0, int a3 = 0) {
  return Address{row} << 17 | Address{bank} << 9 | Address{a3} << 8 | Address{group} << 6;
}

struct Offer {
  Nck edge;
  Address address;
  bool write = false;
};
using Offers = std::vector<Offer>;
using Lines = std::vector<std::string>;

Ddr4Config quiet() {
  Ddr4Config config;
  config.refresh = false;
  config.stage1 = config.stage2 = 4;
  return config;
}

// Offers each request from its edge on until it is taken, and runs until none waits.
MigController run(const Ddr4Config& config, const Offers& offers) {
  MigController controller(config);
  controller.record_commands(true);
  Nck edge = 0;
  const auto to = [&](Nck end) { controller.advance_to(edge = end); };
  std::uint32_t tag = 0;
  for (const Offer& offer : offers) {
    to(std::max(edge, offer.edge));
    while (!controller.has_room(offer.address)) to(edge + kClock);
    controller.accept(offer.address, offer.write, tag++);
    to(edge + kClock);
  }
  while (!controller.idle()) to(edge + kClock);
  return controller;
}

// Returns the commands from the edge `from` on: edge, command, bank, and the outcome of the request of a CAS.
Lines lines_of(const MigController& controller, const Ddr4Config& config, Nck from) {
  Lines lines;
  std::size_t served = 0;
  for (const IssuedCommand& issued : controller.commands()) {
    std::string line = std::to_string(issued.time) + " " + name_of(issued.command) + " " + std::to_string(issued.bank);
    const bool write = issued.command == Command::write || issued.command == Command::write_ap;
    if (write || issued.command == Command::read || issued.command == Command::read_ap) {
      const Served& request = controller.served().at(served++);
      line += std::vector{" hit", " miss", " conflict"}.at(static_cast<std::size_t>(request.outcome));
      EXPECT_EQ(request.write, write);
      EXPECT_EQ(request.data_end - issued.time, (write ? config.timing.cwl_nck : config.timing.cl_nck) + 4);
    }
    if (issued.time >= from) lines.push_back(line);
  }
  return lines;
}
Lines commands(const Ddr4Config& config, const Offers& offers, Nck from = 0) {
  return lines_of(run(config, offers), config, from);
}

// Opens row 1 of bank 0 of these groups by reads at 0, 100, ... before the offers, and returns the commands from 400
// on: everything about those reads is past by then but the turns (ACT at +9, RD at +26, tRAS over at +48).
Lines commands_after_opening(const std::vector<int>& groups, const Ddr4Config& config, const Offers& offers) {
  Offers all;
  for (const int group : groups) all.push_back({static_cast<Nck>(all.size()) * 100, at(1, group)});
  all.insert(all.end(), offers.begin(), offers.end());
  return commands(config, all, 400);
}

// Closed: taken in clock 0, look in 1, ACT in 2 (9), move in 3; tRCD ends at 26 = 4 * 6 + 2.
// Hit: taken in clock 100, look and move in 101, CAS in 102 (408).
// Conflict: taken in clock 200, look in 201, PRE in 202 (811); tRP ends at 828, ACT at 829 = 4 * 207 + 1; tRCD ends at
// 846 = 4 * 211 + 2.
const Offers kClosedHitConflict{{0, at(1, 0)}, {400, at(1, 0)}, {800, at(2, 0)}};

TEST(MigController, ReadsAnOpenRowAfter8NckAClosedBankAfter26AndAConflictAfter46) {
  EXPECT_EQ(commands(quiet(), kClosedHitConflict),
            (Lines{"9 ACT 0", "26 RD 0 miss", "408 RD 0 hit", "811 PRE 0", "829 ACT 0", "846 RD 0 conflict"}));
}

// Shuhai (Huang et al., FCCM 2020) on an Alveo U280: a closed bank takes 16.6 ns longer than a hit, a conflict 16.7 ns
// longer than a closed bank. 18 and 20 nCK of 1/1.2 ns are 15.0 and 16.7 ns.
TEST(MigController, OutcomesDifferByTheTimesThatShuhaiMeasured) {
  const MigController controller = run(quiet(), kClosedHitConflict);
  std::vector<double> ns;
  for (std::size_t i = 0; i < 3; ++i) {
    ns.push_back(static_cast<double>(controller.served().at(i).data_end - kClosedHitConflict[i].edge) / 1.2);
  }
  fmt::print("idle read: open row {:.1f}, closed bank {:.1f}, other row {:.1f} ns, before controller_latency_ns\n",
             ns[1], ns[0], ns[2]);
  EXPECT_NEAR(ns[0] - ns[1], 16.6, 2.0);
  EXPECT_NEAR(ns[2] - ns[0], 16.7, 2.0);
}

// M1. The first request moves in clock 3 (12) if its bank was closed, so there is room again at 16; if it is a hit
// taken in clock 100, it moves in clock 101, so there is room at 408.
TEST(MigController, TakesNoRequestForAGroupWhoseStage1IsFull) {
  for (const int stage1 : {1, 2}) {
    Ddr4Config config = quiet();
    config.stage1 = stage1;
    MigController controller(config);
    for (Nck edge = 0; edge < 24; edge += kClock) {
      controller.advance_to(edge);
      const bool full = edge >= stage1 * kClock && edge < 16;
      EXPECT_EQ(controller.has_room(at(3, 0, 3)), !full) << edge;
      EXPECT_TRUE(controller.has_room(at(3, 1, 3))) << edge;
      if (edge < stage1 * kClock) controller.accept(at(1 + static_cast<int>(edge), 0), false, 0);
    }
  }
  Ddr4Config config = quiet();
  config.stage1 = 1;
  MigController controller = run(config, {{0, at(1, 0)}});
  controller.advance_to(400);
  controller.accept(at(1, 0), false, 0);
  controller.advance_to(404);
  EXPECT_FALSE(controller.has_room(at(1, 0)));
  controller.advance_to(408);
  EXPECT_TRUE(controller.has_room(at(1, 0)));
}

// M2 and M4. Hits taken in clocks 100, 101 and 102 move in 101, 102 and 103 and ask one clock later: 408; 412 is too
// early for tCCD_L = 6, so 414; 416 and 418 are, so 420. With tCCD_L = 7: 415 becomes 416, then 423 becomes 424.
// With room for one in stage 2, the next moves in the clock after the CAS: in 103 and 105, CAS in 104 and 106.
TEST(MigController, HitsOfOneGroupMoveInTurnWhileStage2HasRoom) {
  const Offers offers{{400, at(1, 0)}, {404, at(1, 0)}, {408, at(1, 0)}};
  Ddr4Config config = quiet();
  EXPECT_EQ(commands_after_opening({0}, config, offers), (Lines{"408 RD 0 hit", "414 RD 0 hit", "420 RD 0 hit"}));
  config.stage2 = 2;
  EXPECT_EQ(commands_after_opening({0}, config, offers), (Lines{"408 RD 0 hit", "414 RD 0 hit", "420 RD 0 hit"}));
  config.stage2 = 1;
  EXPECT_EQ(commands_after_opening({0}, config, offers), (Lines{"408 RD 0 hit", "416 RD 0 hit", "424 RD 0 hit"}));
  config = quiet();
  config.timing.ccd_l_nck = 7;
  EXPECT_EQ(commands_after_opening({0}, config, offers), (Lines{"408 RD 0 hit", "416 RD 0 hit", "424 RD 0 hit"}));
}

// M3. The hit moves in clock 101. Bank 1 is head since then: look in 102, ACT in 103 (413), move in 104. Bank 2 is head
// since then: look in 105, ACT in 106 (425). tRCD ends at 430 and 442, each a third edge.
TEST(MigController, OnlyTheHeadOfAGroupAsksForItsRow) {
  EXPECT_EQ(commands_after_opening({0}, quiet(), {{400, at(1, 0)}, {404, at(1, 0, 1)}, {408, at(1, 0, 2)}}),
            (Lines{"408 RD 0 hit", "413 ACT 1", "425 ACT 2", "430 RD 1 miss", "442 RD 2 miss"}));
}

// M3. The first moves in clock 3, the conflict asks from clock 5 on: PRE at 23 would keep tRAS = 10 (9 + 10), but the
// first waits in stage 2 until its RD in clock 6 (26). From clock 7 on, 31 keeps tRTP up to 5; else 35.
TEST(MigController, PrechargesNoBankThatARequestOfStage2Needs) {
  for (const auto& [rtp, edge] : {std::pair{4, 31}, {5, 31}, {6, 35}}) {
    Ddr4Config config = quiet();
    config.timing.ras_nck = 10;
    config.timing.rc_nck = 27;
    config.timing.rtp_nck = rtp;
    EXPECT_EQ(commands(config, {{0, at(1, 0)}, {4, at(2, 0)}}).at(2), std::to_string(edge) + " PRE 0") << rtp;
  }
}

// M4. Bank 1 is closed: ACT in clock 102 (409), move in 103, RD when tRCD ends at 426 (clock 106). Bank 0 moves in 104
// after it, becomes the head in 106, and its RD waits for tCCD_L: 432. Group 1, taken in clock 102, overtakes: 416.
TEST(MigController, RequestsOfAGroupKeepTheirOrderAndGroupsOvertake) {
  EXPECT_EQ(commands_after_opening({0, 1}, quiet(), {{400, at(1, 0, 1)}, {404, at(1, 0)}, {408, at(1, 1)}}),
            (Lines{"409 ACT 1", "416 RD 4 hit", "426 RD 1 miss", "432 RD 0 hit"}));
}

// M5. After the ACT at 9 the RD is allowed at 9 + tRCD: at the first or third edge of a clock.
TEST(MigController, IssuesACasAtTheFirstOrThirdEdgeOfAClock) {
  for (const auto& [rcd, edge] : {std::pair{15, 24}, {16, 26}, {17, 26}, {18, 28}}) {
    Ddr4Config config = quiet();
    config.timing.rcd_nck = rcd;
    EXPECT_EQ(commands(config, {{0, at(1, 0)}}).at(1), std::to_string(edge) + " RD 0 miss") << rcd;
  }
}

// M5. PRE of the conflict at 800: 811, so tRP ends at 811 + tRP.
TEST(MigController, IssuesAnActAtTheSecondEdgeOfAClock) {
  for (const auto& [rp, edge] : {std::pair{14, 825}, {15, 829}, {18, 829}, {19, 833}}) {
    Ddr4Config config = quiet();
    config.timing.rp_nck = rp;
    config.timing.rc_nck = config.timing.ras_nck + rp;
    EXPECT_EQ(commands(config, kClosedHitConflict).at(4), std::to_string(edge) + " ACT 0") << rp;
  }
}

// M5. The ACT is at 9, so tRAS ends at 9 + tRAS; the RD at 26 allows a PRE from 35 on.
TEST(MigController, IssuesAPreAtTheFourthEdgeOfAClock) {
  for (const auto& [ras, edge] : {std::pair{38, 47}, {39, 51}, {42, 51}, {43, 55}}) {
    Ddr4Config config = quiet();
    config.timing.ras_nck = ras;
    config.timing.rc_nck = ras + 17;
    EXPECT_EQ(commands(config, {{0, at(1, 0)}, {4, at(2, 0)}}).at(2), std::to_string(edge) + " PRE 0") << ras;
  }
}

// M5. Closed banks of groups 0 to 3, then bank 1 of group 0, taken in clocks 0 to 4: ACT two clocks later each. The
// second may not come before 9 + tRRD_S, the fifth not before 9 + tFAW: 25 keeps 16, 26 becomes 29.
TEST(MigController, IssuesOneActAClockWithinTheActivateWindow) {
  const Offers offers{{0, at(1, 0)}, {4, at(1, 1)}, {8, at(1, 2)}, {12, at(1, 3)}, {16, at(1, 0, 1)}};
  EXPECT_EQ(commands(quiet(), offers),
            (Lines{"9 ACT 0", "13 ACT 4", "17 ACT 8", "21 ACT 12", "25 ACT 1", "26 RD 0 miss", "30 RD 4 miss",
                   "34 RD 8 miss", "38 RD 12 miss", "42 RD 1 miss"}));
  Ddr4Config config = quiet();
  config.timing.faw_nck = 17;
  EXPECT_EQ(commands(config, offers).at(5), "29 ACT 1");
  config = quiet();
  config.timing.rrd_s_nck = 5;
  EXPECT_EQ(commands(config, offers).at(1), "17 ACT 4");
}

// M6. The WR of group 1 at 408 holds off reads of other groups until 408 + CWL + 4 + tWTR_S = 427, its own until 433.
// In clock 107 (428) groups 0, 2 and 3 ask: the first is served, as none was in the clock before. In clock 108 group 1
// is next, which may go at 434; then 2 and 3, though 3 came before 2 and group 0 asks again since 108. tCCD_S = 4 each.
TEST(MigController, GroupsTakeTurnsForTheCasWhateverCameFirst) {
  EXPECT_EQ(
      commands_after_opening(
          {0, 1, 2, 3}, quiet(),
          {{400, at(1, 1), true}, {404, at(1, 0)}, {408, at(1, 3)}, {412, at(1, 2)}, {416, at(1, 1)}, {420, at(1, 0)}}),
      (Lines{"408 WR 4 hit", "428 RD 0 hit", "434 RD 4 hit", "438 RD 8 hit", "442 RD 12 hit", "446 RD 0 hit"}));
}

// M5 and M6. Group 3: ACT at 409, RD allowed at 426, the third edge of clock 106. Group 0 asks in that clock, too, and
// could go at 424. But group 2 got the CAS in clock 105, so group 3 is next; the RD of group 0 waits for tCCD_S: 430.
TEST(MigController, AnEarlierEdgeInTheClockGivesNoTurn) {
  EXPECT_EQ(commands_after_opening({0, 2}, quiet(), {{400, at(1, 3)}, {412, at(1, 2)}, {416, at(1, 0)}}),
            (Lines{"409 ACT 12", "420 RD 8 hit", "426 RD 12 miss", "430 RD 0 hit"}));
}

// M6. As before, but group 2 gets the CAS in clock 104, and none asks in clock 105: group 0 is first.
TEST(MigController, TheTurnStartsAgainAfterAClockInWhichNoneAsks) {
  EXPECT_EQ(commands_after_opening({0, 2}, quiet(), {{400, at(1, 3)}, {408, at(1, 2)}, {416, at(1, 0)}}),
            (Lines{"409 ACT 12", "416 RD 8 hit", "424 RD 0 hit", "428 RD 12 miss"}));
}

// M6. The WR of group 2 at 408 allows a PRE from 408 + CWL + 4 + tWR = 442 on: 443, clock 110. The conflict of group 0,
// taken in clock 108, asks then, too, and is first. After a PRE of group 1 in clock 109 group 2 is next.
TEST(MigController, GroupsTakeTurnsForThePre) {
  Offers offers{{400, at(1, 2), true}, {404, at(2, 2)}, {432, at(2, 0)}};
  EXPECT_EQ(commands_after_opening({0, 1, 2}, quiet(), offers),
            (Lines{"408 WR 8 hit", "443 PRE 0", "447 PRE 8", "461 ACT 0", "465 ACT 8", "478 RD 0 conflict",
                   "482 RD 8 conflict"}));
  offers.insert(offers.begin() + 2, {428, at(2, 1)});
  EXPECT_EQ(commands_after_opening({0, 1, 2}, quiet(), offers),
            (Lines{"408 WR 8 hit", "439 PRE 4", "443 PRE 8", "447 PRE 0", "457 ACT 4", "461 ACT 8", "465 ACT 0",
                   "474 RD 4 conflict", "478 RD 8 conflict", "482 RD 0 conflict"}));
}

// M6 and M7. RD at 408. The write of group 3 asks from clock 103 on and may come from 408 + 13 = 421 on, so in clock
// 105; but a read asks in clock 105 and goes at 420. Then 420 + 13 = 433: 434.
TEST(MigController, AReadThatAsksGoesBeforeEveryWrite) {
  EXPECT_EQ(commands_after_opening({1, 2, 3}, quiet(), {{400, at(1, 2)}, {404, at(1, 3), true}, {412, at(1, 1)}}),
            (Lines{"408 RD 8 hit", "420 RD 4 hit", "434 WR 12 hit"}));
}

// M6. The read of group 1 waits for tWTR_S after the WR at 408, until 427, and does not ask: the write of group 2, in
// clock 104, goes at 416. Then the read waits until 416 + 19 = 435: 436.
TEST(MigController, AReadThatTimingHoldsOffLetsWritesPass) {
  EXPECT_EQ(commands_after_opening({0, 1, 2}, quiet(), {{400, at(1, 0), true}, {404, at(1, 1)}, {408, at(1, 2), true}}),
            (Lines{"408 WR 0 hit", "416 WR 8 hit", "436 RD 4 hit"}));
}

// M7. tRTW = CL + BL/2 + 4 - CWL = 13 after the RD at 408: 421 becomes 422. The DRAM alone asks for 11, which would be
// 419 and 420.
TEST(MigController, AWriteComes13NckAfterAReadOfAnyGroup) {
  for (const auto& [cwl, edge] : {std::pair{13, 420}, {12, 422}, {11, 422}, {10, 424}}) {
    for (const int group : {0, 1}) {
      Ddr4Config config = quiet();
      config.timing.cwl_nck = cwl;
      const std::string write = std::to_string(edge) + " WR " + std::to_string(4 * group) + " hit";
      EXPECT_EQ(commands_after_opening({0, 1}, config, {{400, at(1, 0)}, {404, at(1, group), true}}),
                (Lines{"408 RD 0 hit", write}));
    }
  }
}

Ddr4Config refreshed(int refi) {
  Ddr4Config config = quiet();
  config.refresh = true;
  config.timing.refi_nck = refi;
  return config;
}

// M8. Clock 500 begins at 2000: a refresh due at 1997 to 2000 is the first that stops it.
TEST(MigController, TakesNoRequestInAClockThatBeginsWhenARefreshIsDue) {
  for (const auto& [due, blocked] : {std::pair{1996, 1996}, {1997, 2000}, {2000, 2000}, {2001, 2004}}) {
    MigController controller(refreshed(due));
    controller.advance_to(blocked - kClock);
    EXPECT_TRUE(controller.has_room(0)) << due;
    controller.advance_to(blocked);
    EXPECT_FALSE(controller.has_room(0)) << due;
  }
}

// M8. PREA at the fourth edge of the clock at 9360, REF when tRP ends at 9380: 9381. Without open rows REF comes at the
// second edge of the clock in which it is due, which counts from the due edges before.
TEST(MigController, RefreshesEveryTrefiAndClosesTheRowsFirst) {
  Ddr4Config config = refreshed(9360);
  for (const auto& [rp, edge] : {std::pair{14, 9377}, {17, 9381}, {18, 9381}, {19, 9385}}) {
    config.timing.rp_nck = rp;
    config.timing.rc_nck = config.timing.ras_nck + rp;
    MigController controller = run(config, {{0, at(1, 0)}});
    controller.advance_to(30000);
    EXPECT_EQ(lines_of(controller, config, 9000),
              (Lines{"9363 PREA 0", std::to_string(edge) + " REF 0", "18721 REF 0", "28081 REF 0"}));
    EXPECT_EQ(controller.refresh_due(), 4 * 9360);
  }
  MigController controller = run(quiet(), {{0, at(1, 0)}});
  controller.advance_to(30000);
  EXPECT_EQ(controller.commands().size(), 2U);
}

// M8. A request offered when the refresh is due is taken in the clock after that of the REF (9384). Its ACT may come
// from 9381 + tRFC on: 9801 keeps 420, 9802 becomes 9805. Its row was open before: a miss, not a hit.
TEST(MigController, TheFirstActComesTrfcAfterTheRef) {
  for (const auto& [rfc, edge] : {std::pair{416, 9797}, {417, 9801}, {420, 9801}, {421, 9805}}) {
    Ddr4Config config = refreshed(9360);
    config.timing.rfc_nck = rfc;
    EXPECT_EQ(commands(config, {{0, at(1, 0)}, {9360, at(1, 0)}}, 9382),
              (Lines{std::to_string(edge) + " ACT 0", std::to_string(edge + 17) + " RD 0 miss"}));
  }
  MigController controller = run(refreshed(9360), {{0, at(1, 0)}});
  controller.advance_to(9380);
  EXPECT_FALSE(controller.has_room(0));
  controller.advance_to(9384);
  EXPECT_TRUE(controller.has_room(0));
}

// M8, due in clock 500. Group 0, taken in clock 496, gets its ACT in 498 (1993), moves in 499, and gets its RD while
// the refresh is due (2010). Group 1 gets its ACT in 499 (1997) and does not move. Stage 2 is empty from clock 503 on,
// tRAS ends at 1997 + 39 = 2036: PREA at 2039. tRP ends at 2056: REF at 2057, tRFC at 2477, when groups 1, 2 and 3 ask
// for an ACT; as none did in the clock before, group 1 is first. Group 3 waited for another row than the open one: no
// PRE came for it, so a miss.
TEST(MigController, ARefreshStopsStage1AndLetsStage2Finish) {
  EXPECT_EQ(commands(refreshed(2000),
                     {{0, at(1, 3)}, {1984, at(1, 0)}, {1988, at(1, 1)}, {1992, at(1, 2)}, {1996, at(2, 3)}}, 1000),
            (Lines{"1993 ACT 0", "1997 ACT 4", "2010 RD 0 miss", "2039 PREA 0", "2057 REF 0", "2477 ACT 4",
                   "2481 ACT 8", "2485 ACT 12", "2494 RD 4 miss", "2498 RD 8 miss", "2502 RD 12 miss"}));
}

// M9 and M2. RDA in clock 102 (408). The second request does not move in 102, as the RDA waits in stage 2 then. Its ACT
// comes from 408 + tRTP + tRP on: 433 keeps tRTP = 8, 434 becomes 437. After a WRA: 408 + CWL + 4 + tWR + tRP = 459.
TEST(MigController, AccessesWithA3CloseTheirBankIfConfigured) {
  const auto offers = [](bool write) { return Offers{{400, at(1, 0, 0, 1), write}, {404, at(1, 0)}}; };
  Ddr4Config config = quiet();
  EXPECT_EQ(commands_after_opening({0}, config, offers(false)), (Lines{"408 RD 0 hit", "414 RD 0 hit"}));
  config.auto_precharge_a3 = true;
  EXPECT_EQ(commands_after_opening({0}, config, offers(false)), (Lines{"408 RDA 0 hit", "437 ACT 0", "454 RD 0 miss"}));
  EXPECT_EQ(commands_after_opening({0}, config, offers(true)), (Lines{"408 WRA 0 hit", "461 ACT 0", "478 RD 0 miss"}));
  config.timing.rtp_nck = 8;
  EXPECT_EQ(commands_after_opening({0}, config, offers(false)).at(1), "433 ACT 0");
}

}  // namespace
}  // namespace weft::memory

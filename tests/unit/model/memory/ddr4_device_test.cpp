#include "model/memory/ddr4_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::memory {
namespace {

struct Step {
  Command command;
  int bank;
};

// Issues `before`, each command as early as it is legal. Then `then` is blocked one cycle early and legal exactly
// `delay` after the last of them.
struct Rule {
  std::string name;
  std::vector<Step> before;
  Step then;
  Nck delay;
};

void PrintTo(const Rule& rule, std::ostream* out) {
  *out << rule.name;
}

// Banks: 0 and 1 are in bank group 0, 4 is in bank group 1, and so on.
constexpr Command kAct = Command::activate, kPre = Command::precharge, kPreAll = Command::precharge_all;
constexpr Command kRd = Command::read, kRda = Command::read_ap, kWr = Command::write, kWra = Command::write_ap;
constexpr Command kRef = Command::refresh;
constexpr std::array<Command, 8> kAll{kAct, kPre, kPreAll, kRd, kRda, kWr, kWra, kRef};

std::vector<Rule> rules() {
  return {
      {"tRCD_to_RD", {{kAct, 0}}, {kRd, 0}, 17},
      {"tRCD_to_WR", {{kAct, 0}}, {kWr, 0}, 17},
      {"tRCD_to_RDA", {{kAct, 0}}, {kRda, 0}, 17},
      {"tRCD_to_WRA", {{kAct, 0}}, {kWra, 0}, 17},
      {"tRAS_to_PRE", {{kAct, 0}}, {kPre, 0}, 39},
      {"tRAS_to_PREA", {{kAct, 0}}, {kPreAll, 0}, 39},
      {"tRP_PRE_to_ACT", {{kAct, 0}, {kPre, 0}}, {kAct, 0}, 17},  // and 39 + 17 = 56 = tRC since the ACT
      {"tRP_PREA_to_ACT", {{kAct, 0}, {kPreAll, 0}}, {kAct, 3}, 17},
      {"tRP_PRE_to_REF", {{kAct, 0}, {kPre, 0}}, {kRef, 0}, 17},
      {"tRP_PREA_to_REF", {{kAct, 0}, {kPreAll, 0}}, {kRef, 0}, 17},
      {"tRRD_S", {{kAct, 0}}, {kAct, 4}, 4},
      {"tRRD_L", {{kAct, 0}}, {kAct, 1}, 6},
      // ACTs at 0, 6 (bank 1: tRRD_L), 10, 16; so tFAW = 16 alone would allow 16, and tRRD_S requires 16 + 4.
      {"tRRD_S_after_slow_four", {{kAct, 0}, {kAct, 1}, {kAct, 4}, {kAct, 5}}, {kAct, 8}, 4},
      {"tCCD_S_RD", {{kAct, 0}, {kAct, 4}, {kRd, 0}}, {kRd, 4}, 4},
      {"tCCD_L_RD", {{kAct, 0}, {kAct, 1}, {kRd, 0}}, {kRd, 1}, 6},
      {"tCCD_L_RD_same_bank", {{kAct, 0}, {kRd, 0}}, {kRd, 0}, 6},
      {"tCCD_S_WR", {{kAct, 0}, {kAct, 4}, {kWr, 0}}, {kWr, 4}, 4},
      {"tCCD_L_WR", {{kAct, 0}, {kAct, 1}, {kWr, 0}}, {kWr, 1}, 6},
      {"RD_to_WR", {{kAct, 0}, {kAct, 4}, {kRd, 0}}, {kWr, 4}, 17 + 4 - 12 + 2},
      {"RD_to_WR_same_bank", {{kAct, 0}, {kRd, 0}}, {kWr, 0}, 17 + 4 - 12 + 2},
      {"RDA_to_WR", {{kAct, 0}, {kAct, 4}, {kRda, 0}}, {kWr, 4}, 17 + 4 - 12 + 2},
      {"tWTR_S", {{kAct, 0}, {kAct, 4}, {kWr, 0}}, {kRd, 4}, 12 + 4 + 3},
      {"tWTR_L", {{kAct, 0}, {kAct, 1}, {kWr, 0}}, {kRd, 1}, 12 + 4 + 9},
      {"tWTR_L_same_bank", {{kAct, 0}, {kWr, 0}}, {kRd, 0}, 12 + 4 + 9},
      // The RD is at 17, so 17 + tRTP = 26 < tRAS: with a second RD at 40 tRTP is the later bound. See the test below.
      {"tWR_to_PRE", {{kAct, 0}, {kWr, 0}}, {kPre, 0}, 12 + 4 + 18},
      {"tWR_to_PREA", {{kAct, 0}, {kWr, 0}}, {kPreAll, 0}, 12 + 4 + 18},
      {"WRA_to_ACT", {{kAct, 0}, {kWra, 0}}, {kAct, 0}, 12 + 4 + 18 + 17},
      {"WRA_to_REF", {{kAct, 0}, {kWra, 0}}, {kRef, 0}, 12 + 4 + 18 + 17},
      // RDA at 17: its precharge waits for tRAS at 39, the bank for another tRP: tRC = 56 = 17 + 39.
      {"RDA_to_ACT_bound_by_tRAS", {{kAct, 0}, {kRda, 0}}, {kAct, 0}, 56 - 17},
      {"RDA_to_REF_bound_by_tRAS", {{kAct, 0}, {kRda, 0}}, {kRef, 0}, 56 - 17},
      {"tRFC_to_ACT", {{kRef, 0}}, {kAct, 7}, 420},
      {"tRFC_to_REF", {{kRef, 0}}, {kRef, 0}, 420},
  };
}

class DeviceTiming : public testing::TestWithParam<Rule> {};

TEST_P(DeviceTiming, CommandIsBlockedOneCycleEarlyAndLegalExactlyOnTime) {
  const Rule& rule = GetParam();
  Ddr4Device device{Ddr4Timing{}};
  Nck time = 0;
  for (const Step& step : rule.before) {
    time = std::max(time + 1, device.earliest(step.command, step.bank));
    device.issue(step.command, step.bank, 5, time);
  }
  EXPECT_EQ(device.earliest(rule.then.command, rule.then.bank), time + rule.delay);
  Ddr4Device early = device;
  EXPECT_THROW(early.issue(rule.then.command, rule.then.bank, 5, time + rule.delay - 1), std::logic_error);
  EXPECT_NO_THROW(device.issue(rule.then.command, rule.then.bank, 5, time + rule.delay));
}

INSTANTIATE_TEST_SUITE_P(Jesd79, DeviceTiming, testing::ValuesIn(rules()),
                         [](const auto& info) { return info.param.name; });

TEST(Ddr4Device, FifthActivateWaitsForTheFourActivateWindow) {
  Ddr4Timing timing;
  timing.faw_nck = 28;  // above 4 * tRRD_S, so that tFAW alone decides
  Ddr4Device device(timing);
  for (int group = 0; group < 4; ++group) device.issue(kAct, 4 * group, 1, 100 + 4 * group);
  EXPECT_EQ(device.earliest(kAct, 1), 128);  // 100 + tFAW, later than the last ACT + tRRD_S = 116
  EXPECT_THROW(Ddr4Device(device).issue(kAct, 1, 1, 127), std::logic_error);
  device.issue(kAct, 1, 1, 128);
  EXPECT_EQ(device.earliest(kAct, 5), 132);  // the window moves: 104 + tFAW, and 128 + tRRD_S
}

TEST(Ddr4Device, ReadToPrechargeIsTrtpOnceTrasIsOver) {
  Ddr4Device device{Ddr4Timing{}};
  device.issue(kAct, 0, 1, 0);
  device.issue(kRd, 0, 0, 40);
  EXPECT_EQ(device.earliest(kPre, 0), 49);
  EXPECT_EQ(device.earliest(kPreAll, 0), 49);
  EXPECT_THROW(device.issue(kPre, 0, 0, 48), std::logic_error);
  device.issue(kPre, 0, 0, 49);
}

TEST(Ddr4Device, ReadWithAutoPrechargeToActivateIsTrtpPlusTrpOnceTrasIsOver) {
  Ddr4Device device{Ddr4Timing{}};
  device.issue(kAct, 0, 1, 0);
  device.issue(kRda, 0, 0, 40);
  EXPECT_EQ(device.earliest(kAct, 0), 40 + 9 + 17);
  EXPECT_EQ(device.earliest(kRef, 0), 40 + 9 + 17);
}

TEST(Ddr4Device, ActivateToActivateOfOneBankTakesTrc) {
  Ddr4Timing timing;
  timing.rc_nck = 70;  // beyond tRAS + tRP, so that tRC alone decides
  Ddr4Device device(timing);
  device.issue(kAct, 0, 1, 0);
  device.issue(kPre, 0, 0, 39);
  EXPECT_EQ(device.earliest(kAct, 0), 70);
  EXPECT_EQ(device.earliest(kRef, 0), 70);
}

TEST(Ddr4Device, RowStateDecidesWhichCommandsAreAllowed) {
  Ddr4Device device{Ddr4Timing{}};
  EXPECT_TRUE(device.allows(kAct, 0));
  EXPECT_FALSE(device.allows(kRd, 0));
  EXPECT_FALSE(device.allows(kPre, 0));
  EXPECT_TRUE(device.allows(kRef, 0));
  device.issue(kAct, 0, 42, 0);
  EXPECT_EQ(device.open_row(0), 42);
  EXPECT_FALSE(device.allows(kAct, 0));
  EXPECT_TRUE(device.allows(kWr, 0));
  EXPECT_FALSE(device.allows(kRef, 0));
  EXPECT_THROW(device.issue(kAct, 0, 7, 1000), std::logic_error);
  EXPECT_THROW(device.issue(kRef, 0, 0, 1000), std::logic_error);
  device.issue(kWra, 0, 0, 1000);
  EXPECT_EQ(device.open_row(0), Ddr4Device::kClosed);
}

TEST(Ddr4Device, CopyIsIndependent) {
  Ddr4Device device{Ddr4Timing{}};
  device.issue(kAct, 0, 1, 0);
  Ddr4Device copy = device;
  copy.issue(kRd, 0, 0, 17);
  EXPECT_EQ(device.earliest(kRd, 0), 17);
  EXPECT_EQ(copy.earliest(kRd, 0), 23);
}

// Returns the longest delays that a configuration may have, with a tRAS that leaves the rest of tRC to tRP.
Ddr4Timing longest(int ras_nck) {
  constexpr int kMost = Ddr4Timing::kMostNck;
  Ddr4Timing timing;
  for (int* const delay : {&timing.cl_nck, &timing.rcd_nck, &timing.rrd_s_nck, &timing.rrd_l_nck, &timing.faw_nck,
                           &timing.ccd_s_nck, &timing.ccd_l_nck, &timing.rtp_nck, &timing.wr_nck, &timing.wtr_s_nck,
                           &timing.wtr_l_nck, &timing.rc_nck, &timing.rfc_nck, &timing.cwl_nck}) {
    *delay = kMost;
  }
  timing.ras_nck = ras_nck;
  timing.rp_nck = kMost - ras_nck;
  timing.turnaround_nck = 1000;
  return timing;
}

// Compares with the table of rules, checked against every earlier command; commands follow each other directly or after
// pauses longer than any delay.
TEST(Ddr4Device, AsksForWhatItsTableOfRulesDoesHoweverLongDelaysAndRestsAre) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random() % end); };
  for (int run = 0; run < 60; ++run) {
    const Ddr4Timing timing = run % 3 == 0 ? Ddr4Timing{} : longest(run % 3 == 1 ? 1 : 1700);
    const std::vector<Constraint> rules = timing_table(timing);
    Ddr4Device device(timing);
    std::vector<IssuedCommand> before;
    const auto earliest = [&](Command command, int bank) {
      Nck time = 0;
      for (const Constraint& rule : rules) {
        if (!contains(rule.later, command)) continue;
        int window = rule.window;
        for (std::size_t i = before.size(); i-- > 0 && window > 0;) {
          const IssuedCommand& issued = before[i];
          const bool near = rule.scope == Scope::rank || issued.bank == bank ||
                            (rule.scope == Scope::bank_group && group_of(issued.bank) == group_of(bank));
          if (!contains(rule.earlier, issued.command) || !near || --window > 0) continue;
          time = std::max(time, issued.time + rule.delay_nck);
        }
      }
      return time;
    };
    Nck now = 0;
    for (int i = 0; i < 150; ++i) {
      const Command command = kAll[static_cast<std::size_t>(below(8))];
      const int bank = command == kPreAll || command == kRef ? 0 : below(1 << below(5));
      if (!device.allows(command, bank)) continue;
      const Nck legal = earliest(command, bank);
      if (legal > now) {
        EXPECT_THROW(Ddr4Device(device).issue(command, bank, i, legal - 1), std::logic_error);
      }
      now = std::max(now, legal);
      if (below(4) == 0) now += below(below(2) != 0 ? 30 : 30000);
      device.issue(command, bank, i, now);
      before.push_back({now++, command, bank, i});
      for (const Command next : kAll) {
        for (int each = 0; each < kBanks; ++each) {
          ASSERT_EQ(std::max(now, device.earliest(next, each)), std::max(now, earliest(next, each)))
              << "run " << run << ", command " << i << ", " << name_of(next) << " to bank " << each;
        }
      }
    }
  }
}

// A device whose state is saved and restored after every command allows each command at the time of an unsaved device.
// A state omits values without effect; random commands try them: to few banks, as early as legal or later.
TEST(Ddr4Device, RestoredAllowsEveryCommandWhenItWould) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random() % end); };
  for (int run = 0; run < 300; ++run) {
    Ddr4Timing timing;
    if (run % 3 == 1) timing.faw_nck = 7 * timing.rrd_s_nck;  // tFAW decides, not tRRD_S alone
    if (run % 3 == 2) timing.rc_nck = timing.ras_nck + timing.rp_nck + 15;
    const bool long_ones = run % 6 >= 4;
    if (long_ones) timing = longest(run % 6 == 4 ? 1 : 1700);
    Ddr4Device kept(timing), restored(timing);
    const int banks = 1 << below(5), patience = 1 << below(7);
    Nck now = 0;
    for (int i = 0; i < 300; ++i) {
      const Command command = kAll[static_cast<std::size_t>(below(run % 2 == 0 ? 6 : 8))];
      const int bank = below(static_cast<std::uint64_t>(banks));
      if (!kept.allows(command, bank)) continue;
      now = std::max(now, kept.earliest(command, bank)) +
            (below(4) == 0 ? below(static_cast<std::uint64_t>(long_ones ? 200 * patience : patience)) : 0);
      kept.issue(command, bank, i, now);
      restored.issue(command, bank, i, now);
      ++now;
      std::string bytes, again;
      Relative out(bytes, false);
      restored.relative(out, now, 7);
      Ddr4Device other(timing);
      other.issue(kAct, below(16), 3, 5 * i);
      Relative in(bytes, true);
      other.relative(in, now, 7);
      Relative check(again, false);
      other.relative(check, now, 7);
      ASSERT_EQ(bytes, again);
      restored = other;
      for (const Command next : kAll) {
        for (int each = 0; each < 16; ++each) {
          ASSERT_EQ(kept.allows(next, each), restored.allows(next, each));
          if (!kept.allows(next, each)) continue;
          if (next == kPreAll && !kept.any_open()) continue;  // never requested
          ASSERT_EQ(std::max(now, kept.earliest(next, each)), std::max(now, restored.earliest(next, each)))
              << "run " << run << ", command " << i << ", " << name_of(next) << " to bank " << each;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::memory

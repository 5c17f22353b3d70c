#include "model/memory/ddr4_controller.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/plain_ddr4_controller.h"

namespace weft::memory {
namespace {

// Returns a byte address under the INTLV map.
Address at(int row, int group, int bank, int column_high = 0, int a3 = 0) {
  return Address{row} << 17 | Address{column_high} << 11 | Address{bank} << 9 | Address{a3} << 8 | Address{group} << 6;
}
constexpr Address kLine = 1 << 11;  // the next column of the same bank and row, A3 = 0

Ddr4Config quiet() {
  Ddr4Config config;
  config.refresh = false;
  return config;
}

// Runs until no request waits, and returns the requests served.
std::vector<Served> finish(Ddr4Controller& controller) {
  while (!controller.idle()) controller.advance_to(controller.next_action() + 1);
  std::vector<Served> served = controller.served();
  controller.clear_served();
  return served;
}

// Returns the latency of one access to an idle controller, from acceptance to the end of its data.
Nck latency(Ddr4Controller& controller, Address address) {
  const Nck accepted = controller.now();
  controller.accept(address, false, 0);
  return finish(controller).at(0).data_end - accepted;
}

std::vector<Command> commands_of(const Ddr4Controller& controller) {
  std::vector<Command> commands;
  for (const IssuedCommand& issued : controller.commands()) commands.push_back(issued.command);
  return commands;
}

TEST(Ddr4Controller, SingleAccessTakes39ToAClosedBank22ToAnOpenRow56ToAConflict) {
  Ddr4Controller controller(quiet());
  controller.advance_to(1000);
  EXPECT_EQ(latency(controller, at(1, 0, 0)), 1 + 17 + 17 + 4);  // queue, tRCD, CL, BL/2
  controller.advance_to(2000);
  EXPECT_EQ(latency(controller, at(1, 0, 0, 1)), 1 + 17 + 4);
  controller.advance_to(3000);
  EXPECT_EQ(latency(controller, at(2, 0, 0)), 1 + 17 + 17 + 17 + 4);  // and tRP
}

TEST(Ddr4Controller, ReportsRowHitMissAndConflict) {
  Ddr4Controller controller(quiet());
  controller.accept(at(1, 0, 0), false, 1);
  EXPECT_EQ(finish(controller).at(0).outcome, RowOutcome::miss);
  controller.accept(at(1, 0, 0, 1), true, 2);
  EXPECT_EQ(finish(controller).at(0).outcome, RowOutcome::hit);
  controller.accept(at(2, 0, 0), false, 3);
  EXPECT_EQ(finish(controller).at(0).outcome, RowOutcome::conflict);
}

TEST(Ddr4Controller, OpenPageLeavesTheRowOpen) {
  Ddr4Controller controller(quiet());
  controller.record_commands(true);
  controller.accept(at(1, 0, 0, 0, 1), false, 0);
  finish(controller);
  controller.advance_to(5000);
  EXPECT_EQ(commands_of(controller), (std::vector<Command>{Command::activate, Command::read}));
}

TEST(Ddr4Controller, AutoPrechargeFollowsColumnBitA3) {
  Ddr4Config config = quiet();
  config.auto_precharge_a3 = true;
  Ddr4Controller controller(config);
  controller.record_commands(true);
  controller.accept(at(1, 0, 0, 0, 0), false, 0);
  finish(controller);
  controller.accept(at(1, 0, 0, 0, 1), false, 1);
  finish(controller);
  controller.accept(at(1, 0, 0, 1, 1), true, 2);  // the row was closed: ACT again
  finish(controller);
  EXPECT_EQ(commands_of(controller), (std::vector<Command>{Command::activate, Command::read, Command::read_ap,
                                                           Command::activate, Command::write_ap}));
}

TEST(Ddr4Controller, RowHitOvertakesAnOlderConflict) {
  Ddr4Controller controller(quiet());
  controller.accept(at(1, 0, 0), false, 0);
  finish(controller);
  controller.accept(at(2, 0, 0), false, 1);
  controller.advance_to(controller.now() + 1);
  controller.accept(at(1, 0, 0, 1), false, 2);
  const std::vector<Served> served = finish(controller);
  EXPECT_EQ(served.at(0).tag, 2U);
  EXPECT_EQ(served.at(1).tag, 1U);
}

TEST(Ddr4Controller, RowHitsOvertakeAConflictOnlyUpToTheLimit) {
  for (const int limit : {2, 5}) {
    Ddr4Config config = quiet();
    config.row_hit_limit = limit;
    Ddr4Controller controller(config);
    controller.accept(at(1, 0, 0), false, 100);
    controller.advance_to(controller.now() + 1);
    controller.accept(at(2, 0, 0), false, 0);  // a row conflict
    for (std::uint32_t tag = 1; tag <= 6; ++tag) {
      controller.advance_to(controller.now() + 1);
      controller.accept(at(1, 0, 0, static_cast<int>(tag)), false, tag);
    }
    const std::vector<Served> served = finish(controller);
    int before = 0;
    while (served.at(before).tag != 0) ++before;
    EXPECT_EQ(before, limit) << "limit " << limit;
  }
}

TEST(Ddr4Controller, BanksTakeTurns) {
  Ddr4Controller controller(quiet());
  // Two banks of different bank groups, both rows open, four reads each that arrive bank by bank.
  controller.accept(at(1, 0, 0), false, 100);
  finish(controller);
  controller.accept(at(1, 1, 0), false, 100);
  finish(controller);
  controller.advance_to(1000);
  // Offers one request per nCK, so that both queues fill, and checks the order.
  for (std::uint32_t tag = 0; tag < 8; ++tag) {
    controller.accept(at(1, static_cast<int>(tag) / 4, 0, static_cast<int>(tag) + 1), false, tag);
    controller.advance_to(controller.now() + 1);
  }
  std::vector<std::uint32_t> order;
  for (const Served& served : finish(controller)) order.push_back(served.tag);
  // Bank 0 first (at nCK 1); tCCD_L = 6 later bank 4, tCCD_S = 4 after it bank 0 again, and so on.
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 4, 1, 5, 2, 6, 3, 7}));
}

// The device stores times relative to an origin that it moves up, here during traffic.
TEST(Ddr4Controller, GivesTheSameCommandsHoweverLateItIs) {
  const auto commands_from = [](Nck start) {
    Ddr4Controller controller(quiet());
    controller.record_commands(true);
    controller.advance_to(start);
    std::mt19937 random(1);
    for (std::uint32_t tag = 0; tag < 600; ++tag) {
      controller.advance_to(controller.now() + random() % 12);
      const bool write = random() % 4 == 0;
      if (!controller.has_room(write)) continue;
      const Address address = at(static_cast<int>(random() % 3), static_cast<int>(random() % 4),
                                 static_cast<int>(random() % 4), static_cast<int>(random() % 8));
      controller.accept(address, write, tag);
      controller.advance_to(controller.now() + 1);
    }
    finish(controller);
    std::vector<std::string> commands;
    for (const IssuedCommand& issued : controller.commands()) {
      commands.push_back(std::to_string(issued.time - start) + " " + name_of(issued.command) + " " +
                         std::to_string(issued.bank));
    }
    return commands;
  };
  const std::vector<std::string> early = commands_from(10'000);
  EXPECT_GT(early.size(), 800U);
  for (const Nck start : {(Nck{1} << 28) - 1500, (Nck{1} << 31) + 12345, (Nck{1} << 40) - 7}) {
    EXPECT_EQ(commands_from(start), early) << start;
  }
}

TEST(Ddr4Controller, FullReadQueueRefusesReadsButTakesWrites) {
  Ddr4Config config = quiet();
  config.read_queue = 2;
  config.bank_queue = 1;
  Ddr4Controller controller(config);
  std::uint32_t tag = 0;
  while (controller.has_room(false)) {
    controller.accept(at(static_cast<int>(tag), 0, 0), false, tag);  // all to one bank
    ++tag;
    controller.advance_to(controller.now() + 1);
  }
  EXPECT_EQ(tag, 3U);  // one in the bank's queue, two in the read queue
  EXPECT_THROW(controller.accept(0, false, 9), std::logic_error);
  EXPECT_TRUE(controller.has_room(true));
  EXPECT_EQ(controller.reads_waiting(), 3);
}

TEST(Ddr4Controller, WritesWaitForTheHighWatermarkWhileReadsAreThere) {
  Ddr4Config config = quiet();
  config.write_queue = 8;
  config.write_high = 6;
  config.write_low = 2;
  Ddr4Controller controller(config);
  // Reads arrive continuously; five writes wait, the sixth starts the drain.
  std::uint32_t tag = 0;
  int column = 0;
  const auto read = [&] {
    while (!controller.has_room(false)) controller.advance_to(controller.now() + 1);
    controller.accept(at(1, column % 4, 0, column / 4), false, 1000 + tag++);
    ++column;
    controller.advance_to(controller.now() + 1);
  };
  const auto writes_waiting = [&] {
    Ddr4Controller copy = controller;
    int room = 0;
    for (; copy.has_room(true); ++room) copy.accept(at(3, 0, 3), true, 0);
    return config.write_queue - room;
  };
  for (int i = 0; i < 10; ++i) read();
  for (int i = 0; i < 5; ++i) {
    controller.accept(at(2, i % 4, 1), true, i);
    controller.advance_to(controller.now() + 1);
    read();
  }
  for (int i = 0; i < 60; ++i) read();
  EXPECT_EQ(writes_waiting(), 5);
  controller.accept(at(2, 1, 1, 1), true, 5);
  controller.advance_to(controller.now() + 1);
  for (int i = 0; i < 60; ++i) read();
  EXPECT_EQ(writes_waiting(), 2);  // the low watermark
}

TEST(Ddr4Controller, WritesAloneAreServedAtOnce) {
  Ddr4Controller controller(quiet());
  controller.accept(at(1, 0, 0), true, 7);
  const std::vector<Served> served = finish(controller);
  EXPECT_EQ(served.at(0).data_end, 1 + 17 + 12 + 4);
}

TEST(Ddr4Controller, RefreshClosesAllRowsAndComesEveryTrefi) {
  Ddr4Controller controller{Ddr4Config{}};
  controller.record_commands(true);
  controller.accept(at(1, 0, 0), false, 0);
  controller.advance_to(30000);
  const auto& commands = controller.commands();
  ASSERT_EQ(commands.size(), 6U);
  EXPECT_EQ(commands[2].command, Command::precharge_all);
  EXPECT_EQ(commands[2].time, 9360);
  EXPECT_EQ(commands[3].command, Command::refresh);
  EXPECT_EQ(commands[3].time, 9360 + 17);
  EXPECT_EQ(commands[4].command, Command::refresh);
  EXPECT_EQ(commands[4].time, 2 * 9360);
  EXPECT_EQ(commands[5].time, 3 * 9360);
}

TEST(Ddr4Controller, RequestDuringRefreshWaitsForTrfc) {
  Ddr4Controller controller{Ddr4Config{}};
  controller.advance_to(9361);
  controller.accept(at(1, 0, 0), false, 0);
  EXPECT_EQ(finish(controller).at(0).data_end, 9360 + 420 + 17 + 21);
}

TEST(Ddr4Controller, LongIdleTimeEndsInTheSameStateAsManyShortOnes) {
  Ddr4Controller jump{Ddr4Config{}};
  jump.accept(at(1, 0, 0), false, 0);
  Ddr4Controller walk = jump;
  for (Nck end = 0; end <= 1000000; end += 100) walk.advance_to(end);
  jump.advance_to(1000000);
  for (int i = 0; i < 30; ++i) {
    jump.clear_served();
    walk.clear_served();
    ASSERT_EQ(latency(jump, at(1, 0, 0)), latency(walk, at(1, 0, 0)));
    jump.advance_to(jump.now() + 700);
    walk.advance_to(walk.now() + 700);
  }
}

// Offers random requests, at most one per nCK, and returns the controller with its commands recorded.
Ddr4Controller random_run(Ddr4Config config, std::uint32_t seed, int requests, int rows, double write_share,
                          double rate) {
  std::mt19937 random(seed);
  const auto chance = [&](double share) { return random() < share * 4294967296.0; };
  Ddr4Controller controller(config);
  controller.record_commands(true);
  for (int i = 0; i < requests;) {
    const bool write = chance(write_share);
    if (chance(rate) && controller.has_room(write)) {
      controller.accept(at(static_cast<int>(random() % rows), random() % 4, random() % 4, random() % 64, random() % 2),
                        write, i++);
    }
    controller.advance_to(controller.now() + 1);
  }
  while (!controller.idle()) controller.advance_to(controller.next_action() + 1);
  return controller;
}

TEST(Ddr4Controller, CommandsOfRandomTrafficBreakNoTimingRule) {
  std::uint32_t seed = 1;
  for (const bool auto_precharge : {false, true}) {
    for (const int rows : {1, 2, 3, 100000}) {
      for (const double write_share : {0.0, 0.3, 1.0}) {
        for (const double rate : {1.0, 0.1}) {
          Ddr4Config config;
          config.auto_precharge_a3 = auto_precharge;
          config.timing.refi_nck = 2000;  // makes many refreshes occur
          SCOPED_TRACE(testing::Message() << "seed " << seed << " rows " << rows << " writes " << write_share);
          const Ddr4Controller controller = random_run(config, seed++, 2000, rows, write_share, rate);
          ASSERT_GT(controller.commands().size(), 2000U);
          EXPECT_EQ(test::PlainDdr4Controller::first_violation(controller.commands(), config), "");
          int column_commands = 0;
          int refreshes = 0;
          for (const IssuedCommand& issued : controller.commands()) {
            const Command c = issued.command;
            column_commands +=
                c == Command::read || c == Command::read_ap || c == Command::write || c == Command::write_ap;
            refreshes += c == Command::refresh ? 1 : 0;
          }
          EXPECT_EQ(column_commands, 2000);
          EXPECT_GT(refreshes, 2);
        }
      }
    }
  }
}

TEST(Ddr4Controller, CheckerFindsACommandMovedOneCycleForward) {
  Ddr4Config config = quiet();
  const Ddr4Controller controller = random_run(config, 7, 300, 2, 0.5, 1.0);
  int found = 0;
  for (std::size_t i = 1; i < controller.commands().size(); ++i) {
    std::vector<IssuedCommand> moved = controller.commands();
    --moved[i].time;
    found += test::PlainDdr4Controller::first_violation(moved, config).empty() ? 0 : 1;
  }
  // In saturated traffic most commands are issued at their earliest legal time.
  EXPECT_GT(found, static_cast<int>(controller.commands().size()) / 2);
}

TEST(Ddr4Controller, CopyContinuesLikeTheOriginal) {
  Ddr4Controller original = random_run(Ddr4Config{}, 3, 500, 50, 0.4, 1.0);
  Ddr4Controller copy = original;
  for (int i = 0; i < 20; ++i) {
    original.accept(at(i, i % 4, 1), i % 3 == 0, i);
    copy.accept(at(i, i % 4, 1), i % 3 == 0, i);
    original.advance_to(original.now() + 3);
    for (int step = 0; step < 3; ++step) copy.advance_to(copy.now() + 1);
  }
  finish(original);
  finish(copy);
  ASSERT_EQ(original.commands().size(), copy.commands().size());
  for (std::size_t i = 0; i < copy.commands().size(); ++i) {
    EXPECT_EQ(original.commands()[i].time, copy.commands()[i].time);
    EXPECT_EQ(original.commands()[i].bank, copy.commands()[i].bank);
  }
}

TEST(Ddr4Controller, ResetReturnsToTheInitialState) {
  Ddr4Controller used = random_run(Ddr4Config{}, 5, 500, 50, 0.4, 1.0);
  used.reset();
  EXPECT_EQ(used.now(), 0);
  EXPECT_EQ(latency(used, at(1, 0, 0)), 39);
}

}  // namespace
}  // namespace weft::memory

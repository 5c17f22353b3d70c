#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/memory/mig_clocks.h"
#include "model/memory/mig_controller.h"
#include "tests/support/dram_traffic.h"
#include "tests/support/plain_ddr4_controller.h"
#include "tests/support/plain_mig_controller.h"

namespace weft::memory {
namespace {

using test::PlainMigController;
using Commands = std::vector<PlainMigController::Command>;

constexpr Nck kClock = 4;

using Offers =
    std::vector<test::Offer>;  // `after`: edges after the clock that follows the acceptance of the one before

class Traffic : public test::DramTraffic {
 public:
  using DramTraffic::DramTraffic;

  Ddr4Config config() {
    Ddr4Config config = any_device(2);
    const std::int64_t most = below(2) != 0 ? 3 : 16;
    config.stage1 = static_cast<int>(1 + below(most));
    config.stage2 = static_cast<int>(1 + below(most));
    if (config.timing.cl_nck != Ddr4Timing().cl_nck) {  // another device
      config.timing.ccd_s_nck = static_cast<int>(4 + below(2));
      config.timing.ccd_l_nck = config.timing.ccd_s_nck + static_cast<int>(below(5));
      config.timing.turnaround_nck = static_cast<int>(1 + below(6));
    }
    config.validate();
    return config;
  }

  // Streams that advance sequentially, jump between a few rows or jump anywhere, in phases with different shares of
  // writes, numbers of streams and densities of requests; in some phases all are in one bank group or one bank.
  Offers offers(AddressMap map, std::size_t count) {
    struct Bits {
      Address group, bank;
    };
    constexpr std::array<Bits, 3> kBits{{{0xC0, 0x300}, {0xC0, 0x600}, {0x6000, 0x18000}}};
    const Bits& bits = kBits[static_cast<std::size_t>(map)];
    std::vector<Address> streams(8);
    for (Address& stream : streams) stream = below(1 << 27) * 64;
    Offers offers;
    std::int64_t left = 0, taking = 1, writes = 0, pace = 0, jumps = 0;
    Address fixed = 0, home = 0;  // address bits that are equal in a phase, and their values
    while (offers.size() < count) {
      if (left-- == 0) {
        left = 20 + below(200);
        taking = 1 + below(8);
        writes = below(3) == 0 ? 0 : below(101);
        pace = below(3) == 0 ? 30 : below(3);
        jumps = below(3) == 0 ? 70 : below(10);
        const std::int64_t scope = below(8);
        fixed = scope == 0 ? bits.group | bits.bank : scope < 3 ? bits.group : 0;
        home = below(1 << 27) * 64;
      }
      Address& stream = streams[static_cast<std::size_t>(below(taking))];
      stream += 64;
      // Another row of the same bank, or any address.
      if (below(100) < jumps) stream = below(2) != 0 ? stream ^ (1 + below(7)) << kRowBit : below(1 << 27) * 64;
      stream %= Address{1} << 33;
      const Nck after = kClock * (below(300) == 0 ? below(1500) : below(pace + 1));
      offers.push_back({after, (stream & ~fixed) | (home & fixed), below(100) < writes});
    }
    return offers;
  }
};

// Returns the commands of the fast controller, each RD and WR with the request it served.
Commands commands_of(const std::vector<IssuedCommand>& issued, const std::vector<Served>& served, const Offers& offers,
                     const Ddr4Timing& timing) {
  Commands commands;
  std::size_t next = 0;
  for (const IssuedCommand& each : issued) {
    PlainMigController::Command command{each.time, each.command, each.bank};
    if (each.command == Command::activate) command.row = each.row;
    const bool write = each.command == Command::write || each.command == Command::write_ap;
    if (write || each.command == Command::read || each.command == Command::read_ap) {
      const Served& request = served.at(next++);
      command.tag = static_cast<int>(request.tag);
      command.row = static_cast<int>(offers.at(request.tag).address >> kRowBit);
      command.outcome = request.outcome;
      EXPECT_EQ(request.write, write);
      EXPECT_EQ(request.data_end, each.time + (write ? timing.cwl_nck : timing.cl_nck) + 4);
    }
    commands.push_back(command);
  }
  EXPECT_EQ(next, served.size());
  return commands;
}

std::string text(const PlainMigController::Command& command) {
  return std::string(name_of(command.kind)) + " at " + std::to_string(command.time) + ", bank " +
         std::to_string(command.bank) + ", row " + std::to_string(command.row) + ", request " +
         std::to_string(command.tag) + ", outcome " + std::to_string(static_cast<int>(command.outcome));
}

void expect_equal(const Commands& made, const Commands& expected) {
  for (std::size_t i = 0; i < std::min(expected.size(), made.size()); ++i) {
    ASSERT_TRUE(made[i] == expected[i]) << "command " << i << ": " << text(made[i]) << "; expected "
                                        << text(expected[i]);
  }
  ASSERT_EQ(made.size(), expected.size());
}

// Offers all requests to a controller at edge 0, each as early as it may be taken, and runs until none waits. Returns
// the edges at which they are taken, and last the first clock at whose start none waits.
std::vector<Nck> taken_by(MigController& controller, const Offers& offers) {
  std::vector<Nck> taken;
  Nck edge = 0;
  const auto to = [&](Nck end) { controller.advance_to(edge = end); };
  for (std::size_t i = 0; i < offers.size(); ++i) {
    to(edge + offers[i].after);
    while (!controller.has_room(offers[i].address)) to(edge + kClock);
    controller.accept(offers[i].address, offers[i].write, static_cast<std::uint32_t>(i));
    taken.push_back(edge);
    to(edge + kClock);
  }
  while (!controller.idle()) to(edge + kClock);
  taken.push_back(edge);
  return taken;
}

class MigOracle : public testing::TestWithParam<int> {
 protected:
  Traffic traffic{static_cast<std::uint64_t>(GetParam())};
  std::int64_t below(std::int64_t end) { return traffic.below(end); }
};

// Both take the same requests in the same clocks and issue the same commands, for the same requests.
TEST_P(MigOracle, EveryCommandIsThatOfThePlainController) {
  for (int round = 0; round < 2; ++round) {
    const Ddr4Config config = traffic.config();
    const Offers offers = traffic.offers(config.map, 1200);
    MigController fast(config);
    fast.record_commands(true);
    PlainMigController plain(config);
    Nck from = 0;
    std::int64_t reads = 0;
    bool agree = true;
    const auto advance = [&] {
      const std::size_t before = fast.commands().size();
      const Nck next = fast.next_action();
      fast.advance_to(plain.now());
      agree = agree && fast.now() == plain.now() && fast.idle() == plain.idle() &&
              (!config.refresh || fast.refresh_due() == plain.refresh_due());
      agree = agree && (fast.commands().size() == before || fast.commands()[before].time >= next);
    };
    for (std::size_t next = 0; next < offers.size() && agree; plain.step()) {
      const auto& [after, address, write] = offers[next];
      if (plain.now() < from + after) continue;
      advance();
      agree = agree && fast.has_room(address) == plain.has_room(address);
      if (!agree || !plain.has_room(address)) continue;
      plain.accept(address, write, static_cast<int>(next));
      fast.accept(address, write, static_cast<std::uint32_t>(next++));
      reads += write ? 0 : 1;
      const std::vector<Served>& served = fast.served();
      const auto read = [](const Served& each) { return !each.write; };
      if (next % 16 == 0) agree = fast.reads_waiting() == reads - std::count_if(served.begin(), served.end(), read);
      from = plain.now() + kClock;
    }
    while (!plain.idle()) plain.step();
    for (std::int64_t rest = below(3000); rest > 0; --rest) plain.step();  // with refreshes
    advance();
    SCOPED_TRACE("round " + std::to_string(round));
    expect_equal(commands_of(fast.commands(), fast.served(), offers, config.timing), plain.commands());
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_TRUE(agree) << "in time, refresh, next action, reads waiting, or which request has room";
    EXPECT_EQ(test::PlainDdr4Controller::first_violation(fast.commands(), config), "");
  }
}

TEST_P(MigOracle, AdvancingInPiecesGivesTheSameCommands) {
  const Ddr4Config config = traffic.config();
  const Offers offers = traffic.offers(config.map, 1200);
  MigController whole(config), pieces(config);
  whole.record_commands(true);
  pieces.record_commands(true);
  const std::vector<Nck> taken = taken_by(whole, offers);
  Nck edge = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const Nck most = below(4) == 0 ? 100 : 5;
    while (edge < taken[i]) {
      const Nck step = below(2) != 0 ? edge + below(most) : std::max(edge, pieces.next_action());
      pieces.advance_to(edge = std::min(step, taken[i] - 1) + 1);
    }
    if (i == offers.size()) break;
    ASSERT_TRUE(pieces.has_room(offers[i].address)) << i;
    pieces.accept(offers[i].address, offers[i].write, static_cast<std::uint32_t>(i));
  }
  EXPECT_TRUE(pieces.idle());
  expect_equal(commands_of(pieces.commands(), pieces.served(), offers, config.timing),
               commands_of(whole.commands(), whole.served(), offers, config.timing));
}

// Offers the requests to both in the same clocks and compares the requests served, and when a controller has room.
void expect_alike(MigController& stepped, MigController& known, const Offers& offers) {
  Nck from = stepped.now();
  for (std::size_t next = 0; next < offers.size();) {
    const auto& [after, address, write] = offers[next];
    const Nck edge = std::max(stepped.now(), (from + after + kClock - 1) / kClock * kClock);
    stepped.advance_to(edge);
    known.advance_to(edge);
    ASSERT_EQ(known.has_room(address), stepped.has_room(address)) << next;
    if (!stepped.has_room(address)) {
      stepped.advance_until_room(write ? nullptr : &address, write ? &address : nullptr, edge + 400);
      known.advance_until_room(write ? nullptr : &address, write ? &address : nullptr, edge + 400);
      ASSERT_EQ(known.now(), stepped.now()) << next;
      if (stepped.now() % kClock != 0) stepped.advance_to((stepped.now() + kClock - 1) / kClock * kClock);
      continue;
    }
    stepped.accept(address, write, static_cast<std::uint32_t>(next));
    known.accept(address, write, static_cast<std::uint32_t>(next++));
    from = edge + kClock;
    stepped.advance_to(edge + kClock);
    known.advance_to(edge + kClock);
    ASSERT_EQ(known.idle(), stepped.idle());
    ASSERT_EQ(known.reads_waiting(), stepped.reads_waiting());
    ASSERT_EQ(known.refresh_due(), stepped.refresh_due());
    ASSERT_EQ(known.served().size(), stepped.served().size()) << next;
    for (std::size_t i = 0; i < known.served().size(); ++i) {
      const Served &a = known.served()[i], &b = stepped.served()[i];
      ASSERT_TRUE(a.tag == b.tag && a.write == b.write && a.outcome == b.outcome && a.data_end == b.data_end) << next;
    }
    stepped.clear_served();
    known.clear_served();
  }
}

// Three controllers one after the other know more and more; with little credit they step now and then.
TEST_P(MigOracle, KnownClocksAreThoseThatAreStepped) {
  const Ddr4Config config = traffic.config();
  MigClocks::Limits limits;
  if (below(2) != 0) limits = {static_cast<std::size_t>(50 + below(2000)), 16, 2, static_cast<int>(below(1000))};
  const auto clocks = std::make_shared<MigClocks>(config, limits);
  const Offers offers = traffic.offers(config.map, 600);
  for (int pass = 0; pass < 3; ++pass) {
    MigController stepped(config), known(config);
    known.remember(clocks);
    expect_alike(stepped, known, pass < 2 ? offers : traffic.offers(config.map, 600));
    ASSERT_FALSE(HasFatalFailure()) << pass;
  }
}

TEST_P(MigOracle, KnownClocksTakeNoMoreThanTheirLimit) {
  const Ddr4Config config = traffic.config();
  MigClocks::Limits limits;
  limits.states = static_cast<std::size_t>(500 + below(1000));
  const auto clocks = std::make_shared<MigClocks>(config, limits);
  for (int pass = 0; pass < 20 && !clocks->full(); ++pass) {
    MigController controller(config);
    controller.remember(clocks);
    taken_by(controller, traffic.offers(config.map, 600));
  }
  EXPECT_LE(clocks->memory(), (limits.states + 1) * MigClocks::kBytesOfState);
}

// A refresh that lasts longer than the longest gap of a move, 254 clocks.
TEST(MigController, KnownClocksPassALongRefresh) {
  Ddr4Config config;
  config.timing.rfc_nck = 2400;
  const auto clocks = std::make_shared<MigClocks>(config);
  for (const Nck after : {9'000, 9'400, 9'900, 10'500, 11'700}) {
    MigController stepped(config), known(config);
    known.remember(clocks);
    expect_alike(stepped, known, {{0, 0, false}, {after, 0, false}, {0, 64, true}, {1'200, 1 << 17, false}});
    ASSERT_FALSE(HasFatalFailure()) << after;
  }
}

// The state is saved at any edge; a controller that looks clocks up and one that steps them go on from it.
TEST_P(MigOracle, AStateOfKnownClocksIsRestored) {
  const Ddr4Config config = traffic.config();
  const auto clocks = std::make_shared<MigClocks>(config);
  const auto base = [](std::uint32_t) { return std::int64_t{0}; };
  for (int round = 0; round < 8; ++round) {
    MigController stepped(config), known(config);
    known.remember(clocks);
    expect_alike(stepped, known, traffic.offers(config.map, static_cast<std::size_t>(1 + below(100))));
    ASSERT_FALSE(HasFatalFailure());
    const Nck edge = stepped.now() + below(200), later = kClock * below(1000);
    stepped.advance_to(edge);
    known.advance_to(edge);
    stepped.clear_served();
    known.clear_served();
    MigController restored(config), plain(config);
    if (below(2) != 0) restored.remember(clocks);
    std::string bytes;
    Relative saving(bytes, false), loading(bytes, true);
    known.relative(saving, edge, 3, base);
    restored.relative(loading, edge + later, 3, base);
    std::string of_plain;
    Relative saving_plain(of_plain, false), loading_plain(of_plain, true);
    stepped.relative(saving_plain, edge, 3, base);
    ASSERT_EQ(bytes, of_plain) << round;
    plain.relative(loading_plain, edge + later, 3, base);
    for (MigController* const each : {&restored, &plain}) {
      each->set_refresh_due(config.refresh ? stepped.refresh_due() + later : Ddr4Device::kNoTime);
    }
    expect_alike(plain, restored, traffic.offers(config.map, 200));
    ASSERT_FALSE(HasFatalFailure()) << round;
    expect_alike(stepped, known, traffic.offers(config.map, 200));
    ASSERT_FALSE(HasFatalFailure()) << round;
  }
}

std::string state_of(MigController controller, Nck now, int row) {
  std::string bytes;
  Relative state(bytes, false);
  controller.clear_served();
  controller.relative(state, now, row, [](std::uint32_t) { return std::int64_t{0}; });
  return bytes;
}

TEST(MigController, LongIdleTimeEndsInTheSameStateAsManyShortOnes) {
  MigController walk{Ddr4Config{}};
  walk.accept(0, false, 0);
  const MigController opened = walk;
  for (Nck end = 0; end <= 100'000; end += 97) {  // refreshes are due every 9,360 nCK
    MigController jump = opened;
    jump.advance_to(end);
    walk.advance_to(end);
    ASSERT_EQ(jump.refresh_due(), walk.refresh_due()) << end;
    ASSERT_EQ(jump.next_action(), walk.next_action()) << end;
    ASSERT_EQ(state_of(jump, end, 0), state_of(walk, end, 0)) << end;
  }
}

// The state is saved at any edge, and restored at another time and row into a controller with another history.
TEST_P(MigOracle, ARestoredControllerGoesOnAlike) {
  constexpr int kRows = 1000, kTags = 1'000'000;
  for (int round = 0; round < 4; ++round) {
    const Ddr4Config config = traffic.config();
    const Offers offers = traffic.offers(config.map, 300);
    MigController whole(config), saved(config), restored(config);
    whole.record_commands(true);
    saved.record_commands(true);
    const std::vector<Nck> taken = taken_by(whole, offers);
    const auto from = static_cast<std::size_t>(1 + below(299));
    for (std::size_t i = 0; i < from; ++i) {
      saved.advance_to(taken[i]);
      saved.accept(offers[i].address, offers[i].write, static_cast<std::uint32_t>(i));
    }
    const Nck edge = taken[from - 1] + 1 + below(taken[from] - taken[from - 1]);
    saved.advance_to(edge);
    std::vector<IssuedCommand> issued = saved.commands();
    std::vector<Served> served = saved.served();
    saved.clear_served();

    const Nck later = kClock * below(100'000);
    const int row = static_cast<int>(offers[from].address >> kRowBit);
    std::string bytes = state_of(saved, edge, row);
    taken_by(restored, traffic.offers(config.map, 20));
    if (restored.has_room(0)) restored.accept(0, false, 77);
    restored.clear_served();
    Relative state(bytes, true);
    restored.relative(state, edge + later, row + kRows, [](std::uint32_t) { return std::int64_t{kTags}; });
    if (config.refresh) restored.set_refresh_due(saved.refresh_due() + later);
    restored.record_commands(true);
    ASSERT_EQ(restored.idle(), saved.idle());
    ASSERT_EQ(restored.reads_waiting(), saved.reads_waiting());
    for (std::size_t i = from; i < offers.size(); ++i) {
      const Address address = offers[i].address + (Address{kRows} << kRowBit);
      restored.advance_to(taken[i] + later);
      ASSERT_TRUE(restored.has_room(address));
      restored.accept(address, offers[i].write, static_cast<std::uint32_t>(i));
    }
    restored.advance_to(taken.back() + later);
    for (IssuedCommand command : restored.commands()) {
      command.time -= later;
      if (command.command == Command::activate) command.row -= kRows;
      issued.push_back(command);
    }
    for (Served request : restored.served()) {
      if (request.tag >= kTags) request.tag -= kTags;
      request.data_end -= later;
      served.push_back(request);
    }
    SCOPED_TRACE("round " + std::to_string(round));
    expect_equal(commands_of(issued, served, offers, config.timing),
                 commands_of(whole.commands(), whole.served(), offers, config.timing));
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(MigOracle, TheStateRestsFromTheEdgeThatItSays) {
  Ddr4Config config = traffic.config();
  config.refresh = false;
  MigController controller(config);
  const Nck end = taken_by(controller, traffic.offers(config.map, static_cast<std::size_t>(1 + below(40)))).back();
  const Nck rests = (std::max(controller.rests_from(), end) + kClock - 1) / kClock * kClock;
  EXPECT_LT(rests, end + 200);
  controller.advance_to(rests);
  const std::string state = state_of(controller, rests, 0);
  for (const Nck later : {rests + kClock, rests + 100 * kClock, rests + 100'000 * kClock}) {
    controller.advance_to(later);
    EXPECT_EQ(state_of(controller, later, 0), state) << later;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MigOracle, testing::Range(1, 61));

}  // namespace
}  // namespace weft::memory

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "model/memory/ddr4_controller.h"
#include "tests/support/dram_traffic.h"
#include "tests/support/plain_ddr4_controller.h"

namespace weft::memory {
namespace {

using test::PlainDdr4Controller;

using test::Offer;

class Traffic : public test::DramTraffic {
 public:
  using DramTraffic::DramTraffic;

  // Returns a controller of any size and policy.
  Ddr4Config config() {
    Ddr4Config config = any_device(3);
    const bool small = below(2) != 0;
    config.read_queue = static_cast<int>(small ? 1 + below(6) : 1 + below(Ddr4Config::kMaxQueue));
    config.write_queue = static_cast<int>(small ? 1 + below(6) : 1 + below(Ddr4Config::kMaxQueue));
    config.bank_queue = static_cast<int>(1 + below(small ? 3 : Ddr4Config::kMaxBankQueue));
    config.write_high = static_cast<int>(1 + below(config.write_queue));
    config.write_low = static_cast<int>(below(config.write_high));
    config.row_hit_limit = static_cast<int>(below(3) == 0 ? 1 + below(3) : 1 + below(40));
    return config;
  }

  // Random traffic: streams that advance sequentially, jump between a few rows or jump anywhere, in phases with
  // different shares of writes, numbers of streams and densities of requests.
  std::vector<Offer> offers(std::size_t count) {
    std::vector<Address> streams(8);
    for (Address& stream : streams) stream = below(1 << 28) * 64;
    std::vector<Offer> offers;
    std::int64_t left = 0, taking = 1, writes = 0, pace = 0, jumps = 0;
    while (offers.size() < count) {
      if (left-- == 0) {
        left = 20 + below(300);
        taking = 1 + below(8);
        writes = below(3) == 0 ? 0 : below(101);
        pace = below(3) == 0 ? 30 : below(3);
        jumps = below(3) == 0 ? 70 : below(10);
      }
      Address& stream = streams[static_cast<std::size_t>(below(taking))];
      stream += 64;
      // Another row of the same bank in all maps, or any address.
      if (below(100) < jumps) stream = below(2) != 0 ? stream ^ (1 + below(7)) << kRowBit : below(1 << 28) * 64;
      stream %= Address{1} << 34;
      const Nck after = below(400) == 0 ? below(6000) : below(pace + 1);
      offers.push_back({after, stream, below(100) < writes});
    }
    return offers;
  }
};

using Commands = std::vector<PlainDdr4Controller::Command>;

// Returns the commands of the fast controller, each RD and WR with the request it served.
Commands commands_of(const Ddr4Controller& fast, const std::vector<Offer>& offers, const Ddr4Config& config) {
  Commands commands;
  std::size_t served = 0;
  for (const IssuedCommand& issued : fast.commands()) {
    PlainDdr4Controller::Command command{issued.time, issued.command, issued.bank, 0, -1};
    if (issued.command == Command::activate) command.row = issued.row;
    const bool write = issued.command == Command::write || issued.command == Command::write_ap;
    if (write || issued.command == Command::read || issued.command == Command::read_ap) {
      const Served& request = fast.served().at(served++);
      command.tag = static_cast<int>(request.tag);
      command.row = static_cast<int>(offers[request.tag].address >> kRowBit);
      command.outcome = request.outcome;
      EXPECT_EQ(request.write, write);
      EXPECT_EQ(request.data_end, issued.time + (write ? config.timing.cwl_nck : config.timing.cl_nck) + 4);
    }
    commands.push_back(command);
  }
  EXPECT_EQ(served, fast.served().size());
  return commands;
}

std::string text(const PlainDdr4Controller::Command& command) {
  return std::string(name_of(command.kind)) + " at " + std::to_string(command.time) + ", bank " +
         std::to_string(command.bank) + ", row " + std::to_string(command.row) + ", request " +
         std::to_string(command.tag) + ", outcome " + std::to_string(static_cast<int>(command.outcome));
}

class Oracle : public testing::TestWithParam<int> {};

// The fast controller jumps from event to event; the plain one steps every clock. Both accept the same requests in the
// same clocks and issue the same commands: clock, kind, bank, row and, by the request, column.
TEST_P(Oracle, EveryCommandIsThatOfThePlainController) {
  Traffic traffic(static_cast<std::uint64_t>(GetParam()));
  for (int round = 0; round < 4; ++round) {
    const Ddr4Config config = traffic.config();
    config.validate();
    const std::vector<Offer> offers = traffic.offers(1500);
    Ddr4Controller fast(config);
    fast.record_commands(true);
    PlainDdr4Controller plain(config);
    Nck from = 0;
    bool agree = true;
    for (std::size_t next = 0; next < offers.size() && agree;) {
      const Offer& offer = offers[next];
      if (plain.now() >= from + offer.after) {
        fast.advance_to(plain.now());
        agree = fast.has_room(offer.write) == plain.has_room(offer.write);
        if (agree && plain.has_room(offer.write)) {
          plain.accept(offer.address, offer.write, static_cast<int>(next));
          fast.accept(offer.address, offer.write, static_cast<std::uint32_t>(next));
          from = plain.now() + 1;
          ++next;
        }
      }
      plain.step();
    }
    while (!plain.idle()) plain.step();
    fast.advance_to(plain.now());
    const Commands expected = plain.commands(), made = commands_of(fast, offers, config);
    for (std::size_t i = 0; i < std::min(expected.size(), made.size()); ++i) {
      ASSERT_TRUE(made[i] == expected[i]) << "round " << round << ", command " << i << ": " << text(made[i])
                                          << "; the plain controller: " << text(expected[i]);
    }
    ASSERT_EQ(made.size(), expected.size()) << "round " << round;
    ASSERT_TRUE(agree) << "in which request has room, round " << round;
    EXPECT_TRUE(fast.idle());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Oracle, testing::Range(1, 61));

}  // namespace
}  // namespace weft::memory

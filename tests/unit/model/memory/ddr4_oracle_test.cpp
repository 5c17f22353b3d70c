#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "model/memory/ddr4_controller.h"
#include "model/memory/read_schedules.h"
#include "tests/support/plain_ddr4_controller.h"

namespace weft::memory {
namespace {

using test::PlainDdr4Controller;

struct Offer {
  Nck after;  // minimum of clocks after the acceptance of the one before
  Address address;
  bool write;
};

class Traffic {
 public:
  explicit Traffic(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  // Returns a controller of any size and policy.
  Ddr4Config config() {
    Ddr4Config config;
    config.map = static_cast<AddressMap>(below(3));
    config.auto_precharge_a3 = below(2) != 0;
    config.refresh = below(4) != 0;
    config.timing.refi_nck = static_cast<int>(below(2) != 0 ? 2000 : 900 + below(800));
    const bool small = below(2) != 0;
    config.read_queue = static_cast<int>(small ? 1 + below(6) : 1 + below(Ddr4Config::kMaxQueue));
    config.write_queue = static_cast<int>(small ? 1 + below(6) : 1 + below(Ddr4Config::kMaxQueue));
    config.bank_queue = static_cast<int>(1 + below(small ? 3 : Ddr4Config::kMaxBankQueue));
    config.write_high = static_cast<int>(1 + below(config.write_queue));
    config.write_low = static_cast<int>(below(config.write_high));
    config.row_hit_limit = static_cast<int>(below(3) == 0 ? 1 + below(3) : 1 + below(40));
    if (below(3) == 0) {  // other devices, so that each parameter binds at times
      Ddr4Timing& t = config.timing;
      t.cl_nck = static_cast<int>(9 + below(16));
      t.cwl_nck = static_cast<int>(9 + below(std::min(t.cl_nck - 8, 8)));
      t.rcd_nck = static_cast<int>(9 + below(14));
      t.rp_nck = static_cast<int>(9 + below(14));
      t.ras_nck = static_cast<int>(20 + below(40));
      t.rc_nck = t.ras_nck + t.rp_nck + static_cast<int>(below(2) * below(12));
      t.rrd_s_nck = static_cast<int>(3 + below(6));
      t.rrd_l_nck = t.rrd_s_nck + static_cast<int>(below(5));
      t.faw_nck = static_cast<int>(12 + below(30));
      t.ccd_l_nck = static_cast<int>(4 + below(5));
      t.rtp_nck = static_cast<int>(4 + below(10));
      t.wr_nck = static_cast<int>(8 + below(16));
      t.wtr_s_nck = static_cast<int>(1 + below(6));
      t.wtr_l_nck = t.wtr_s_nck + static_cast<int>(below(8));
      t.turnaround_nck = static_cast<int>(1 + below(4));
      t.rfc_nck = static_cast<int>(100 + below(340));
    }
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

 private:
  std::mt19937_64 random_;
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

// Past and future of a controller: its state and the rest of its run.
using Doings = std::pair<std::string, std::vector<std::int64_t>>;

Doings doings_of(Ddr4Controller controller, Nck now) {
  Doings done;
  for (const Served& served : controller.served()) {
    done.second.insert(done.second.end(),
                       {served.tag, served.write ? 1 : 0, static_cast<int>(served.outcome), served.data_end});
  }
  for (const IssuedCommand& issued : controller.commands()) {
    done.second.insert(done.second.end(), {issued.time, static_cast<int>(issued.command), issued.bank, issued.row});
  }
  done.second.insert(done.second.end(),
                     {controller.refresh_due(), controller.refresh_earlier(), controller.refresh_later(),
                      controller.reads_waiting(), controller.next_action()});
  controller.clear_served();
  Relative state(done.first, false);
  controller.relative(state, now, 0, [](std::uint32_t) { return std::int64_t{0}; });
  return done;
}

// Bursts of reads, some of them too early after another or with too many requests for the fast path, and some writes.
TEST_P(Oracle, FewReadsDoWhatTheyDoOneByOne) {
  constexpr int kBursts = 1500;
  Traffic traffic(static_cast<std::uint64_t>(GetParam()));
  for (int round = 0; round < 4; ++round) {
    const Ddr4Config config = traffic.config();
    config.validate();
    Ddr4Controller one_by_one(config), few(config);
    one_by_one.record_commands(true);
    few.record_commands(true);
    std::vector<Address> streams(4);
    for (Address& stream : streams) stream = traffic.below(1 << 27) * 128;
    Nck now = 0;
    std::uint32_t tag = 0;
    int taken = 0, busy = 0;
    std::int64_t most_gap = 0;
    for (int burst = 0; burst < kBursts; ++burst) {
      if (burst % 50 == 0) most_gap = std::array{4, 40, 80, 400}[static_cast<std::size_t>(traffic.below(4))];
      Address& stream = streams[static_cast<std::size_t>(traffic.below(traffic.below(3) + 2))];
      stream += 784 + (traffic.below(20) == 0 ? Address{1} << kRowBit : 0);
      const auto row = (stream % (Address{1} << 33)) >> kRowBit << kRowBit;
      const int count = static_cast<int>(1 + traffic.below(traffic.below(8) == 0 ? 9 : 3));
      const Address first = row + std::min<Address>(stream % (1 << kRowBit), (1 << kRowBit) - 64 * count) / 64 * 64;
      const bool write = traffic.below(25) == 0;
      const Nck gap = traffic.below(most_gap) + (traffic.below(100) == 0 ? traffic.below(5000) : 0);
      for (Ddr4Controller* controller : {&one_by_one, &few}) {
        controller->clear_served();
        controller->clear_commands();
        controller->set_refresh_due(controller->refresh_due());
      }
      const Nck end = now + count + gap;
      if (!write && few.takes_few(first, count)) {
        ++taken;
        busy += few.idle() ? 0 : 1;
        std::vector<Ddr4Controller::Read> reads;
        for (int i = 0; i < count; ++i) {
          reads.push_back({first + i * 64, tag + static_cast<std::uint32_t>(i)});
          ASSERT_TRUE(one_by_one.has_room(false));
          one_by_one.accept(reads.back().address, false, reads.back().tag);
          one_by_one.advance_to(now + i + 1);
        }
        few.read_few(reads.data(), count, end);
      } else {
        for (int i = 0; i < count; ++i) {
          for (Ddr4Controller* controller : {&one_by_one, &few}) {
            controller->advance_until_room(!write, write, now + 100000);
            controller->accept(first + i * 64, write, tag + static_cast<std::uint32_t>(i));
          }
          now = one_by_one.now();
          ASSERT_EQ(few.now(), now);
          one_by_one.advance_to(now + 1);
          few.advance_to(now + 1);
        }
      }
      tag += static_cast<std::uint32_t>(count);
      now = std::max(end, one_by_one.now());
      one_by_one.advance_to(now);
      few.advance_to(now);
      ASSERT_TRUE(doings_of(few, now) == doings_of(one_by_one, now)) << "round " << round << ", burst " << burst;
    }
    // With bank queues for one request the fast path takes one request at a time.
    EXPECT_GT(taken, config.bank_queue > 2 ? kBursts / 10 : 0);
    EXPECT_TRUE(busy > 0 || config.bank_queue < 4);
  }
}

struct Read {
  Address address;
  Nck edge;
};
struct Bursts {
  std::vector<Read> reads;
  std::vector<ReadBurst> bursts;  // bursts of these reads
};

// Returns up to four bursts of a row from `from` on; mostly the first is unfinished when the last arrives.
Bursts bursts_from(Traffic& traffic, Address row, Nck from) {
  Bursts made;
  constexpr Address kRowBytes = Address{1} << kRowBit;
  Address within = traffic.below(kRowBytes / 64) * 64;
  Nck edge = from;
  for (std::int64_t left = 1 + traffic.below(4); left > 0; --left) {
    const Address count = 1 + traffic.below(3), page = 4096;  // no burst crosses a page
    if ((within + count * 64 - 1) / page != within / page) within += page - within % page;
    made.bursts.push_back({row * kRowBytes + within % kRowBytes, edge, static_cast<int>(count)});
    for (Address i = 0; i < count; ++i, within += 64) {
      made.reads.push_back({row * kRowBytes + within % kRowBytes, edge++});
    }
    edge += traffic.below(2) != 0 ? traffic.below(30) : 12 * traffic.below(3);
    if (within >= 64 && traffic.below(4) == 0) within -= 64;  // the next burst reads the last 64 bytes again
    if (traffic.below(8) == 0) within += traffic.below(64) * 64;
  }
  return made;
}

TEST_P(Oracle, ReadsOfAScheduleDoWhatTheyDoOneByOne) {
  Traffic traffic(static_cast<std::uint64_t>(GetParam()));
  int followed = 0, several = 0, put_off = 0;
  for (int round = 0; round < 4; ++round) {
    const Ddr4Config config = traffic.config();
    Ddr4Controller one_by_one(config), scheduled(config);
    const std::array both{&one_by_one, &scheduled};
    const Nck edges_of_a_beat = traffic.below(15);
    ReadSchedules schedules(edges_of_a_beat);
    Nck now = 0;
    for (int i = 0; i < 1500; ++i) {
      now = std::max({now, one_by_one.now(), scheduled.now()});
      for (Ddr4Controller* controller : both) controller->advance_to(now);
      if (!scheduled.idle() || traffic.below(40) == 0) now += 1000 + traffic.below(2) * traffic.below(40000);
      for (Ddr4Controller* controller : both) {
        controller->advance_to(now);
        controller->clear_served();
        controller->set_refresh_due(controller->refresh_due());
      }
      if (i % 50 == 0) {
        for (Ddr4Controller* controller : both) controller->accept(i * Address{4096}, true, 0);
        now += 60;
        continue;
      }
      const Bursts made = bursts_from(traffic, traffic.below(3), now);
      const Ddr4Controller::Banks found = scheduled.banks_for(made.bursts.front().address);
      ReadSchedules::Known bursts;
      for (int count = 1; count <= static_cast<int>(made.bursts.size()); ++count) {
        bursts = schedules.after(bursts.bursts, scheduled, found, made.bursts.data(), count);
        if (!bursts.holds) break;
      }
      const ReadSchedule* const schedule = bursts.holds ? &schedules.of(bursts.bursts) : nullptr;
      const bool known = schedule && scheduled.follows(*schedule, now);
      put_off += schedule && !known ? 1 : 0;
      const auto take = [&](Ddr4Controller& controller) {
        for (std::size_t read = 0; read < made.reads.size(); ++read) {
          controller.advance_to(made.reads[read].edge);
          controller.advance_until_room(true, false, now + 100000);
          controller.accept(made.reads[read].address, false, static_cast<std::uint32_t>(read));
          controller.advance_to(controller.now() + 1);
        }
      };
      take(one_by_one);
      if (!known) {
        take(scheduled);
        continue;
      }
      ++followed;
      several += made.bursts.size() > 1 ? 1 : 0;
      EXPECT_EQ(bursts.end, schedule->end);
      EXPECT_EQ(bursts.free, schedule->free);
      std::size_t read = 0;
      for (std::size_t run = 0; run < schedule->runs; ++run) {
        EXPECT_EQ(schedule->run[run].edge, schedule->edge[read]);
        const auto late = [&] { return schedule->edge[read] - schedule->run[run].edge; };
        for (int i = 0; i < schedule->run[run].reads; ++i, ++read) EXPECT_LE(late(), i * edges_of_a_beat);
        const bool last = read == made.reads.size();
        EXPECT_TRUE(last || late() > schedule->run[run].reads * edges_of_a_beat);
      }
      EXPECT_EQ(read, made.reads.size());
      if (traffic.below(2) != 0) scheduled.banks_for(traffic.below(3) << kRowBit);  // of another row or the same
      const Nck from = std::exchange(now, now + schedule->end);
      scheduled.follow(*schedule, from, made.reads.front().address);
      scheduled.followed();
      ASSERT_EQ(scheduled.now(), now);
      one_by_one.advance_to(now);
      ASSERT_EQ(one_by_one.served().size(), made.reads.size()) << "round " << round << ", bursts " << i;
      Nck last = made.reads.back().edge;
      std::array<std::uint8_t, 3> outcomes{};
      for (const Served& served : one_by_one.served()) {
        const Nck edge = served.data_end - one_by_one.read_data_nck();
        EXPECT_EQ(from + schedule->edge[served.tag], edge) << "round " << round << ", bursts " << i;
        ++outcomes[static_cast<std::size_t>(served.outcome)];
        last = std::max(last, edge);
      }
      EXPECT_EQ(schedule->outcomes, outcomes);
      EXPECT_EQ(now, last + 1);
      one_by_one.clear_served();
      ASSERT_TRUE(doings_of(scheduled, now) == doings_of(one_by_one, now)) << "round " << round << ", bursts " << i;
      now += traffic.below(3) == 0 ? traffic.below(80) : traffic.below(12);
    }
  }
  EXPECT_GT(followed, 1000);
  EXPECT_GT(several, 200);
  EXPECT_GT(put_off, 200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Oracle, testing::Range(1, 61));

}  // namespace
}  // namespace weft::memory

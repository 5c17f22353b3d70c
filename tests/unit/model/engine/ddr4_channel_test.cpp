#include "model/engine/ddr4_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/model/engine/runs_of.h"

namespace weft::engine {
namespace {

using test::runs_of;

using memory::Ddr4Memory;

constexpr int kChannel = 0;
constexpr int kA = 0, kB = 1, kC = 2, kD = 3;  // two read ports and two write ports
const std::vector<PortDirection> kDirections{PortDirection::Read, PortDirection::Read, PortDirection::Write,
                                             PortDirection::Write};
constexpr std::size_t kPorts = 4;

memory::MemoryConfig config_of(std::mt19937_64& random) {
  memory::MemoryConfig config;
  config.port_channel = {0, 0, 0, 0};
  const std::array<Frequency, 3> clocks{{{100, 1}, {250, 1}, {1000, 3}}};
  config.kernel_clock = clocks[random() % 3];
  config.latency_cycles = static_cast<Cycles>(random() % 20);
  config.ddr4.map = static_cast<memory::AddressMap>(random() % 3);
  config.ddr4.auto_precharge_a3 = random() % 2 == 0;
  return config;
}

// Returns reads of a port, `spacing` cycles apart on average; none crosses a page.
Transfers reads(std::mt19937_64& random, int port, Cycles cycles, Cycles spacing) {
  Transfers transfers;
  transfers.bases.push_back({static_cast<std::uint8_t>(port), 0});
  std::int64_t page = 0;
  for (auto cycle = static_cast<Cycles>(random() % 30); cycle < cycles;
       cycle += 1 + static_cast<Cycles>(random() % static_cast<std::uint64_t>(spacing))) {
    const auto beats = static_cast<std::int64_t>(1 + random() % 16);
    const std::int64_t beat = static_cast<std::int64_t>(random() % (64 - static_cast<std::uint64_t>(beats) + 1));
    page += static_cast<std::int64_t>(random() % 2);
    transfers.events.push_back({static_cast<std::int32_t>(cycle), Transfer::Read, static_cast<std::uint8_t>(port),
                                static_cast<std::uint16_t>(beats), 0, page * 4096 + beat * 64});
  }
  return transfers;
}

// Returns writes of a port, whose beats follow each other.
Transfers writes(std::mt19937_64& random, int port, Cycles cycles, Cycles spacing) {
  Transfers transfers = reads(random, port, cycles, spacing);
  std::vector<Event> sent;
  Cycles next = 0;
  for (Event event : transfers.events) {
    if (event.cycle < next || event.cycle + event.beats >= cycles) continue;
    event.transfer = Transfer::Write;
    sent.push_back(event);
    const std::int32_t first = event.cycle;
    for (std::int32_t i = 0; i < event.beats; ++i) {
      sent.push_back({first + i, Transfer::WriteBeat, event.port, 1, 0, 0});
    }
    next = first + event.beats;
  }
  transfers.events = sent;
  return transfers;
}

struct Seen {
  std::array<std::vector<Cycles>, kPorts> visible;  // read beats and write responses
  std::array<std::array<std::int64_t, 3>, kPorts> rows{};
  memory::Nck refresh_due = 0;
  std::vector<std::array<std::size_t, kPorts>> until;  // their numbers after each interval; not compared
  friend bool operator==(const Seen& a, const Seen& b) {
    return a.visible == b.visible && a.rows == b.rows && a.refresh_due == b.refresh_due;
  }
};

struct Intervals {
  std::vector<RequestTrace> traces;
  std::vector<std::vector<Address>> bases;  // by interval, then by port
  const RequestTrace& trace(std::size_t i) const { return traces[i * i % traces.size()]; }
};

std::size_t memory_ports(const memory::MemoryConfig& config) {
  return config.port_channel.size();
}

// Sends the events one by one to the memory model itself.
Seen simulated(const memory::MemoryConfig& config, const Intervals& intervals) {
  Ddr4Memory memory(config);
  Seen seen;
  Cycles origin = 0;
  for (std::size_t i = 0; i < intervals.bases.size(); ++i) {
    const RequestTrace& trace = intervals.trace(i);
    for (const Event& event : trace.events) {
      const Cycles now = origin + event.cycle;
      if (event.transfer == Transfer::WriteBeat) memory.send_write_beat(event.port, now);
      if (!event.has_address()) continue;
      const Address address = intervals.bases[i][event.base] + event.offset;
      if (event.transfer == Transfer::Read) memory.send_read(event.port, now, address, event.beats);
      if (event.transfer == Transfer::Write) memory.send_write(event.port, now, address, event.beats);
    }
    origin += trace.cycles;
    memory.settle(kChannel, origin);
    for (std::size_t port = 0; port < memory_ports(config); ++port) {
      const auto id = static_cast<int>(port);
      for (Cycles visible; (visible = memory.next_read_beat(id)) != kNever;) {
        memory.take_read_beat(id, visible);
        seen.visible[port].push_back(visible);
      }
      for (Cycles visible; (visible = memory.next_write_response(id)) != kNever;) {
        memory.take_write_response(id, visible);
        seen.visible[port].push_back(visible);
      }
    }
    seen.until.emplace_back();
    for (std::size_t port = 0; port < memory_ports(config); ++port) {
      seen.until.back()[port] = seen.visible[port].size();
    }
  }
  for (std::size_t port = 0; port < memory_ports(config); ++port) {
    const memory::PortStats& stats = memory.returned(static_cast<int>(port)).stats();
    seen.rows[port] = {stats.row_hits, stats.row_misses, stats.row_conflicts};
  }
  seen.refresh_due = memory.controller(kChannel).refresh_due();
  return seen;
}

// Returns the addresses of an interval.
Bases bases_of(const Intervals& intervals, std::size_t i) {
  const std::vector<Address>& bases = intervals.bases[i];
  std::uint64_t spread = 0;
  for (const Address base : bases) spread = mix(spread, static_cast<std::uint64_t>(base - bases.front()));
  return {bases.front(), spread, [&bases](const RequestTrace&, auto& all) { all = bases; }};
}

// A channel without its kernel from cycle 0 on, and its deliveries to its ports.
struct Replaying {
  Replaying(const memory::MemoryConfig& config, std::size_t ports)
      : memory(config),
        channel(config, kChannel, {kDirections.begin(), kDirections.begin() + static_cast<int>(ports)}),
        delivery(ports) {
    memory.settle(kChannel, 0);
    state = channel.enter(memory, 0, 0);
    for (std::size_t port = 0; port < 2; ++port) {
      queue[port].reset(-1);
      delivery[port].read = &queue[port];
    }
  }
  Ddr4Memory memory;
  Ddr4Channel channel;
  ChannelState state;
  std::array<ReturnQueue, 2> queue;
  Delivery delivery;
};

Seen replayed(const memory::MemoryConfig& config, const Intervals& intervals, bool evicts, std::int64_t& steps) {
  const std::size_t ports = memory_ports(config);
  Replaying of(config, ports);
  Cycles origin = 0;
  for (std::size_t i = 0; i < intervals.bases.size(); ++i) {
    const RequestTrace& trace = intervals.trace(i);
    of.channel.replay(of.state, origin, trace, bases_of(intervals, i), of.delivery);
    origin += trace.cycles;
    if (evicts && i % 100 == 99) of.channel.evict_traces();
  }
  Seen seen;
  for (std::size_t port = 0; port < 2; ++port) {
    of.queue[port].for_each([&](Cycles first, std::int64_t count) {
      for (std::int64_t k = 0; k < count; ++k) seen.visible[port].push_back(first + k);
    });
  }
  for (std::size_t port = 0; port < ports; ++port) {
    if (port >= 2) seen.visible[port] = of.delivery[port].answers;
    seen.rows[port] = of.delivery[port].rows;
  }
  seen.refresh_due = of.state.refresh_due;
  steps = of.channel.simulated_steps();
  return seen;
}

// Request traces that recur at the same and at other addresses and distances to the refresh, from the states that
// earlier traces left; sparse, and faster than the ports can take the data.
Intervals intervals_of(std::mt19937_64& random, std::uint64_t seed) {
  const Cycles spacing = seed % 3 == 0 ? 40 : 160;
  Intervals intervals;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    const Cycles cycles = seed % 2 == 0 ? 780 : 400 + static_cast<Cycles>(random() % 500);
    const Transfers a = reads(random, kA, cycles, spacing);
    const Transfers b = reads(random, kB, cycles, 4 * spacing);
    const Transfers c = writes(random, kC, cycles, 4 * spacing);
    const Transfers d = writes(random, kD, cycles, 8 * spacing);
    intervals.traces.push_back(RequestTrace::of(cycles, {&a, &b, &c, &d}, {64, 64, 64, 64}));
    intervals.traces.back().number = number;
  }
  for (int i = 0; i < 300; ++i) {
    const auto place = static_cast<Address>(i / 5 % 4);
    intervals.bases.push_back({place * 16384, (Address{1} << 28) + place * 131072, (Address{1} << 29) + place * 4096,
                               (Address{1} << 30) + place * 262144});
  }
  return intervals;
}

struct Case {
  explicit Case(std::uint64_t seed)
      : random(seed),
        config(config_of(random)),
        intervals(intervals_of(random, seed)),
        expected(simulated(config, intervals)) {}
  std::mt19937_64 random;
  memory::MemoryConfig config;
  Intervals intervals;
  Seen expected;
};

TEST(Ddr4Channel, ReplaysAsTheMemoryModelWhateverTheMemoHolds) {
  std::int64_t steps = 0;
  std::size_t events = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Case c(seed);
    for (std::size_t i = 0; i < c.intervals.bases.size(); ++i) events += c.intervals.trace(i).events.size();
    std::int64_t of_these = 0;
    EXPECT_TRUE(replayed(c.config, c.intervals, seed % 2 == 1, of_these) == c.expected) << "seed " << seed;
    steps += of_these;
  }
  EXPECT_LT(steps, static_cast<std::int64_t>(events / 2));
}

// Schedule of a port: a beat every few cycles of a request trace, about as many as arrive, beginning with cycle `late`.
ConsumptionSchedule schedule_of(std::mt19937_64& random, const RequestTrace& trace, int port, Cycles late) {
  std::int64_t beats = 0;
  for (const Event& event : trace.events) {
    if (event.transfer == Transfer::Read && event.port == port) beats += event.beats;
  }
  std::vector<engine::Run> runs;
  for (std::int64_t k = 0; k < beats; ++k) {
    const Cycles cycle = std::min(late + k * (trace.cycles - late) / beats, trace.cycles - beats + k);
    append(runs, std::max(cycle, runs.empty() ? Cycles{0} : runs.back().first + runs.back().count), 1);
  }
  return ConsumptionSchedule(std::move(runs), trace.cycles, random() % 2 == 0);
}

// Each request trace is taken in two ways that alternate every few intervals, so that a memo entry is met again by
// schedules for which it was recorded and by others, with more and with fewer beats before it. The beats in time and
// the beats left must equal those of the memory's own run.
TEST(Ddr4Channel, ReturnsToAScheduleTheSameBeatsHoweverFewRunsASummaryKeeps) {
  int in_time = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case c(seed);
    std::mt19937_64& random = c.random;
    const Intervals& intervals = c.intervals;
    const Seen& expected = c.expected;
    std::vector<ConsumptionSchedule> schedule;  // of trace t, port p, way w: 4 * t + 2 * p + w
    for (const RequestTrace& trace : intervals.traces) {
      for (const int port : {kA, kB}) {
        for (const Cycles latest : {Cycles{20}, trace.cycles / 2}) {
          schedule.push_back(schedule_of(random, trace, port, latest));
          schedule.back().number = static_cast<std::uint32_t>(schedule.size());
        }
      }
    }
    Replaying of(c.config, kPorts);
    std::array<ReturnQueue, 2> own;  // beats one by one
    for (ReturnQueue& each : own) each.reset(-1);
    Cycles origin = 0;
    for (std::size_t i = 0; i < intervals.bases.size(); ++i) {
      const RequestTrace& trace = intervals.trace(i);
      for (std::size_t port = 0; port < 2; ++port) {
        const std::size_t way = i / 37 % 2;
        if (random() % 8 == 0) {  // the waiting beats are taken
          for (ReturnQueue* each : {&own[port], &of.queue[port]}) each->take(each->size());
        }
        if (random() % 8 == 0) {  // other beats are under way, which may delay those of the trace
          const auto more = static_cast<std::int64_t>(1 + random() % 100);
          for (ReturnQueue* each : {&own[port], &of.queue[port]})
            each->push(origin + static_cast<Cycles>(i % 9) - 5, more);
        }
        of.delivery[port].schedule = &schedule[4 * static_cast<std::size_t>(trace.number - 1) + 2 * port + way];
        for (std::size_t k = i == 0 ? 0 : expected.until[i - 1][port]; k < expected.until[i][port]; ++k) {
          own[port].push(expected.visible[port][k], 1);
        }
      }
      of.channel.replay(of.state, origin, trace, bases_of(intervals, i), of.delivery);
      for (std::size_t port = 0; port < 2; ++port) {
        const ConsumptionSchedule& by = *of.delivery[port].schedule;
        const bool expected_in_time = own[port].in_time(origin, by);
        ASSERT_EQ(of.queue[port].in_time(origin, by), expected_in_time) << "interval " << i << ", port " << port;
        ++(expected_in_time ? in_time : late);
        if (expected_in_time) {
          own[port].take(by.taken());
          of.queue[port].take(by.taken());
          ASSERT_EQ(runs_of(of.queue[port]), runs_of(own[port])) << "interval " << i << ", port " << port;
          ASSERT_EQ(of.queue[port].last(), own[port].last());
        } else {
          own[port].take(own[port].size() - std::min<std::int64_t>(own[port].size(), 40));
          of.queue[port] = own[port];  // the replayed beats are undone, and the run goes on otherwise
        }
      }
      origin += trace.cycles;
    }
    for (std::size_t port = 0; port < kPorts; ++port) {
      EXPECT_EQ(of.delivery[port].rows, expected.rows[port]);
      if (port < 2) continue;
      EXPECT_EQ(of.delivery[port].answers, expected.visible[port]);
    }
    EXPECT_EQ(of.state.refresh_due, expected.refresh_due);
  }
  EXPECT_GT(in_time, 2000);
  EXPECT_GT(late, 200);
}

// 16 beats every 16 cycles keep the port busy in every cycle, so that data arrive in runs of thousands of beats.
TEST(Ddr4Channel, KeepsRunsOfThousandsOfBeats) {
  memory::MemoryConfig config;
  config.port_channel = {0, 1, 1};
  config.channels = 2;
  config.ddr4.refresh = false;
  Transfers transfers;
  transfers.bases.push_back({kA, 0});
  for (std::int32_t cycle = 0; cycle < 12000; cycle += 16) {
    transfers.events.push_back({cycle, Transfer::Read, 0, 16, 0, std::int64_t{cycle} * 64});
  }
  Intervals intervals;
  intervals.traces.push_back(RequestTrace::of(12000, {&transfers}, {64, 64, 64, 64}));
  intervals.traces.back().number = 1;
  for (int i = 0; i < 4; ++i) intervals.bases.push_back({i / 2 * 16384});
  std::int64_t steps = 0;
  const Seen expected = simulated(config, intervals);
  EXPECT_TRUE(replayed(config, intervals, false, steps) == expected);
  EXPECT_GE(expected.visible[0].size(), 4U * 12000U);
}

}  // namespace
}  // namespace weft::engine

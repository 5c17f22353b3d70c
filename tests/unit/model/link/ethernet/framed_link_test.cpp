#include "model/link/ethernet/framed_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "tests/support/texts.h"

namespace weft::ethernet {
namespace {

FramedConfig small(Flow flow) {
  FramedConfig config;
  config.byte_ps = 1;
  config.payload = 10;
  config.overhead = 3;
  config.latency_ps = 5;
  config.receive_bytes = 20;
  config.flow = flow;
  return config;
}

// A full frame is 13 bytes on the wire and has 5 ps of latency; the last, of 4 bytes, arrives 7 ps after the second.
TEST(FramedLink, SendsFramesOneAfterAnother) {
  FramedConfig config = small(Flow::None);
  config.receive_bytes = 24;
  FramedLink link("l", config);
  link.push(100, 24, 0, true);
  std::vector<Ticks> arrivals;
  while (link.next() != kNoEvent) {
    const Ticks at = link.next();
    const Bytes before = link.available();
    link.advance(at);
    if (link.available() != before) arrivals.push_back(at);
  }
  EXPECT_EQ(arrivals, (std::vector<Ticks>{118, 131, 138}));
  EXPECT_EQ(std::tuple(link.counts().busy, link.counts().send_high_water, link.counts().receive_high_water),
            std::tuple(33, 24, 24));
}

TEST(FramedLink, KeepsAPartialFrameWhereNothingFlushesIt) {
  FramedConfig config = small(Flow::Credit);
  config.flush = false;
  FramedLink link("l", config);
  link.push(0, 14, 0, true);
  link.advance(1000);
  EXPECT_EQ(link.available(), 10);
  link.push(1000, 6, 1, true);
  link.advance(2000);
  EXPECT_EQ(link.available(), 20);
}

// The receiver has room for two frames. It takes at 200; the credit is back at 205, and the third frame arrives at 205
// + 13 + 5.
TEST(FramedLink, WithCreditWaitsUntilTheReceiverTook) {
  FramedLink link("l", small(Flow::Credit));
  link.push(0, 30, 0, true);
  link.advance(199);
  EXPECT_EQ(link.available(), 20);
  EXPECT_EQ(link.next(), kNoEvent);
  link.take(200, 10);
  link.advance(222);
  EXPECT_EQ(link.available(), 10);
  link.advance(223);
  EXPECT_EQ(link.available(), 20);
  EXPECT_EQ(link.counts().without_credit, 205 - 26);
}

TEST(FramedLink, WithoutFlowControlNamesLinkFifoAndImageWhenItOverflows) {
  FramedLink link("board0 to board1", small(Flow::None));
  link.push(0, 20, 6, true);
  link.push(0, 10, 7, true);
  const std::string message = test::message_of([&] { link.advance(1000); });
  for (const char* part : {"board0 to board1", "receive FIFO of 20 bytes", "image 7"}) {
    EXPECT_TRUE(test::has(message, part));
  }
}

// Oracle that checks every tick and has no events.
struct Stepped {
  FramedConfig config;
  std::vector<std::pair<Ticks, Bytes>> wire, credits;
  std::vector<Bytes> queue;
  Bytes open = 0, credit = config.receive_bytes, received = 0;
  Ticks free = 0;
  LinkCounts counts{};

  void depart(Ticks t) {
    if (queue.empty() || free > t || (config.flow == Flow::Credit && credit < queue.front())) return;
    const Bytes bytes = queue.front();
    queue.erase(queue.begin());
    free = t + bytes + config.overhead;
    credit -= bytes;
    wire.emplace_back(free + config.latency_ps, bytes);
    counts.sent += bytes;
    ++counts.frames_sent;
    counts.busy += bytes + config.overhead;
  }
  void tick(Ticks t, Bytes pushed, bool last, Bytes taken) {
    for (const auto& [time, bytes] : wire) {
      if (time != t) continue;
      received += bytes;
      counts.received += bytes;
      ++counts.frames_received;
    }
    counts.receive_high_water = std::max(counts.receive_high_water, received);
    for (const auto& [time, bytes] : credits) credit += time == t ? bytes : 0;
    depart(t);
    for (Bytes i = 0; i < pushed; ++i) {
      if (++open == config.payload) queue.push_back(open), open = 0;
    }
    if (last && open > 0) queue.push_back(open), open = 0;
    counts.pushed += pushed;
    Bytes waiting = open;
    for (const Bytes bytes : queue) waiting += bytes;
    counts.send_high_water = std::max(counts.send_high_water, pushed > 0 ? waiting : 0);
    taken = std::min(taken, received);
    received -= taken;
    counts.taken += taken;
    if (taken > 0) credits.emplace_back(t + config.latency_ps, taken);
    depart(t);
  }
};

void expect_equal(const LinkCounts& a, const LinkCounts& b) {
  EXPECT_EQ(std::tuple(a.pushed, a.sent, a.received, a.taken), std::tuple(b.pushed, b.sent, b.received, b.taken));
  EXPECT_EQ(std::tuple(a.frames_sent, a.frames_received, a.send_high_water, a.receive_high_water, a.busy),
            std::tuple(b.frames_sent, b.frames_received, b.send_high_water, b.receive_high_water, b.busy));
}

TEST(FramedLink, IsAnOracleThatLooksAtEveryTick) {
  std::mt19937 random(1);
  const auto in = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
  };
  for (int i = 0; i < 300; ++i) {
    FramedConfig config = small(i % 2 ? Flow::Credit : Flow::None);
    config.payload = in(1, 12);
    config.overhead = in(0, 5);
    config.latency_ps = in(1, 9);
    config.receive_bytes = config.flow == Flow::None ? 100'000 : config.payload + in(0, 20);
    FramedLink link("l", config);
    Stepped oracle{config, {}, {}, {}};
    for (Ticks t = 0; t < 300; ++t) {
      const Bytes pushed = in(0, 3) ? 0 : in(1, 20);
      const bool last = in(0, 4) == 0;
      const Bytes taken = in(0, 5) ? 0 : in(1, 15);
      oracle.tick(t, pushed, last && pushed > 0, taken);
      // The link gets no other call in between.
      if (pushed > 0) link.push(t, pushed, 0, last);
      if (taken > 0) {
        link.advance(t);
        if (const Bytes bytes = std::min(taken, link.available()); bytes > 0) link.take(t, bytes);
      }
    }
    link.advance(299);
    expect_equal(link.counts(), oracle.counts);
    if (HasFailure()) FAIL() << "case " << i;
    // No byte is lost: all pushed bytes are delivered after a flush.
    link.push(300, 1, 0, true);
    while (link.next() != kNoEvent || link.available() > 0) {
      const Ticks at = link.next() == kNoEvent ? 100'000 : link.next();
      link.advance(at);
      if (link.available() > 0) link.take(at, link.available());
    }
    EXPECT_EQ(link.counts().taken, link.counts().pushed);
    EXPECT_EQ(link.counts().frames_sent, link.counts().frames_received);
  }
}

double gbps(Rational mbps, Bytes payload) {
  EthernetRates rates;
  rates.mbps = mbps;
  FramedConfig config = ethernet(rates);
  config.payload = payload;
  return boost::rational_cast<double>(config.goodput_mbps()) / 1000;
}

// P / (P + 66): measured at 100G on a U280: 49.2, 88.6 and 95.7 Gb/s; for 40G the formula gives 38.3.
TEST(FramedConfig, HasTheGoodputsOfUdpOverEthernet) {
  EXPECT_NEAR(gbps(100000, 64), 49.2, .05);
  EXPECT_NEAR(gbps(100000, 512), 88.6, .05);
  EXPECT_NEAR(gbps(100000, 1472), 95.7, .05);
  EXPECT_NEAR(gbps(40000, 1472), 38.3, .05);
  EXPECT_NEAR(gbps(10000, 1472), 9.57, .005);
}

// Round trip without serialisation: 1.07 us direct, 2.76 us (rounded) through one switch.
TEST(FramedConfig, HasTheRoundTripsOfUdpOverEthernet) {
  EthernetRates rates;
  EXPECT_EQ(2 * ethernet(rates).latency_ps, 1'070'000);
  rates.switches = 1;
  EXPECT_NEAR(static_cast<double>(2 * ethernet(rates).latency_ps), 2'760'000, 5000);
}

// 10 Gb/s, 64 of 66 bits, 31 of 32 cycles: 9.3939... Gb/s; a byte takes 8/10 * 66/64 * 32/31 ns = 26400/31 ps.
// 55 user clocks are 55 * 6.6 ns.
TEST(FramedConfig, OfSerialLanesPaysForEncodingPausesAndSeparators) {
  const FramedConfig one = serial({});
  EXPECT_EQ(one.byte_ps, Rational(26400, 31));
  EXPECT_EQ(one.overhead, 8);
  EXPECT_EQ(one.latency_ps, 363'000);
  SerialRates six;
  six.lanes = 6;
  EXPECT_EQ(serial(six).byte_ps, Rational(4400, 31));
  EXPECT_EQ(serial(six).goodput_mbps(), 6 * one.goodput_mbps());
}

TEST(FramedConfig, RefusesWhatNoLinkIs) {
  EthernetRates rates;
  rates.mbps = 0;
  EXPECT_THROW(ethernet(rates), Error);
  SerialRates lanes;
  lanes.lanes = 0;
  EXPECT_THROW(serial(lanes), Error);
  FramedConfig config;
  config.validate();
  config.payload = 65508;
  EXPECT_THROW(config.validate(), Error);
  config.payload = 1472;
  config.receive_bytes = 1471;  // too small for a frame
  EXPECT_THROW(config.validate(), Error);
}

}  // namespace
}  // namespace weft::ethernet

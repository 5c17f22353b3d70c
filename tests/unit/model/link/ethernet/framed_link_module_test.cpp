#include "model/link/ethernet/framed_link_module.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/texts.h"

namespace weft::ethernet {
namespace {

using Log = std::vector<std::pair<Picoseconds, Bytes>>;

// Pushes 700 bytes every 30 ns, the last of an image every fifth time; takes all available bytes every 200 ns.
constexpr int kPushes = 200;
constexpr Picoseconds kPush = 30'000, kTake = 200'000, kEnd = 30 * kPush * kPushes;

FramedConfig config() {
  EthernetRates rates;
  rates.mbps = 40000;
  FramedConfig config = ethernet(rates);
  config.receive_bytes = 6000;
  return config;
}

class Driver : public sc_core::sc_module {
 public:
  Driver(const sc_core::sc_module_name& name, FramedLinkModule& link) : sc_module(name), link_(link) {
    SC_HAS_PROCESS(Driver);
    SC_THREAD(push);
    SC_THREAD(take);
    SC_METHOD(note);
    sensitive << link.arrived();
    dont_initialize();
  }
  Log log;

 private:
  void push() {
    for (int i = 0; i < kPushes; ++i) {
      link_.push(700, i / 5, i % 5 == 4);
      wait(static_cast<double>(kPush), sc_core::SC_PS);
    }
  }
  void take() {
    // Off the pushes' grid, so that no two processes of the driver act at the same time.
    wait(7, sc_core::SC_PS);
    while (true) {
      if (link_.available() > 0) link_.take(link_.available());
      wait(static_cast<double>(kTake), sc_core::SC_PS);
    }
  }
  void note() {
    log.emplace_back(static_cast<Picoseconds>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS)),
                     link_.available());
  }

  FramedLinkModule& link_;
};

TEST(FramedLinkModule, HasTheTimesOfTheLinkItHosts) {
  FramedLinkModule module("link", config());
  Driver driver("driver", module);
  sc_core::sc_start(static_cast<double>(kEnd), sc_core::SC_PS);

  FramedLink link("link", config());
  Log log;
  const auto until = [&](Ticks now) {
    for (Ticks at = link.next(); at <= now; at = link.next()) {
      const auto before = link.counts().frames_received;
      link.advance(at);
      if (link.counts().frames_received != before) log.emplace_back(at, link.available());
    }
  };
  Ticks push = 0, take = 7;
  for (int i = 0; take <= kEnd;) {
    if (i < kPushes && push <= take) {
      until(push);
      link.push(push, 700, i / 5, i % 5 == 4);
      ++i;
      push += kPush;
    } else {
      until(take);
      if (link.available() > 0) link.take(take, link.available());
      take += kTake;
    }
  }
  EXPECT_NO_THROW(module.check());
  EXPECT_EQ(driver.log, log);
  EXPECT_EQ(module.counts().taken, 700 * kPushes);
  EXPECT_EQ(module.counts().taken, link.counts().taken);
  EXPECT_EQ(module.counts().receive_high_water, link.counts().receive_high_water);
  EXPECT_EQ(module.counts().without_credit, link.counts().without_credit);
  EXPECT_GT(module.counts().without_credit, 0);
}

// Frames of 600 bytes last 133.2 ns and arrive 535 ns later: at 668.2, 801.4 and 934.6 ns. The first is taken at 800,
// the second is still there when the third arrives, whose first byte, 1200, was pushed with image 0.
TEST(FramedLinkModule, PausesWhereTheReceiverRunsOverAndSaysWhatRan) {
  FramedConfig plain = config();
  plain.flow = Flow::None;
  plain.payload = 600;
  plain.receive_bytes = 1000;
  FramedLinkModule module("link", plain);
  const Driver driver("driver", module);
  sc_core::sc_start(static_cast<double>(kEnd), sc_core::SC_PS);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(934'600, sc_core::SC_PS));
  EXPECT_EQ(test::message_of([&] { module.check(); }),
            "link link: the receive FIFO of 1000 bytes holds 600 when a frame of 600 bytes of image 0 arrives, "
            "and plain UDP can neither delay nor resend the frame: use flow: credit, a deeper FIFO or a slower "
            "source");
  // Later pushes have no effect.
  const Bytes pushed = module.counts().pushed;
  module.push(100, 0, false);
  EXPECT_EQ(module.counts().pushed, pushed);
}

}  // namespace
}  // namespace weft::ethernet

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "model/link/ethernet/framed_link.h"

namespace weft::ethernet {
namespace {

double gbps(Rational mbps, Bytes payload) {
  EthernetRates rates;
  rates.mbps = mbps;
  FramedConfig config = ethernet(rates);
  config.payload = payload;
  return boost::rational_cast<double>(config.goodput_mbps()) / 1000;
}

// P / (P + 66): measured at 100G on a U280 are 49.2, 88.6 and 95.7 Gb/s; 40G computes to 38.3.
TEST(FramedConfig, HasTheGoodputsOfUdpOverEthernet) {
  EXPECT_NEAR(gbps(100000, 64), 49.2, .05);
  EXPECT_NEAR(gbps(100000, 512), 88.6, .05);
  EXPECT_NEAR(gbps(100000, 1472), 95.7, .05);
  EXPECT_NEAR(gbps(40000, 1472), 38.3, .05);
  EXPECT_NEAR(gbps(10000, 1472), 9.57, .005);
}

// There and back, serialisation apart: 1.07 us direct, 2.76 us through one switch, which is rounded.
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
  config.receive_bytes = 1471;  // no frame would ever fit
  EXPECT_THROW(config.validate(), Error);
}

}  // namespace
}  // namespace weft::ethernet

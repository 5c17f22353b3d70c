#include "model/link/pcie_config.h"

#include <gtest/gtest.h>

#include "model/link/wire.h"
#include "tests/support/texts.h"
#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

// PCI Express base specification 5.0, tables 3-7 (2.5 GT/s), 3-8 (5 GT/s) and 3-9 (8 GT/s).
TEST(DllpInterval, IsTheTableOfTheSpecification) {
  EXPECT_EQ(dllp_interval_bytes(1, 1, 128), 237);
  EXPECT_EQ(dllp_interval_bytes(1, 8, 512), 86);
  EXPECT_EQ(dllp_interval_bytes(1, 16, 256), 72);
  EXPECT_EQ(dllp_interval_bytes(2, 4, 128), 124);
  EXPECT_EQ(dllp_interval_bytes(2, 32, 1024), 135);
  EXPECT_EQ(dllp_interval_bytes(3, 1, 4096), 4239);
  EXPECT_EQ(dllp_interval_bytes(3, 4, 256), 214);
  EXPECT_EQ(dllp_interval_bytes(3, 8, 256), 203);
  EXPECT_EQ(dllp_interval_bytes(3, 16, 128), 144);
  EXPECT_EQ(dllp_interval_bytes(3, 16, 256), 168);
  EXPECT_EQ(dllp_interval_bytes(3, 16, 512), 182);
  EXPECT_EQ(dllp_interval_bytes(4, 16, 256), 168);
}

TEST(WireTime, IsExact) {
  // 8 GT/s x 16 lanes x 128/130: 8125/128 ps a byte; SKP takes 4 of 1538 symbol times: 769/767 of that. 13 cancels.
  PcieConfig c;
  EXPECT_EQ(WireTime(c).per_ps, 128 * 767 / 13);
  EXPECT_EQ(WireTime(c).byte, 8125 / 13 * 769);
  c.skp_symbols = 0;
  EXPECT_EQ(WireTime(c).per_ps, 128);
  EXPECT_EQ(WireTime(c).byte, 8125);
  c.lanes = 12;  // 8125/96
  EXPECT_EQ(WireTime(c).per_ps, 96);
  EXPECT_EQ(WireTime(c).byte, 8125);
  c.generation = 2;  // 5 GT/s, 8b/10b: 2000 ps a byte and lane
  EXPECT_EQ(WireTime(c).per_ps, 3);
  EXPECT_EQ(WireTime(c).byte, 500);
  EXPECT_EQ(WireTime(hand_link()).per_ps, 1);
  EXPECT_EQ(WireTime(hand_link()).byte, 1000);
}

void expect_refused(const PcieConfig& config, const std::string& message) {
  EXPECT_EQ(test::message_of([&] { config.validate(); }), message);
}

TEST(PcieConfig, RefusesWhatCannotBeNamingTheField) {
  hand_link().validate();
  PcieConfig c;
  c.generation = 6;
  expect_refused(c, "pcie.generation: must be between 1 and 5, but is 6");
  c = {};
  c.lanes = 3;
  expect_refused(c, "pcie.lanes: must be one of 1, 2, 4, 8, 12, 16, 32, but is 3");
  c = {};
  c.dllp_interval_bytes = 16;
  expect_refused(c, "pcie.dllp_interval_bytes: must be between 17 and 65536, but is 16");
  c = {};
  c.posted.data = 15;
  expect_refused(c,
                 "pcie.posted_credits.data: must be 0 (no limit) or at least the 16 of a full payload, but is "
                 "15");
  c = {};
  c.dma.buffer_bytes = 511;
  expect_refused(c, "pcie.dma.buffer_bytes: must be between 512 and 1073741824, but is 511");
  c = {};
  c.dma.host_page_bytes = 12288;
  expect_refused(c, "pcie.dma.host_page_bytes: must be a power of two of at least 4096, but is 12288");
  c = {};
  c.dma.descriptors_per_fetch = 129;
  expect_refused(c, "pcie.dma.descriptors_per_fetch: must be between 1 and 128, but is 129");
  c = {};
  c.read_round_trip_ps = -1;
  expect_refused(c, "pcie.read_round_trip: must be between 0 and 1000000000, but is -1");
}

}  // namespace
}  // namespace weft::link

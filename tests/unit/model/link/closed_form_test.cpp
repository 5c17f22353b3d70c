#include "model/link/closed_form.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

TEST(ClosedForm, IsTheWireWhereNothingElseBinds) {
  // C2H: 256 of 280 bytes of TLPs, 152 of 168 with DLLPs, 1534 of 1538 with SKP, of 15.754 GB/s; and 48 bytes of read
  // requests with every 131072 of data, for their descriptors.
  const double raw = 16 * 8e9 / 8 * 128 / 130, share = 152.0 / 168 * 1534 / 1538;
  EXPECT_NEAR(closed_form(PcieConfig(), Direction::CardToHost).bytes_per_s, raw * share * 131072 / (512 * 280 + 48), 1);
  PcieConfig c;
  c.dma.tags = 1000;
  // H2C: 512 in 552 bytes, and a block of 1024 bytes of descriptors in four completions.
  const ClosedForm h2c = closed_form(c, Direction::HostToCard);
  EXPECT_NEAR(h2c.bytes_per_s, raw * share * 131072 / (256 * 552 + 1024 + 80), 1);
  EXPECT_EQ(h2c.bound, Bound::Wire);
}

TEST(ClosedForm, IsAllTagsInARoundTripWhereTheyBind) {
  PcieConfig c;
  c.read_round_trip_ps = 2'000'000;
  const ClosedForm h2c = closed_form(c, Direction::HostToCard);
  EXPECT_EQ(h2c.bound, Bound::Tags);
  const double byte = 8125.0 / 128 * 769 / 767;  // ps; a loop: MRd, round trip, two CplDs and the DLLPs between them
  EXPECT_NEAR(h2c.bytes_per_s, 32 * 512 * 1e12 / (2e6 + byte * (24 + 552 + 276 * 16.0 / 152)), 1);
}

TEST(ClosedForm, IsWithinATenthOfAPercentOfLongTransfers) {
  RandomLink random(3);
  int ties = 0;
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    PcieConfig config = random.usual();
    if (config.dma.host_page_bytes > 4096 && i % 10 > 0) config.dma.host_page_bytes = 4096;  // for the test's own time
    const Direction direction = random.direction();
    const Bytes bytes = (Bytes{1} << 30) + random.below(Bytes{1} << 33);
    const ExactTime end = simulate(config, direction, random.host_address(), bytes, Stepping::Skip).end;
    const double simulated = static_cast<double>(end.ticks) / static_cast<double>(end.ticks_per_ps) * 1e-12;
    const ClosedForm form = closed_form(config, direction);
    const double error = form.seconds(bytes) / simulated - 1;
    const bool tie = form.margin < 1.05;
    ties += tie;
    ASSERT_LT(std::abs(error), tie ? 0.007 : 0.001)
        << fmt::format("try {}: gen {} x{}, MPS {}, MRRS {}, tags {}, {} bytes, {}, margin {}", i, config.generation,
                       config.lanes, config.max_payload_bytes, config.max_read_request_bytes, config.dma.tags, bytes,
                       to_string(form.bound), form.margin);
  }
  EXPECT_LT(ties, kTries / 5);
}

}  // namespace
}  // namespace weft::link

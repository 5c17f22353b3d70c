#include "model/link/link.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "model/core/error.h"
#include "model/link/closed_form.h"
#include "model/link/pcie_config.h"
#include "model/link/wire.h"
#include "tests/support/texts.h"
#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

void expect_equal(const Transfer& skipped, const Transfer& full) {
  ASSERT_EQ(std::tuple(skipped.end.ticks, skipped.first.ticks, skipped.ticks, skipped.bound),
            std::tuple(full.end.ticks, full.first.ticks, full.ticks, full.bound));
  const TlpCounts &a = skipped.count, &b = full.count;
  ASSERT_EQ(std::tuple(a.reads, a.completions, a.writes, a.descriptor_reads, a.descriptor_completions),
            std::tuple(b.reads, b.completions, b.writes, b.descriptor_reads, b.descriptor_completions));
  ASSERT_EQ(std::tuple(a.upstream_dllps, a.downstream_dllps, a.upstream_bytes, a.downstream_bytes),
            std::tuple(b.upstream_dllps, b.downstream_dllps, b.upstream_bytes, b.downstream_bytes));
}

void compare(RandomLink& random, Bytes most) {
  const PcieConfig config = random.any();
  config.validate();
  const Direction direction = random.direction();
  const Address host_address = random.host_address();
  const Bytes bytes = random.below(most + 1);
  expect_equal(simulate(config, direction, host_address, bytes, Stepping::Skip),
               simulate(config, direction, host_address, bytes, Stepping::Full));
}

// WEFT_LINK_CAMPAIGN=N: N further random transfers of up to 64 MB.
TEST(Link, SkippingEqualsSteppingExactly) {
  RandomLink random(1);
  for (int i = 0; i < 300; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 2 << 20)) << "try " << i;
  for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 64 << 20)) << "large try " << i;
  const char* const campaign = std::getenv("WEFT_LINK_CAMPAIGN");
  const int more = campaign ? std::stoi(campaign) : 0;
  for (int i = 0; i < more; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 64 << 20)) << "campaign try " << i;
}

// Later transfers continue from the point where an earlier one was found to repeat, if they are long enough: sizes
// around the ends of blocks of descriptors, from few of them to many.
TEST(Link, TransfersThatBeginAlikeEqualSteppingExactly) {
  RandomLink random(2);
  for (int i = 0; i < 120; ++i) {
    SCOPED_TRACE("try " + std::to_string(i));
    PcieConfig config = random.any();
    if (i % 4 != 0) config.dma.host_page_bytes = 4096;
    config.validate();
    Link link(config);
    const Direction direction = random.direction();
    const Address host_address = random.host_address();
    const Bytes block = config.dma.host_page_bytes * config.dma.descriptors_per_fetch;
    for (int j = 0; j < 12; ++j) {
      const Bytes blocks =
          j == 0 && i % 2 == 0 ? (4 << 20) : random.below((2 << 20) / std::min<Bytes>(block, 1 << 20) + 1) * block;
      const Bytes beyond = random.one_of<Bytes>({0, 1, random.below(config.dma.host_page_bytes), random.below(block)});
      const Bytes bytes =
          std::min<Bytes>(random.below(2) == 0 ? blocks + beyond : std::max<Bytes>(blocks - beyond, 0), 4 << 20);
      ASSERT_NO_FATAL_FAILURE(expect_equal(link.transfer(direction, host_address, bytes),
                                           simulate(config, direction, host_address, bytes, Stepping::Full)))
          << bytes << " bytes";
    }
  }
}

TEST(Link, EqualTransfersTakeEqualTimeWhereverTheirPageLies) {
  Link link(hand_link());
  const Transfer& first = link.transfer(Direction::HostToCard, 100, 5000);
  EXPECT_EQ(&link.transfer(Direction::HostToCard, 4096 * 7 + 100, 5000), &first);
  EXPECT_NE(&link.transfer(Direction::CardToHost, 100, 5000), &first);
  EXPECT_NE(&link.transfer(Direction::HostToCard, 104, 5000), &first);
}

TEST(Link, RefusesSizesThatCannotBe) {
  Link link(hand_link());
  const auto refused = [&](Address address, Bytes bytes, const std::string& message) {
    EXPECT_EQ(test::message_of([&] { link.transfer(Direction::HostToCard, address, bytes); }), message);
  };
  refused(0, -1, "a transfer must be of 0 to 1099511627776 bytes, but is of -1");
  refused(0, kMaxTransfer + 1, "a transfer must be of 0 to 1099511627776 bytes, but is of 1099511627777");
  refused(-4, 8, "a host address must not be negative, but is -4");
}

TEST(Link, RefusesATransferThatTakesLongerThanCanBeCounted) {
  PcieConfig config;  // 7552 ticks per picosecond: 2^62 are 10 minutes; 2^23 round trips of 1 ms are more
  config.dma.tags = 1;
  config.max_read_request_bytes = 128;
  config.read_round_trip_ps = 1'000'000'000;
  EXPECT_THROW(simulate(config, Direction::HostToCard, 0, Bytes{1} << 30, Stepping::Skip), Error);
}

TEST(Link, ACallIsRoundedUpOnce) {
  // 1 + 1/3 ps of transfer; 7 bytes at 3 TB/s would be 2 + 1/3 ps more, at 0.26 TB/s (the most) 26 + 12/13.
  const ExactTime third{4, 3};
  CallCost cost;
  cost.setup_ps = 1000;
  EXPECT_EQ(call_time(third, Direction::HostToCard, 7, cost, false), 1002);
  cost.copy_to_card_bytes_per_s = 260'000'000'000;
  EXPECT_EQ(call_time(third, Direction::HostToCard, 7, cost, false), 1002);
  EXPECT_EQ(call_time(third, Direction::HostToCard, 7, cost, true), 1029);    // 1.333 + 26.923 = 28.256
  EXPECT_EQ(call_time({2, 3}, Direction::HostToCard, 7, cost, true), 1028);   // 0.667 + 26.923 = 27.590
  EXPECT_EQ(call_time({1, 13}, Direction::HostToCard, 7, cost, true), 1027);  // 1/13 + 26 12/13 = 27
  EXPECT_EQ(call_time(third, Direction::CardToHost, 7, cost, true), 1002);
  EXPECT_EQ(call_time({0, 1}, Direction::HostToCard, 0, cost, true), 1000);
  cost.copy_to_card_bytes_per_s = kMaxCopyRate + 1;
  EXPECT_THROW(call_time(third, Direction::HostToCard, 7, cost, true), Error);
  // Largest values of all parameters: 2^40 bytes at 2^38 bytes/s are 4 s.
  cost.copy_to_card_bytes_per_s = kMaxCopyRate;
  EXPECT_EQ(call_time({5, 1 << 23}, Direction::HostToCard, kMaxTransfer, cost, true), 4'000'000'001'001);
}

TEST(Link, ATransferOfATrainingIterationTakesNoTime) {
  // 15.4 GB: stepped, some 60 million TLPs; with skipping, those of a few hundred blocks of descriptors.
  Link link{PcieConfig()};
  const Transfer& t = link.transfer(Direction::HostToCard, 0, 15'400'000'000);
  EXPECT_EQ(t.count.reads, ceil_div(15'400'000'000, 512));
  EXPECT_EQ(t.count.completions, ceil_div(15'400'000'000, 256));
}

TEST(ClosedForm, IsTheWireWhereNothingElseBinds) {
  // C2H: 256 of 280 bytes of TLPs, 152 of 168 with DLLPs, 1534 of 1538 with SKP, of 15.754 GB/s; and 48 bytes of read
  // requests per 131072 of data, for their descriptors.
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
    const Bytes bytes = (Bytes{1} << 28) + random.below(Bytes{1} << 31);
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

// PCI Express base specification 5.0, tables 3-7 (2.5 GT/s), 3-8 (5 GT/s) and 3-9 (8 GT/s).
TEST(DllpInterval, IsTheTableOfTheSpecification) {
  // Generation, lanes, payload, interval.
  const std::vector<std::array<int, 4>> table{
      {1, 1, 128, 237}, {1, 8, 512, 86},  {1, 16, 256, 72},  {2, 4, 128, 124},  {2, 32, 1024, 135}, {3, 1, 4096, 4239},
      {3, 4, 256, 214}, {3, 8, 256, 203}, {3, 16, 128, 144}, {3, 16, 256, 168}, {3, 16, 512, 182},  {4, 16, 256, 168}};
  for (const auto& [generation, lanes, payload, bytes] : table) {
    EXPECT_EQ(dllp_interval_bytes(generation, lanes, payload), bytes) << generation << " x" << lanes << " " << payload;
  }
}

TEST(WireTime, IsExact) {
  const auto expect = [](const PcieConfig& config, Ticks per_ps, Ticks byte) {
    EXPECT_EQ(WireTime(config).per_ps, per_ps);
    EXPECT_EQ(WireTime(config).byte, byte);
  };
  // 8 GT/s x 16 lanes x 128/130: 8125/128 ps per byte; SKP takes 4 of 1538 symbol times: 769/767 of that. 13 cancels.
  PcieConfig c;
  expect(c, 128 * 767 / 13, 8125 / 13 * 769);
  c.skp_symbols = 0;
  expect(c, 128, 8125);
  c.lanes = 12;  // 8125/96
  expect(c, 96, 8125);
  c.generation = 2;  // 5 GT/s, 8b/10b: 2000 ps per byte and lane
  expect(c, 3, 500);
  expect(hand_link(), 1, 1000);
}

template <class Change>
void expect_refused(const Change& change, const std::string& message) {
  PcieConfig config;
  change(config);
  EXPECT_EQ(test::message_of([&] { config.validate(); }), message);
}

TEST(PcieConfig, RefusesWhatCannotBeNamingTheField) {
  hand_link().validate();
  expect_refused([](auto& c) { c.generation = 6; }, "pcie.generation: must be between 1 and 5, but is 6");
  expect_refused([](auto& c) { c.lanes = 3; }, "pcie.lanes: must be one of 1, 2, 4, 8, 12, 16, 32, but is 3");
  expect_refused([](auto& c) { c.dllp_interval_bytes = 16; },
                 "pcie.dllp_interval_bytes: must be between 17 and 65536, but is 16");
  expect_refused([](auto& c) { c.posted.data = 15; },
                 "pcie.posted_credits.data: must be 0 (no limit) or at least the 16 of a full payload, but is "
                 "15");
  expect_refused([](auto& c) { c.dma.buffer_bytes = 511; },
                 "pcie.dma.buffer_bytes: must be between 512 and 1073741824, but is 511");
  expect_refused([](auto& c) { c.dma.host_page_bytes = 12288; },
                 "pcie.dma.host_page_bytes: must be a power of two of at least 4096, but is 12288");
  expect_refused([](auto& c) { c.dma.descriptors_per_fetch = 129; },
                 "pcie.dma.descriptors_per_fetch: must be between 1 and 128, but is 129");
  expect_refused([](auto& c) { c.read_round_trip_ps = -1; },
                 "pcie.read_round_trip: must be between 0 and 1000000000, but is -1");
}

}  // namespace
}  // namespace weft::link

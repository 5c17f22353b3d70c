#include "model/link/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

void expect_equal(const Transfer& skipped, const Transfer& full) {
  ASSERT_EQ(skipped.end.ticks, full.end.ticks);
  ASSERT_EQ(skipped.first.ticks, full.first.ticks);
  ASSERT_EQ(skipped.ticks, full.ticks);
  ASSERT_EQ(skipped.bound, full.bound);
  const TlpCounts &a = skipped.count, &b = full.count;
  ASSERT_EQ(a.reads, b.reads);
  ASSERT_EQ(a.completions, b.completions);
  ASSERT_EQ(a.writes, b.writes);
  ASSERT_EQ(a.descriptor_reads, b.descriptor_reads);
  ASSERT_EQ(a.descriptor_completions, b.descriptor_completions);
  ASSERT_EQ(a.upstream_dllps, b.upstream_dllps);
  ASSERT_EQ(a.downstream_dllps, b.downstream_dllps);
  ASSERT_EQ(a.upstream_bytes, b.upstream_bytes);
  ASSERT_EQ(a.downstream_bytes, b.downstream_bytes);
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

// WEFT_LINK_CAMPAIGN=N: N random transfers of up to 64 MB more.
TEST(Link, SkippingEqualsSteppingExactly) {
  RandomLink random(1);
  for (int i = 0; i < 300; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 2 << 20)) << "try " << i;
  for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 64 << 20)) << "large try " << i;
  const char* const campaign = std::getenv("WEFT_LINK_CAMPAIGN");
  const int more = campaign ? std::stoi(campaign) : 0;
  for (int i = 0; i < more; ++i) ASSERT_NO_FATAL_FAILURE(compare(random, 64 << 20)) << "campaign try " << i;
}

// Those that come later go on from where one before them was found to repeat, if they reach so far: sizes around the
// ends of blocks of descriptors, from few of them to many.
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
  PcieConfig config;  // 7552 ticks a picosecond: 2^62 are 10 minutes; 2^23 round trips of 1 ms are more
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
  // The largest of everything: 2^40 bytes at 2^38 bytes/s are 4 s.
  cost.copy_to_card_bytes_per_s = kMaxCopyRate;
  EXPECT_EQ(call_time({5, 1 << 23}, Direction::HostToCard, kMaxTransfer, cost, true), 4'000'000'001'001);
}

TEST(Link, ATransferOfATrainingIterationTakesNoTime) {
  // 15.4 GB: stepped, some 60 million TLPs; skipped, those of a few hundred blocks of descriptors.
  Link link{PcieConfig()};
  const Transfer& t = link.transfer(Direction::HostToCard, 0, 15'400'000'000);
  EXPECT_EQ(t.count.reads, ceil_div(15'400'000'000, 512));
  EXPECT_EQ(t.count.completions, ceil_div(15'400'000'000, 256));
}

}  // namespace
}  // namespace weft::link

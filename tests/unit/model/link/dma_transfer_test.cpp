#include "model/link/dma_transfer.h"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <vector>

#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

// Every access to the card's memory, at the latency of the configuration.
struct Traced {
  Transfer transfer;
  std::vector<CardAccess> accesses;
};

Traced run(const PcieConfig& config, Direction direction, Address host_address, Bytes bytes) {
  config.validate();
  const WireTime time(config);
  DmaTransfer transfer(config, time, direction, host_address, bytes);
  Traced run;
  CardAccess access;
  while (!transfer.finished()) {
    EXPECT_TRUE(transfer.next(access));
    run.accesses.push_back(access);
    const bool to_card = direction == Direction::HostToCard;
    transfer.done(access.earliest + time.of_ps(to_card ? config.card_write_latency_ps : config.card_read_latency_ps));
  }
  EXPECT_FALSE(transfer.next(access));
  run.transfer = transfer.result();
  EXPECT_EQ(std::accumulate(run.transfer.ticks.begin(), run.transfer.ticks.end(), std::int64_t{0}),
            run.transfer.end.ticks);
  return run;
}

std::vector<Bytes> sizes(const Traced& run) {
  std::vector<Bytes> sizes;
  for (const CardAccess& access : run.accesses) sizes.push_back(access.bytes);
  return sizes;
}

Ticks ns(std::int64_t value) {
  return value * kNs;
}

TEST(DmaTransfer, OfNothingSendsNothing) {
  for (const Direction direction : {Direction::HostToCard, Direction::CardToHost}) {
    const Transfer t = run(hand_link(), direction, 5, 0).transfer;
    EXPECT_EQ(t.count.tlps(), 0);
    EXPECT_EQ(t.count.upstream_bytes + t.count.downstream_bytes, 0);
    EXPECT_EQ(t.end.ticks, 0);
  }
}

TEST(DmaTransfer, OfOneByteToTheCard) {
  const Transfer t = run(hand_link(), Direction::HostToCard, 3, 1).transfer;
  // Descriptor: MRd 24 ns, round trip 1000, CplD 20 + 32. Data: MRd 24, 1000, CplD 20 + 4 (a double word). Memory: 100.
  EXPECT_EQ(std::tuple(t.first.ticks, t.end.ticks, t.count.descriptor_reads),
            std::tuple(ns(24 + 1000 + 52 + 24 + 1000), ns(2100 + 24 + 100), 1));
  EXPECT_EQ(std::tuple(t.count.descriptor_completions, t.count.reads, t.count.completions), std::tuple(1, 1, 1));
  EXPECT_EQ(std::tuple(t.count.writes, t.count.upstream_bytes, t.count.downstream_bytes), std::tuple(0, 48, 52 + 24));
  EXPECT_EQ(t.bound, Bound::SetUp);
}

TEST(DmaTransfer, OfOneByteToTheHost) {
  const Transfer t = run(hand_link(), Direction::CardToHost, 3, 1).transfer;
  // Descriptor as above; the card's memory 50, MWr 24 + 4, host memory 200.
  EXPECT_EQ(std::tuple(t.first.ticks, t.end.ticks, t.count.writes),
            std::tuple(ns(24 + 1000 + 52 + 50), ns(1126 + 28 + 200), 1));
  EXPECT_EQ(t.count.reads + t.count.completions, 0);
  EXPECT_EQ(t.count.upstream_bytes, 24 + 28);
  EXPECT_EQ(t.count.downstream_bytes, 52);
}

TEST(DmaTransfer, OfAPageIsCutAtMrrsAndMps) {
  const Traced h2c = run(hand_link(), Direction::HostToCard, 0, 4096);
  EXPECT_EQ(std::tuple(h2c.transfer.count.reads, h2c.transfer.count.completions, h2c.transfer.count.upstream_bytes),
            std::tuple(8, 16, 24 + 8 * 24));
  EXPECT_EQ(h2c.transfer.count.downstream_bytes, 52 + 16 * (20 + 256));
  const Traced c2h = run(hand_link(), Direction::CardToHost, 0, 4096);
  EXPECT_EQ(c2h.transfer.count.writes, 16);
  EXPECT_EQ(c2h.transfer.count.upstream_bytes, 24 + 16 * (24 + 256));
}

TEST(DmaTransfer, AnUnalignedStartShiftsRequestsAndIsMadeGoodByTheFirstCompletion) {
  // 600 bytes from 10. MRd of at most 512 bytes counted in double words from 8: [10, 520), [520, 610). CplDs end at
  // multiples of 64 and carry at most 256: [10, 256), [256, 512), [512, 520), [520, 610).
  const Traced h2c = run(hand_link(), Direction::HostToCard, 10, 600);
  EXPECT_EQ(h2c.transfer.count.reads, 2);
  EXPECT_EQ(sizes(h2c), (std::vector<Bytes>{246, 256, 8, 90}));
  EXPECT_EQ(h2c.transfer.count.downstream_bytes, 52 + 4 * 20 + (256 - 8) + 256 + 8 + (612 - 520));
  // MWrs of at most 256 bytes from 8: [10, 264), [264, 520), [520, 610).
  const Traced c2h = run(hand_link(), Direction::CardToHost, 10, 600);
  EXPECT_EQ(sizes(c2h), (std::vector<Bytes>{254, 256, 90}));
  EXPECT_EQ(c2h.transfer.count.upstream_bytes, 24 + 3 * 24 + 256 + 256 + 92);
}

TEST(DmaTransfer, CompletionsEndAtTheReadCompletionBoundary) {
  PcieConfig c = hand_link();
  c.max_payload_bytes = 128;
  c.read_completion_boundary_bytes = 128;
  // From 100: [100, 128), although 128 bytes would end at 228, then [128, 256), [256, 300).
  EXPECT_EQ(sizes(run(c, Direction::HostToCard, 100, 200)), (std::vector<Bytes>{28, 128, 44}));
  c.read_completion_boundary_bytes = 64;  // [100, 192), [192, 300)
  EXPECT_EQ(sizes(run(c, Direction::HostToCard, 100, 200)), (std::vector<Bytes>{92, 108}));
}

TEST(DmaTransfer, NoTlpCrosses4KB) {
  PcieConfig c = hand_link();
  // [4000, 4096) and [4096, 4300): one MRd and one MWr each; two pages, so two descriptors, read together.
  Traced h2c = run(c, Direction::HostToCard, 4000, 300);
  EXPECT_EQ(h2c.transfer.count.reads, 2);
  EXPECT_EQ(sizes(h2c), (std::vector<Bytes>{96, 204}));
  EXPECT_EQ(h2c.transfer.count.descriptor_reads, 1);
  EXPECT_EQ(h2c.transfer.count.downstream_bytes, 20 + 64 + 40 + 300);
  EXPECT_EQ(sizes(run(c, Direction::CardToHost, 4000, 300)), (std::vector<Bytes>{96, 204}));
  // Within one host page of 2 MB: one descriptor.
  c.dma.host_page_bytes = 2 << 20;
  h2c = run(c, Direction::HostToCard, 4000, 300);
  EXPECT_EQ(h2c.transfer.count.reads, 2);
  EXPECT_EQ(h2c.transfer.count.downstream_bytes, 20 + 32 + 40 + 300);
}

TEST(DmaTransfer, OneTagMakesRequestsWaitForMemory) {
  PcieConfig c = hand_link();
  c.dma.tags = 1;
  const Traced one = run(c, Direction::HostToCard, 0, 512), two = run(c, Direction::HostToCard, 0, 1024);
  // Each: MRd 24, 1000, two CplDs of 276, memory 100; the second starts when the first is in memory.
  EXPECT_EQ(one.transfer.end.ticks, ns(1076 + 24 + 1000 + 552 + 100));
  EXPECT_EQ(two.transfer.end.ticks, ns(1076 + 2 * (24 + 1000 + 552 + 100)));
  EXPECT_EQ(two.transfer.ticks[static_cast<std::size_t>(Bound::Tags)], ns(100 + 24 + 1000));
  c.dma.tags = 2;  // the second request follows the first, its completions those of the first
  EXPECT_EQ(run(c, Direction::HostToCard, 0, 1024).transfer.end.ticks, ns(1076 + 24 + 1000 + 4 * 276 + 100));
}

TEST(DmaTransfer, RoomInTheFifoComesBackCompletionByCompletion) {
  PcieConfig c = hand_link();
  c.dma.buffer_bytes = 768;  // one request and half of the next
  const Traced r = run(c, Direction::HostToCard, 0, 1024);
  // The second request waits for the first completion of the first: at 1076 + 1024 + 276 + 100 = 2476.
  EXPECT_EQ(r.accesses[1].earliest, ns(2100 + 2 * 276));
  EXPECT_EQ(r.accesses[2].earliest, ns(2476 + 1024 + 276));
  c.dma.buffer_bytes = 767;  // for the second
  EXPECT_EQ(run(c, Direction::HostToCard, 0, 1024).accesses[2].earliest, ns(2476 + 276 + 1024 + 276));
}

TEST(DmaTransfer, TheCardsMemoryIsReadAheadAsFarAsTheFifoHasRoom) {
  PcieConfig c = hand_link();
  c.dma.buffer_bytes = 512;
  const Traced r = run(c, Direction::CardToHost, 0, 1024);
  // Two pieces are requested at 1076, arrive at 1126, and are sent until 1406 and 1686, when 3 and 4 are requested.
  EXPECT_EQ(r.accesses[0].earliest, ns(1076));
  EXPECT_EQ(r.accesses[1].earliest, ns(1076));
  EXPECT_EQ(r.accesses[2].earliest, ns(1406));
  EXPECT_EQ(r.accesses[3].earliest, ns(1686));
  EXPECT_EQ(r.transfer.end.ticks, ns(1126 + 4 * 280 + 200));
  EXPECT_EQ(r.transfer.ticks[static_cast<std::size_t>(Bound::Buffer)], 0);
  c.dma.buffer_bytes = 511;  // one piece at a time: 50 ns and 280 ns each
  c.max_read_request_bytes = 256;
  EXPECT_EQ(run(c, Direction::CardToHost, 0, 1024).transfer.ticks[static_cast<std::size_t>(Bound::Buffer)], ns(150));
}

TEST(DmaTransfer, WritesWaitForCredits) {
  PcieConfig c = hand_link();
  c.posted.headers = 1;
  c.credit_return_ps = 70 * kNs;
  const auto credits = [&] {
    return run(c, Direction::CardToHost, 0, 1024).transfer.ticks[static_cast<std::size_t>(Bound::Credits)];
  };
  EXPECT_EQ(credits(), ns(3 * 70));
  c.posted.headers = 2;  // the credit of the TLP before the last returned long ago
  EXPECT_EQ(credits(), 0);
  c.posted = {0, 31};  // 16-byte units: one full payload and a half
  EXPECT_EQ(credits(), ns(3 * 70));
  c.posted.data = 32;
  EXPECT_EQ(credits(), 0);
}

TEST(DmaTransfer, ReadsWaitForCredits) {
  PcieConfig c = hand_link();
  c.nonposted_headers = 1;
  c.credit_return_ps = 2000 * kNs;
  // The descriptor's MRd ends at 24, its credit returns at 2024, the data's MRd ends at 2048, the next one at 4072.
  const Traced r = run(c, Direction::HostToCard, 0, 1024);
  EXPECT_EQ(r.transfer.first.ticks, ns(2048 + 1000));
  EXPECT_EQ(r.transfer.end.ticks, ns(4072 + 1000 + 552 + 100));
}

TEST(DmaTransfer, ABlockOfDescriptorsIsReadWhileTheOneBeforeIsWorkedOff) {
  PcieConfig c = hand_link();
  c.dma.descriptors_per_fetch = 1;
  c.max_payload_bytes = c.max_read_request_bytes = 4096;
  // The second page's descriptor is read with the first request: 1076 to 1100, then the data's MRd to 1124. Its CplD
  // arrives at 2100 to 2152, the data's would at 2124 but follows: 2152 to 6268. The second request is sent at 2152.
  const Traced r = run(c, Direction::HostToCard, 0, 8192);
  EXPECT_EQ(r.transfer.count.descriptor_reads, 2);
  EXPECT_EQ(r.accesses[0].earliest, ns(2152 + 4116));
  EXPECT_EQ(r.accesses[1].earliest, ns(6268 + 4116));
  // To the host: read with the first write; the card's memory gets the second page's request at 1076 + 24 + 1000 + 52.
  const Traced back = run(c, Direction::CardToHost, 0, 8192);
  EXPECT_EQ(back.accesses[1].earliest, ns(2152));
}

TEST(DmaTransfer, ADescriptorCoversNoMoreThanItMay) {
  PcieConfig c = hand_link();
  c.dma.host_page_bytes = 1 << 20;
  c.dma.descriptor_max_bytes = 8192;
  // From 100 in the first page: ceil((2^20 - 100) / 8192) = 128; in the second 5000 bytes: 1. Four blocks of 32, and 1.
  const Traced r = run(c, Direction::HostToCard, 100, (1 << 20) - 100 + 5000);
  EXPECT_EQ(r.transfer.count.descriptor_reads, 4 * 2 + 1);        // 1024 bytes with an MRRS of 512
  EXPECT_EQ(r.transfer.count.descriptor_completions, 4 * 4 + 1);  // and with an MPS of 256
}

TEST(DmaTransfer, DllpsFollowTheTlpWithWhichTheyFallDue) {
  PcieConfig c = hand_link();
  c.dllp_bytes = 8;
  c.dllp_interval_bytes = 168;  // an ACK and an UpdateFC after every 152 bytes of TLPs
  const Traced r = run(c, Direction::CardToHost, 0, 768);
  // Upstream: MRd 24 (24 due). MWr 280: 304, two pairs (0 due). MWr 280: one (128). MWr 280: 408, two (104).
  EXPECT_EQ(r.transfer.count.upstream_dllps, 2 * (2 + 1 + 2));
  EXPECT_EQ(r.transfer.count.upstream_bytes, 24 + 3 * 280 + 5 * 16);
  EXPECT_EQ(r.transfer.count.downstream_dllps, 0);  // 52 bytes
  // The last DLLPs delay nothing.
  EXPECT_EQ(r.transfer.end.ticks, ns(1126 + 3 * 280 + 3 * 16 + 200));
}

// A slow memory that answers several accesses at a time, as one connected through another port would.
TEST(DmaTransfer, AsksAheadOfWhatIsDone) {
  PcieConfig c = hand_link();
  c.dma.tags = 2;
  const WireTime time(c);
  DmaTransfer transfer(c, time, Direction::HostToCard, 0, 2048);
  CardAccess access;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(transfer.next(access));  // accesses of two requests
  EXPECT_EQ(access.earliest, ns(2100 + 4 * 276));
  EXPECT_FALSE(transfer.next(access));  // no tag
  transfer.done(ns(9000));
  EXPECT_FALSE(transfer.next(access));
  transfer.done(ns(9001));  // the first request is in memory: its tag is free
  ASSERT_TRUE(transfer.next(access));
  EXPECT_EQ(access.offset, 1024);
  EXPECT_EQ(access.earliest, ns(9001 + 24 + 1000 + 276));
}

}  // namespace
}  // namespace weft::link


#include <gtest/gtest.h>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"
#include "model/pipeline/pipeline_module.h"
#include "tests/support/texts.h"

namespace weft::pipeline {
namespace {

// A byte is 1 ns and a cycle 10: a packet of four tokens of 4 bytes with its overhead of 4 lasts 2 cycles, one of two
// tokens 1.2, rounded up to 2; 25 ns are 3 cycles. 32 bytes are places for two packets.
LinkBlocks small(ethernet::Flow flow) {
  LinkBlocks link;
  link.frames.byte_ps = 1000;
  link.frames.payload = 16;
  link.frames.overhead = 4;
  link.frames.latency_ps = 25'000;
  link.frames.receive_bytes = 32;
  link.frames.flow = flow;
  link.token_bytes = 4;
  link.clock = 100;
  return link;
}

Pipeline over(const LinkBlocks& link, Cycles sink_cycles) {
  Pipeline pipeline;
  const BlockId from = pipeline.add(source("source", 10));
  const BlockId arrived = add_link(pipeline, "a to b", from, 10, link);
  pipeline.join(arrived, pipeline.add(sink("sink", 10, sink_cycles)), 2);
  return pipeline;
}

TEST(LinkBlocks, AreAFramesCyclesAndItsWay) {
  const LinkBlocks link = small(ethernet::Flow::Credit);
  EXPECT_EQ(link.tokens_per_packet(), 4);
  EXPECT_EQ(link.packet_cycles(4), 2);
  EXPECT_EQ(link.packet_cycles(2), 2);
  EXPECT_EQ(link.latency(), 3);
  EXPECT_EQ(link.places(), 2);
  // A token of 40 bytes takes frames of 16, 16 and 8: 52 ns.
  LinkBlocks wide = link;
  wide.token_bytes = 40;
  EXPECT_EQ(wide.tokens_per_packet(), 1);
  EXPECT_EQ(wide.packet_cycles(1), 6);
  EXPECT_THROW(over(wide, 1), Error);
}

// Token 3 is given in cycle 3, packed in 4, on the wire in 5 and 6, and arrives from 7 + 3 on: in 10 to 13 the
// depacketiser gives its four, in 14 to 17 the next, and in 18 and 19 the last two; the sink takes the last in 20.
TEST(LinkBlocks, DelayTokensByPacketWireAndWay) {
  LinkBlocks link = small(ethernet::Flow::Credit);
  link.frames.receive_bytes = 64;
  const Pipeline pipeline = over(link, 1);
  EXPECT_EQ(simulate(pipeline, 3).ends[0], 21);
  EXPECT_EQ(simulate(pipeline, 50).recurrence->period(), 10);
  EXPECT_EQ(period(pipeline), 10);
}

// Two packets may be in flight. One that the wire gives in cycle t is taken in t + 4, and its place is returned in t +
// 8: three packets per image take 3 * 8 / 2 cycles, more than the source's 10.
TEST(LinkBlocks, AreHeldUpByCreditsThatAreOnTheirWay) {
  EXPECT_EQ(period(over(small(ethernet::Flow::Credit), 1)), 12);
  EXPECT_EQ(simulate(over(small(ethernet::Flow::Credit), 1), 50).recurrence->period(), 12);
}

constexpr const char* kOverflow =
    "link 'a to b': the receive FIFO of 2 tokens before 'a to b depacketiser' is full when a token of image 1 arrives, "
    "and flow: none can neither delay nor resend the token: use flow: credit, a deeper FIFO or a slower source";

// The sink takes a token every five cycles, 11, 16, 21, 26; two more wait before it, so the depacketiser takes packets
// in 10, 18 and, with the four of the second given in 22, 27, 32 and 37, in 38. Packets arrive after cycles 9, 13, 15
// and, of image 1, 19 and 23: the last is the third waiting packet.
TEST(LinkBlocks, EndTheRunWhereNothingHoldsTheSenderBack) {
  const Pipeline pipeline = over(small(ethernet::Flow::None), 5);
  EXPECT_NO_THROW(simulate(pipeline, 1));
  EXPECT_NO_THROW(simulate(over(small(ethernet::Flow::Credit), 5), 2));
  EXPECT_EQ(test::message_of([&] { simulate(pipeline, 2); }), kOverflow);
  // SystemC reports it in the same cycle.
  PipelineModule module("pipeline", pipeline, 2);
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(23.5, sc_core::SC_NS));
  EXPECT_EQ(test::message_of([&] { module.check(); }), kOverflow);
}

}  // namespace
}  // namespace weft::pipeline

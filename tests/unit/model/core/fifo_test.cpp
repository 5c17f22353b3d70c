#include "model/core/fifo.h"

#include <gtest/gtest.h>

#include "model/core/topology.h"
#include "tests/support/special_values.h"

namespace weft {
namespace {

TEST(Fifo, Gen1TokenIsBlockedInItsCycleAndVisibleOneLater) {
  Fifo fifo(2, 1, false);
  fifo.push(5);
  EXPECT_FALSE(fifo.can_pop(5));
  EXPECT_TRUE(fifo.can_pop(6));
}

TEST(Fifo, Gen1FreedSlotIsBlockedInItsCycleAndFreeOneLater) {
  Fifo fifo(1, 1, false);
  fifo.push(0);
  EXPECT_FALSE(fifo.can_push(1));
  fifo.pop(1);
  EXPECT_FALSE(fifo.can_push(1));
  EXPECT_TRUE(fifo.can_push(2));
}

// The answers to both sides must not depend on which of them acts first in a cycle.
TEST(Fifo, Gen3OrderOfProducerAndConsumerWithinACycleDoesNotMatter) {
  for (int depth = 1; depth <= 3; ++depth) {
    for (unsigned pattern = 0; pattern < 1u << 12; ++pattern) {
      Fifo producer_first(depth, 1, false), consumer_first(depth, 1, false);
      for (Cycles now = 0; now < 12; ++now) {
        const bool wants_push = pattern >> now & 1, wants_pop = pattern >> (11 - now) & 1;
        if (wants_push && producer_first.can_push(now)) producer_first.push(now);
        if (wants_pop && producer_first.can_pop(now)) producer_first.pop(now);
        if (wants_pop && consumer_first.can_pop(now)) consumer_first.pop(now);
        if (wants_push && consumer_first.can_push(now)) consumer_first.push(now);
        ASSERT_EQ(producer_first.pushed(), consumer_first.pushed());
        ASSERT_EQ(producer_first.popped(), consumer_first.popped());
      }
    }
  }
}

TEST(Fifo, KeepsWordsInOrderAcrossWrapAround) {
  Fifo fifo(3, 2, true);
  for (int i = 0; i < 10; ++i) {
    Word* const token = fifo.push(2 * i);
    token[0] = test::float_word(static_cast<float>(i));
    token[1] = test::float_word(static_cast<float>(-i));
    EXPECT_EQ(fifo.front()[0], test::float_word(static_cast<float>(i)));
    EXPECT_EQ(fifo.front()[1], test::float_word(static_cast<float>(-i)));
    fifo.pop(2 * i + 1);
  }
}

TEST(Fifo, DepthZeroNeverTakesAToken) {
  const Fifo fifo(0, 1, false);
  EXPECT_FALSE(fifo.can_push(0));
  EXPECT_FALSE(fifo.can_pop(100));
}

// a and b feed c, which writes.
const Topology kTopology{{{"a", ""}, {"b", ""}, {"c", ""}},
                         {{"left", "a", "c", 1, ""}, {"right", "b", "c", 2, ""}},
                         {{"in", "a", PortDirection::Read, ""}, {"out", "c", PortDirection::Write, ""}}};

TEST(Topology, SaysWhatABlockWaitsForAsItsFifosAndPortsAreWired) {
  EXPECT_EQ(inputs_text(kTopology, "a"), "read data of port in");
  EXPECT_EQ(inputs_text(kTopology, "b"), "");
  EXPECT_EQ(inputs_text(kTopology, "c"), "left or right or write response of port out");
}

TEST(Topology, FindsWhereABlockPutsThings) {
  EXPECT_EQ(find_output(kTopology, "b"), 1U);
  EXPECT_EQ(find_output(kTopology, "c"), kTopology.fifos.size());
  EXPECT_EQ(output_port_text(kTopology, "c"), "port out");
  EXPECT_EQ(output_port_text(kTopology, "a"), "");
}

}  // namespace
}  // namespace weft

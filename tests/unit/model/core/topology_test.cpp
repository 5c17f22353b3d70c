#include "model/core/topology.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

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

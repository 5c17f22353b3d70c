#include "platform/config/topology.h"

#include <gtest/gtest.h>

#include <fstream>

#include "workloads/network.h"

namespace weft::config {
namespace {

std::vector<conv::Layer> read(const std::string& text) {
  const std::string path = testing::TempDir() + "topology_test.csv";
  std::ofstream(path) << text;
  return read_topology(path);
}

// Multiply-accumulates as SCALE-Sim counts them: outputs are ceil((input - filter + stride) / stride).
TEST(Topology, HasTheMultiplyAccumulatesOfItsLines) {
  const std::vector<conv::Layer> layers = read(
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
      "Conv1, 224, 224, 11, 11, 3, 96, 4,\n"
      "\n"
      "Conv2,31,30,5,3,96,256,1,\r\n"
      "DP1, 9, 9, 3, 3, 16, 1, 2,\n"
      "Strides, 10, 10, 3, 3, 4, 8, 2, 3,\n");
  ASSERT_EQ(layers.size(), 4U);
  EXPECT_EQ(workloads::macs(layers[0]), 96 * 3 * 121 * 55 * 55);
  EXPECT_EQ(workloads::macs(layers[1]), 256 * 96 * 15 * 27 * 28);
  EXPECT_EQ(workloads::macs(layers[2]), 16 * 9 * 4 * 4);
  EXPECT_EQ(workloads::macs(layers[3]), 8 * 4 * 9 * 5 * 4);
  EXPECT_EQ(layers[2].groups, 16);
  EXPECT_TRUE(layers[0].from_graph_input);
  EXPECT_FALSE(layers[1].from_graph_input);
}

TEST(Topology, MayBeOfMatrixProducts) {
  const std::vector<conv::Layer> layers = read("Layer, M, N, K,\nGEMM_0,128,64,32,\n");
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(workloads::macs(layers[0]), 128 * 64 * 32);
}

}  // namespace
}  // namespace weft::config

#include <gtest/gtest.h>

#include "model/fpgpt/dse/problem.h"
#include "small_problem.h"
#include "workloads/lowering.h"

namespace weft::fpgpt::dse {
namespace {

// Seed 004, section 5.6.2: "12424 different possible X, Y combinations", 4 to 4096 PEs; 341 = 3072 / 9 (reading F18).
TEST(DesignSpace, OfInception3bBranch3HasTheThesis12424Arrays) {
  conv::Layer layer;
  layer.name = "inception3b.branch3.1.conv";
  layer.batch = 256;
  layer.channels = 32;
  layer.filters = 96;
  layer.h = layer.w = {28, 3, 1, 1, 1, 1};
  Space space;
  space.max_x = 3072 / dsp_per_pe(NumberFormat::fp32());
  space.min_pes = 4;
  space.max_pes = 4096;
  EXPECT_EQ(arrays(space, workloads::lower(layer, conv::Kind::F)).size(), 12424U);
}

TEST(DesignSpace, EndsAtTheOutputsOfAMapAndTheKernTensors) {
  // 3 outputs, 2 filters: (1,1) (1,2) (2,1) (2,2) (3,1) (3,2), of which two or three PEs have (1,2) (2,1) (3,1).
  Space space;
  EXPECT_EQ(arrays(space, test::pointwise(3, 2, 1)).size(), 6U);
  space.min_pes = 2;
  space.max_pes = 3;
  const std::vector<Array> found = arrays(space, test::pointwise(3, 2, 1));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].x, 1);
  EXPECT_EQ(found[0].y, 2);
  EXPECT_EQ(found[1].x, 2);
  EXPECT_EQ(found[2].x, 3);
  space.max_x = 1;
  EXPECT_EQ(arrays(space, test::pointwise(3, 2, 1)).size(), 1U);
}

TEST(Windows, BeyondOneSetAreThoseOfOneSet) {
  const conv::Convolution beta = test::pointwise(5, 1, 1);
  const Windows windows(beta, 9);
  for (const int x : {1, 3, 5, 6, 9}) {
    EXPECT_EQ(windows.of(x).z, conv::window_geometry(beta, x).z) << x;
    EXPECT_EQ(windows.of(x).z_channel, conv::window_geometry(beta, x).z_channel) << x;
  }
}

}  // namespace
}  // namespace weft::fpgpt::dse

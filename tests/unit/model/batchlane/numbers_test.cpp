#include <gtest/gtest.h>

#include <limits>

#include "model/batchlane/buffers.h"

namespace weft::batchlane {
namespace {

// NUM-2: 2^31 - 1 + 1 wraps to -2^31 and counts; so does the way back.
TEST(BatchlaneNumbers, ASumThatLeaves32BitsWrapsAndIsCounted) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max(),
                         kLeast = std::numeric_limits<std::int32_t>::min();
  std::int64_t overflows = 0;
  EXPECT_EQ(add32(kMost, 0, overflows), kMost);
  EXPECT_EQ(overflows, 0);
  EXPECT_EQ(add32(kMost, 1, overflows), kLeast);
  EXPECT_EQ(overflows, 1);
  EXPECT_EQ(add32(kLeast, -1, overflows), kMost);
  EXPECT_EQ(overflows, 2);
}

}  // namespace
}  // namespace weft::batchlane

#include "model/memory/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace weft::memory {
namespace {

TEST(Ring, BehavesLikeAQueueWhileItGrows) {
  Ring<int> ring;
  std::deque<int> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    if (random() % 100 < 52 || expected.empty()) {
      ring.push(i);
      expected.push_back(i);
    } else {
      ring.pop();
      expected.pop_front();
    }
    ASSERT_EQ(ring.size(), expected.size());
    if (expected.empty()) continue;
    ASSERT_EQ(ring.front(), expected.front());
    ASSERT_EQ(ring.back(), expected.back());
  }
}

TEST(Ring, AnElementKeepsItsIndexWhileTheRingGrows) {
  Ring<int> ring;
  for (int i = 0; i < 5; ++i) ring.push(i);
  ring.pop();
  const auto index = ring.push(42);
  for (int i = 0; i < 100; ++i) ring.push(i);
  EXPECT_EQ(ring.at(index), 42);
}

}  // namespace
}  // namespace weft::memory

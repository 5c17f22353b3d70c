#include "model/memory/store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "model/core/error.h"
#include "model/memory/ring.h"

namespace weft::memory {
namespace {

constexpr Bytes kBank = Bytes{16} << 30;

// Returns the resident memory of this process, in KiB.
long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return -1;
}

TEST(Store, OfA16GiBBankTakesRoomOnlyWhereItWasWritten) {
  const long before = resident_kib();
  Store bank(kBank);
  EXPECT_EQ(bank.bytes(), kBank);
  *bank.floats(0) = 1;
  *bank.floats(kBank / 2) = 2;
  *bank.floats(kBank - 4) = 3;
  EXPECT_EQ(*bank.floats(kBank - 8), 0);
  EXPECT_LT(resident_kib() - before, 16 * 1024);  // pages may have 2 MiB
}

TEST(Store, HasTheSameContentsAsWordsAndAsBytes) {
  Store store(64, 4096);
  *store.floats(4096 + 8) = 1.5F;
  float word = 0;
  std::memcpy(&word, store.at(4096 + 8), 4);
  EXPECT_EQ(word, 1.5F);
  *store.at(4096 + 11) = std::byte{0xBF};  // the sign
  EXPECT_EQ(*store.floats(4096 + 8), -1.5F);
  EXPECT_EQ(store.first(), 4096);
  EXPECT_EQ(store.end(), 4160);
}

TEST(Store, IsAWholeNumberOfWordsAndMayBeEmpty) {
  EXPECT_EQ(Store(5).bytes(), 8);
  EXPECT_EQ(Store().bytes(), 0);
  Store empty;
  empty.clear();
  const Store copy = empty;
  EXPECT_EQ(copy.bytes(), 0);
}

TEST(Store, IsCopiedWithItsContentsAndMovedWithoutThem) {
  Store store(3 * 4096 + 12, 8);
  *store.floats(8) = 1;
  *store.floats(8 + 4096 + 4092) = 2;
  *store.floats(8 + 3 * 4096 + 8) = 3;
  Store copy = store;
  *store.floats(8) = 9;
  for (Address at = copy.first(); at < copy.end(); at += 4) {
    EXPECT_EQ(*copy.floats(at), at == 8 ? 1 : *store.floats(at)) << at;
  }
  const float* const words = copy.floats(8);
  const Store moved = std::move(copy);
  EXPECT_EQ(moved.floats(8), words);
  store = moved;
  EXPECT_EQ(*store.floats(8), 1);
  EXPECT_EQ(store.first(), 8);
  EXPECT_EQ(store.end(), moved.end());
}

TEST(Store, IsAllZeroAgainAfterClear) {
  Store store(1 << 20);
  for (Address at = 0; at < store.bytes(); at += 4) *store.floats(at) = 1;
  store.clear();
  for (Address at = 0; at < store.bytes(); at += 4) ASSERT_EQ(*store.floats(at), 0) << at;
  *store.floats(4) = 2;
  EXPECT_EQ(*store.floats(4), 2);
}

TEST(Store, BeyondTheAddressSpaceIsAnError) {
  EXPECT_THROW(Store(Bytes{1} << 60), Error);
}

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

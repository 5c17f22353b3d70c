#include "model/core/key_map.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "model/core/fnv1a.h"

namespace weft {
namespace {

TEST(KeyMap, KnowsNothingAtFirst) {
  const KeyMap<2> map;
  EXPECT_EQ(map.find(Key<2>{1, 2}), KeyMap<2>::kNone);
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.memory(), 0U);
}

TEST(KeyMap, KeepsTheNumberThatAKeyGotFirst) {
  KeyMap<1> map;
  EXPECT_EQ(map.number(Key<1>{7}, 3), 3U);
  EXPECT_EQ(map.number(Key<1>{7}, 4), 3U);
  EXPECT_EQ(map.find(Key<1>{7}), 3U);
  EXPECT_EQ(map.size(), 1U);
}

// Keys: zeros, equal words, swapped halves, a bit in the last word.
TEST(KeyMap, TellsKeysApartThatLookAlike) {
  KeyMap<3> map;
  const std::vector<Key<3>> keys{Key<3>{},
                                 Key<3>{1},
                                 Key<3>{0, 1},
                                 Key<3>{0, 0, 1},
                                 Key<3>{1, 1},
                                 Key<3>{1, 1, 1},
                                 Key<3>{1ULL << 32},
                                 Key<3>{0, 1ULL << 32},
                                 Key<3>{1, 0, 1},
                                 Key<3>{0, 1, 1},
                                 Key<3>{0, 0, 1ULL << 63}};
  for (std::uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(map.number(keys[i], i), i);
  for (std::uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(map.find(keys[i]), i);
}

// Compares with std::map while the map grows many times over; keys have few distinct words, so that many recur.
template <std::size_t N>
void agrees_with_a_map(std::uint64_t words) {
  std::mt19937_64 random(N);
  KeyMap<N> map;
  std::map<std::array<std::uint64_t, N>, std::uint32_t> reference;
  for (std::uint32_t i = 0; i < 40000; ++i) {
    Key<N> key;
    std::array<std::uint64_t, N> same{};
    for (std::size_t k = 0; k < N; ++k) key.set(k, same[k] = (random() % words) << (k % 2 * 32));
    const auto known = reference.find(same);
    map.prefetch(key);
    ASSERT_EQ(map.find(key), known == reference.end() ? KeyMap<N>::kNone : known->second);
    if (random() % 2 == 0) {
      ASSERT_EQ(map.number(key, i), reference.emplace(same, i).first->second);
    }
  }
  ASSERT_EQ(map.size(), reference.size());
}
TEST(KeyMap, AgreesWithAMap) {
  agrees_with_a_map<1>(10000);
  agrees_with_a_map<2>(100);
  agrees_with_a_map<3>(20);
  agrees_with_a_map<5>(6);
}

// Consecutive numbers must not form long rows in a table: 65,536 keys of two such words at random places would meet
// about 65,536 * (1 - 1/e) = 41,427 of as many places.
TEST(KeyHash, SpreadsNumbersThatCountUp) {
  std::set<std::size_t> places;
  for (std::uint64_t high = 0; high < 256; ++high) {
    for (std::uint64_t low = 0; low < 256; ++low)
      places.insert(
          KeyHash()(Key<2>{two(1, static_cast<std::uint32_t>(high)), two(static_cast<std::uint32_t>(low), 5)}) % 65536);
  }
  EXPECT_GT(places.size(), 41000U);
}

template <class Digest>
auto digest_of(const std::string& text) {
  Digest digest;
  digest.add_bytes(text);
  return digest.value();
}

// Test vectors published by the authors of FNV (Fowler, Noll, Vo).
TEST(Fnv1a, GivesThePublishedValues) {
  EXPECT_EQ(digest_of<Fnv1a32>(""), 0x811C9DC5U);
  EXPECT_EQ(digest_of<Fnv1a32>("a"), 0xE40C292CU);
  EXPECT_EQ(digest_of<Fnv1a32>("foobar"), 0xBF9CF968U);
  EXPECT_EQ(digest_of<Fnv1a64>(""), 0xCBF29CE484222325U);
  EXPECT_EQ(digest_of<Fnv1a64>("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(digest_of<Fnv1a64>("foobar"), 0x85944171F73967E8U);
}

}  // namespace
}  // namespace weft

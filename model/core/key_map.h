#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/core/huge_pages.h"

namespace weft {

// Hashes a value into a seed (the finaliser of splitmix64, chained).
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// Key of N 64-bit words, stored in 32-bit halves: followed by a 32-bit number, it leaves no padding in a table.
template <std::size_t N>
class Key {
 public:
  template <typename... Words>
  explicit Key(Words... words) {
    static_assert(sizeof...(words) <= N);
    std::size_t i = 0;
    (set(i++, static_cast<std::uint64_t>(words)), ...);
  }
  std::uint64_t operator[](std::size_t i) const { return std::uint64_t{halves_[2 * i + 1]} << 32 | halves_[2 * i]; }
  void set(std::size_t i, std::uint64_t word) {
    halves_[2 * i] = static_cast<std::uint32_t>(word);
    halves_[2 * i + 1] = static_cast<std::uint32_t>(word >> 32);
  }
  friend bool operator==(const Key& a, const Key& b) {
    std::uint64_t differs = 0;  // shorter than a call of memcmp
    for (std::size_t i = 0; i < N; ++i) differs |= a[i] ^ b[i];
    return differs == 0;
  }

 private:
  std::array<std::uint32_t, 2 * N> halves_{};
};
struct KeyHash {
  template <std::size_t N>
  std::size_t operator()(const Key<N>& key) const {
    std::uint64_t hash = kSeed;
    for (std::size_t i = 0; i < N; i += 2) hash = folded(hash ^ key[i], kOther ^ (i + 1 < N ? key[i + 1] : 0));
    return hash;
  }

 private:
  static constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15ULL, kOther = 0xD1B54A32D192ED03ULL;
  // Folds the 128-bit product, so that all bits of both factors affect all bits of the hash.
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

// Maps keys to numbers, as a hash table with open addressing. Most memo entries are in such tables, which exceed any
// cache; a caller that knows a future key early can prefetch() its entry.
template <std::size_t N>
class KeyMap {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;  // reserved: no key has this number

  std::size_t size() const { return size_; }
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }  // bytes

  // Returns the number of `key`, or kNone.
  std::uint32_t find(const Key<N>& key) const {
    if (entries_.empty()) return kNone;
    return entries_[place_of(key)].number;
  }
  // Returns the number of `key`; inserts it with `number` if it is new.
  std::uint32_t number(const Key<N>& key, std::uint32_t number) {
    if (10 * (size_ + 1) > kMostTenths * entries_.size()) grow();
    Entry& entry = entries_[place_of(key)];
    if (entry.number == kNone) {
      entry = {key, number};
      ++size_;
    }
    return entry.number;
  }
  void prefetch(const Key<N>& key) const {
    if (entries_.empty()) return;
    const Entry* const entry = entries_.data() + (KeyHash()(key) & mask());
    __builtin_prefetch(entry);
    __builtin_prefetch(&entry->number);  // may be in the next cache line
  }

 private:
  static constexpr std::size_t kFirst = 16, kMostTenths = 7;

  struct Entry {
    Key<N> key;
    std::uint32_t number = kNone;  // kNone: empty entry
  };

  std::size_t mask() const { return entries_.size() - 1; }  // the size is a power of two
  // Returns the slot of the key, or the free slot for it.
  std::size_t place_of(const Key<N>& key) const {
    std::size_t place = KeyHash()(key) & mask();
    while (entries_[place].number != kNone && !(entries_[place].key == key)) place = (place + 1) & mask();
    return place;
  }
  void grow() {
    const Entries before = std::exchange(entries_, Entries(entries_.empty() ? kFirst : 2 * entries_.size()));
    for (const Entry& entry : before) {
      if (entry.number != kNone) entries_[place_of(entry.key)] = entry;
    }
  }

  using Entries = std::vector<Entry, HugePages<Entry>>;
  Entries entries_;
  std::size_t size_ = 0;
};

template <std::size_t N>
std::size_t memory_of(const KeyMap<N>& map) {
  return map.memory();
}

inline std::uint64_t two(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace weft

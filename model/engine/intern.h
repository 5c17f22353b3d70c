#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace weft::engine {

// Mixes the bits of a key of few words (the finaliser of splitmix64, chained).
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// A key of few words.
template <std::size_t N>
using Key = std::array<std::uint64_t, N>;
struct KeyHash {
  template <std::size_t N>
  std::size_t operator()(const Key<N>& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key) hash = mix(hash, word);
    return hash;
  }
};
struct KeyEqual {  // that of std::array is a call of memcmp
  template <std::size_t N>
  bool operator()(const Key<N>& a, const Key<N>& b) const {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < N; ++i) differs |= a[i] ^ b[i];
    return differs == 0;
  }
};
template <std::size_t N>
using KeyMap = tsl::robin_map<Key<N>, std::uint32_t, KeyHash, KeyEqual>;
template <std::size_t N>
std::size_t memory_of(const KeyMap<N>& map) {  // bytes, about
  return map.bucket_count() * (sizeof(Key<N>) + 16);
}

inline std::uint64_t two(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

// Numbers for states: equal bytes, equal number.
class States {
 public:
  std::uint32_t number(std::string_view bytes) {
    const auto found = number_.find(bytes);
    if (found != number_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(bytes_.size());
    memory_ += bytes.size() + kOverhead;
    bytes_.emplace_back(bytes);
    number_.emplace(bytes_.back(), number);
    return number;
  }
  const std::string& bytes(std::uint32_t number) const { return bytes_[number]; }
  std::size_t size() const { return bytes_.size(); }
  std::size_t memory() const { return memory_; }  // bytes, about

 private:
  static constexpr std::size_t kOverhead = 112;
  tsl::robin_map<std::string_view, std::uint32_t> number_;  // of what bytes_ holds
  std::deque<std::string> bytes_;
  std::size_t memory_ = 0;
};

// Numbers for sequences of values: a sequence is its beginning's number and its last value. 0 is the empty one.
class Sequences {
 public:
  std::uint32_t number(std::uint32_t beginning, std::int64_t value) {
    const auto next = static_cast<std::uint32_t>(number_.size()) + 1;
    return number_.emplace(Key<2>{beginning, static_cast<std::uint64_t>(value)}, next).first->second;
  }
  std::size_t memory() const { return memory_of(number_); }  // bytes, about

 private:
  KeyMap<2> number_;
};

}  // namespace weft::engine

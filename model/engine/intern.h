#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "model/engine/huge_pages.h"

namespace weft::engine {

// Mixes the bits of a key of few words (the finaliser of splitmix64, chained).
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// A key of few words, in halves: with a number behind them they leave no gaps in a table.
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

 private:
  std::array<std::uint32_t, 2 * N> halves_{};
};
struct KeyHash {
  template <std::size_t N>
  std::size_t operator()(const Key<N>& key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < N; ++i) hash = mix(hash, key[i]);
    return hash;
  }
};
struct KeyEqual {
  template <std::size_t N>
  bool operator()(const Key<N>& a, const Key<N>& b) const {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < N; ++i) differs |= a[i] ^ b[i];
    return differs == 0;
  }
};
// Numbers for keys. The tables are most of what is remembered: they are filled as far as looking up bears.
template <std::size_t N>
class KeyMap : public tsl::robin_map<Key<N>, std::uint32_t, KeyHash, KeyEqual,
                                    HugePages<std::pair<Key<N>, std::uint32_t>>> {
 public:
  KeyMap() { this->max_load_factor(0.8F); }
};
template <std::size_t N>
std::size_t memory_of(const KeyMap<N>& map) {  // bytes, about
  return map.bucket_count() * (sizeof(Key<N>) + 8);
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

#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::engine {

// Mixes the bits of a key of few words (the finaliser of splitmix64, chained).
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

struct PairHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
    return mix(mix(0, key.first), key.second);
  }
};

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
  std::string bytes(std::uint32_t number) const { return bytes_[number]; }
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
    return number_.emplace(std::pair{std::uint64_t{beginning}, static_cast<std::uint64_t>(value)}, next).first->second;
  }
  std::size_t size() const { return number_.size(); }

 private:
  tsl::robin_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, PairHash> number_;
};

}  // namespace weft::engine

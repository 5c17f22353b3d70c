#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "model/core/key_map.h"

namespace weft {

// Numbers of states: equal bytes have equal numbers.
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
  std::size_t memory() const { return memory_; }  // approximate bytes

 private:
  static constexpr std::size_t kOverhead = 112;
  tsl::robin_map<std::string_view, std::uint32_t> number_;  // keys refer to bytes_
  std::deque<std::string> bytes_;
  std::size_t memory_ = 0;
};

// Numbers of sequences, formed from the number of the sequence without its last value, and this value. 0: empty.
class Sequences {
 public:
  std::uint32_t number(std::uint32_t beginning, std::int64_t value) {
    const auto next = static_cast<std::uint32_t>(number_.size()) + 1;
    return number_.number(Key<2>{beginning, static_cast<std::uint64_t>(value)}, next);
  }
  std::size_t memory() const { return number_.memory(); }  // approximate bytes

 private:
  KeyMap<2> number_;
};

}  // namespace weft

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "model/core/huge_pages.h"
#include "model/core/units.h"

namespace weft::engine {

// Values of several types stored contiguously in one vector, so that values read together are adjacent. At is a typed
// index, which stays valid when the pool grows.
class WordPool {
 public:
  using Word = std::uint32_t;

  template <typename Value>
  struct At {
    static_assert(std::is_trivial_v<Value> && sizeof(Value) % sizeof(Word) == 0);
    static constexpr std::uint32_t kWords = sizeof(Value) / sizeof(Word);
    std::uint32_t word = 0;

    At operator+(std::size_t values) const { return {word + static_cast<std::uint32_t>(values) * kWords}; }
    // Returns the position after `values` of these.
    template <typename Next>
    At<Next> after(std::size_t values) const {
      return {(*this + values).word};
    }
  };

  template <typename Value>
  Value get(At<Value> at) const {
    Value value;
    std::memcpy(&value, words_.data() + at.word, sizeof(Value));
    return value;
  }
  template <typename Value>
  void set(At<Value> at, const Value& value) {
    std::memcpy(words_.data() + at.word, &value, sizeof(Value));
  }
  // Appends a value.
  template <typename Value>
  At<Value> put(const Value& value) {
    const At<Value> at{static_cast<std::uint32_t>(words_.size())};
    words_.resize(words_.size() + At<Value>::kWords);
    set(at, value);
    return at;
  }

  template <typename Value>
  void prefetch(At<Value> at) const {
    __builtin_prefetch(words_.data() + at.word);
    __builtin_prefetch(words_.data() + at.word + At<Value>::kWords - 1);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }  // words; position of the next value
  std::size_t memory() const { return words_.capacity() * sizeof(Word); }           // bytes

 private:
  std::vector<Word, HugePages<Word>> words_;
};

// Run in one word.
struct PackedRun {
  static constexpr int kFirstBits = 20, kCountBits = 12;
  static constexpr std::int64_t kMostFirst = std::int64_t{1} << kFirstBits;
  static constexpr std::int64_t kMostCount = (std::int64_t{1} << kCountBits) - 1;

  std::uint32_t first : kFirstBits;  // cycle relative to an origin
  std::uint32_t count : kCountBits;

  static PackedRun of(Cycles first, std::int64_t count) {
    PackedRun run;
    run.first = static_cast<std::uint32_t>(first) & (kMostFirst - 1);
    run.count = static_cast<std::uint32_t>(count) & kMostCount;
    return run;
  }
  // Returns the number of PackedRuns that a run needs.
  static std::uint32_t parts(std::int64_t count) { return static_cast<std::uint32_t>(ceil_div(count, kMostCount)); }
};

// Appends a run of any length as PackedRuns.
inline void put_runs(WordPool& pool, Cycles first, std::int64_t count) {
  for (std::int64_t more; count > 0; first += more, count -= more) {
    more = std::min(count, PackedRun::kMostCount);
    pool.put(PackedRun::of(first, more));
  }
}

}  // namespace weft::engine

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "model/engine/takes.h"
#include "model/engine/tape.h"

namespace weft::engine {

// What many stretches have alike is kept once, with a number of its own. The numbers go on when all is forgotten, for
// what was found out of a value is remembered by its number.
class Shared {
 public:
  const Takes* keep(Takes takes) { return keep(takes_, std::move(takes)); }
  const Tape* keep(Tape tape) { return keep(tapes_, std::move(tape)); }

  void forget() {
    takes_.clear();
    tapes_.clear();
    bytes_ = 0;
    next_user();
  }
  std::size_t memory() const { return bytes_; }  // bytes, about

  // Of what was kept since then, whether or not it was there before: bytes that do not depend on what others kept.
  void next_user() {
    ++user_;
    used_bytes_ = 0;
  }
  std::size_t used_memory() const { return used_bytes_; }

 private:
  template <typename Pool, typename Value>
  const Value* keep(Pool& pool, Value value) {
    value.number = ++numbered_;
    const auto [found, added] = pool.emplace(std::move(value), 0);
    const std::size_t bytes = found->first.memory();
    if (added) bytes_ += bytes;
    if (std::exchange(found->second, user_) != user_) used_bytes_ += bytes;
    return &found->first;
  }

  // To whoever kept it last.
  std::unordered_map<Takes, std::uint32_t, TakesHash> takes_;
  std::unordered_map<Tape, std::uint32_t, TapeHash> tapes_;
  std::uint32_t numbered_ = 0, user_ = 1;
  std::size_t bytes_ = 0, used_bytes_ = 0;
};

}  // namespace weft::engine

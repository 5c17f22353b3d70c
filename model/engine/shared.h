#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
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
    ++forgotten_;
  }
  int forgotten() const { return forgotten_; }   // how often
  std::size_t memory() const { return bytes_; }  // bytes, about

 private:
  template <typename Pool, typename Value>
  const Value* keep(Pool& pool, Value value) {
    value.number = ++numbered_;
    const auto [found, added] = pool.insert(std::move(value));
    if (added) bytes_ += found->memory();
    return &*found;
  }

  std::unordered_set<Takes, TakesHash> takes_;
  std::unordered_set<Tape, TapeHash> tapes_;
  std::uint32_t numbered_ = 0;
  int forgotten_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace weft::engine

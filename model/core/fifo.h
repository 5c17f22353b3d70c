#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/relative.h"
#include "model/core/units.h"

namespace weft {

// Bounded FIFO, registered on both sides: a token pushed in cycle t is visible from t+1, and a slot freed in cycle t
// can be refilled from t+1. So the stepping order of producer and consumer does not matter. At most one push and one
// pop per cycle. A token has `width` words, whose values exist in data mode only.
class Fifo {
 public:
  Fifo() = default;
  Fifo(int depth, int width, bool with_data) : depth_(depth), width_(width) {
    if (with_data) data_.resize(static_cast<std::size_t>(depth) * width);
  }

  bool can_push(Cycles now) const { return pushed_ - popped_ + (last_pop_ == now ? 1 : 0) < depth_; }
  bool can_pop(Cycles now) const { return pushed_ - (last_push_ == now ? 1 : 0) > popped_; }

  // Pushes a token and returns its `width` words, which the caller must write; nullptr in timing mode.
  Word* push(Cycles now) {
    Word* const slot = words(pushed_);
    ++pushed_;
    last_push_ = now;
    return slot;
  }
  // Returns the words of the token at the head; nullptr in timing mode.
  const Word* front() const { return const_cast<Fifo*>(this)->words(popped_); }
  // Returns the words of the last pushed token, valid until a later push overwrites them; nullptr in timing mode.
  const Word* newest() const { return const_cast<Fifo*>(this)->words(pushed_ - 1); }
  void pop(Cycles now) {
    ++popped_;
    last_pop_ = now;
  }

  // Tokens pushed, and popped, before this cycle; for blocks that inspect more than the head.
  std::int64_t pushed_before(Cycles now) const { return pushed_ - (last_push_ == now ? 1 : 0); }
  std::int64_t popped_before(Cycles now) const { return popped_ - (last_pop_ == now ? 1 : 0); }

  // True if a token was pushed or popped in this cycle, so that the next cycle may differ.
  bool touched(Cycles now) const { return last_push_ == now || last_pop_ == now; }

  // State at the start of a cycle in timing mode: the number of tokens held.
  void relative(Relative& state) {
    std::int64_t held = pushed_ - popped_;
    state.value(held);
    if (!state.loading()) return;
    pushed_ = held;
    popped_ = 0;
    last_push_ = last_pop_ = -1;
  }

  int depth() const { return depth_; }
  int width() const { return width_; }
  bool with_data() const { return !data_.empty(); }
  std::int64_t pushed() const { return pushed_; }
  std::int64_t popped() const { return popped_; }

 private:
  Word* words(std::int64_t index) {
    if (data_.empty()) return nullptr;
    return data_.data() + static_cast<std::size_t>(index % depth_) * width_;
  }

  int depth_ = 0;
  int width_ = 0;
  std::int64_t pushed_ = 0, popped_ = 0;
  Cycles last_push_ = -1, last_pop_ = -1;
  std::vector<Word> data_;
};

// The FIFOs of a kernel in topology order, indexed by `Id`.
template <class Id, std::size_t kCount>
struct Fifos : std::array<Fifo, kCount> {
  using std::array<Fifo, kCount>::operator[];
  Fifo& operator[](Id fifo) { return (*this)[static_cast<std::size_t>(fifo)]; }
  const Fifo& operator[](Id fifo) const { return (*this)[static_cast<std::size_t>(fifo)]; }
};

}  // namespace weft

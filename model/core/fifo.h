#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/relative.h"
#include "model/core/units.h"

namespace weft {

// Bounded FIFO, registered on both sides: a token pushed in cycle t is visible from t+1, and a slot freed in cycle t
// can be refilled from t+1. So the stepping order of producer and consumer does not matter, and either may be cycles
// ahead of the other: the cycles of the last pushes and pops are kept. At most one push and one pop per cycle. A token
// has `width` words, whose values exist in data mode only.
class Fifo {
 public:
  Fifo() = default;
  Fifo(int depth, int width, bool with_data) : depth_(depth), width_(width) {
    while (mask_ + 1 < depth) mask_ = 2 * mask_ + 1;
    cycles_.assign(2 * static_cast<std::size_t>(mask_ + 1), -1);
    if (with_data) data_.resize(static_cast<std::size_t>(depth) * width);
  }

  bool can_push(Cycles now) const { return push_from() <= now; }
  bool can_pop(Cycles now) const { return pop_from() <= now; }
  // The first cycle in which the next token can be pushed, or popped; kNever if that depends on what the other side
  // has yet to do.
  Cycles push_from() const {
    const std::int64_t before = pushed_ - depth_;  // the token whose slot it takes
    if (before < 0) return 0;
    return before < popped_ ? popped_in(before) + 1 : kNever;
  }
  Cycles pop_from() const { return popped_ < pushed_ ? pushed_in(popped_) + 1 : kNever; }

  // Pushes a token and returns its `width` words, which the caller must write; nullptr in timing mode.
  Word* push(Cycles now) {
    Word* const slot = words(pushed_);
    pushed_in(pushed_++) = now;
    return slot;
  }
  // Returns the words of the token at the head; nullptr in timing mode.
  const Word* front() const { return const_cast<Fifo*>(this)->words(popped_); }
  // Returns the words of the last pushed token, valid until a later push overwrites them; nullptr in timing mode.
  const Word* newest() const { return const_cast<Fifo*>(this)->words(pushed_ - 1); }
  void pop(Cycles now) { popped_in(popped_++) = now; }

  // Tokens pushed, and popped, before this cycle; for blocks that inspect more than the head.
  std::int64_t pushed_before(Cycles now) const { return pushed_ - (pushed_now(now) ? 1 : 0); }
  std::int64_t popped_before(Cycles now) const { return popped_ - (popped_now(now) ? 1 : 0); }

  // True if a token was pushed or popped in this cycle, so that the next cycle may differ.
  bool touched(Cycles now) const { return pushed_now(now) || popped_now(now); }

  // State at the start of a cycle in timing mode: the number of tokens held.
  void relative(Relative& state) {
    std::int64_t held = pushed_ - popped_;
    state.value(held);
    if (!state.loading()) return;
    pushed_ = held;
    popped_ = 0;
    std::fill(cycles_.begin(), cycles_.end(), -1);
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

  Cycles& pushed_in(std::int64_t token) { return cycles_[static_cast<std::size_t>(token & mask_)]; }
  Cycles pushed_in(std::int64_t token) const { return cycles_[static_cast<std::size_t>(token & mask_)]; }
  Cycles& popped_in(std::int64_t token) { return cycles_[static_cast<std::size_t>(mask_ + 1 + (token & mask_))]; }
  Cycles popped_in(std::int64_t token) const { return cycles_[static_cast<std::size_t>(mask_ + 1 + (token & mask_))]; }
  bool pushed_now(Cycles now) const { return pushed_ > 0 && pushed_in(pushed_ - 1) == now; }
  bool popped_now(Cycles now) const { return popped_ > 0 && popped_in(popped_ - 1) == now; }

  int depth_ = 0;
  int width_ = 0;
  std::int64_t pushed_ = 0, popped_ = 0;
  std::int64_t mask_ = 0;       // tokens whose cycles are kept, a power of two, less 1
  std::vector<Cycles> cycles_;  // of the pushes, then of the pops
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

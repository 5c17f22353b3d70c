#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::memory {

// A queue in a buffer that doubles when it is full. An element keeps its index (counted from the first push, modulo
// 2^32) until it is popped, so that a response can find its element.
template <typename T>
class Ring {
 public:
  using Index = std::uint32_t;

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  Index begin_index() const { return head_; }
  Index end_index() const { return tail_; }

  T& front() { return at(head_); }
  const T& front() const { return at(head_); }
  T& back() { return at(tail_ - 1); }
  const T& back() const { return at(tail_ - 1); }
  T& at(Index index) { return slots_[index & mask_]; }
  const T& at(Index index) const { return slots_[index & mask_]; }

  Index push(const T& value) {
    add() = value;
    return tail_ - 1;
  }
  // Adds a last element, which the caller sets.
  T& add() {
    if (size() > mask_) grow();
    return at(tail_++);
  }
  void pop() { ++head_; }
  void clear() { head_ = tail_ = 0; }

 private:
  void grow() {
    const Index mask = 2 * mask_ + 1;
    std::vector<T> larger(std::size_t{mask} + 1);
    for (Index i = head_; i != tail_; ++i) larger[i & mask] = at(i);
    slots_.swap(larger);
    mask_ = mask;
  }

  Index mask_ = 7;  // number of slots, a power of two, less 1
  std::vector<T> slots_ = std::vector<T>(std::size_t{mask_} + 1);
  Index head_ = 0;
  Index tail_ = 0;
};

}  // namespace weft::memory

#pragma once

#include <cstddef>

#include "model/core/units.h"

namespace weft::memory {

// What one memory channel holds: bytes from address `first` on, a multiple of 4, read and written as FP32 words or as
// bytes. Bytes never written are zero, and take no room: a channel may be far larger than the machine's memory.
class Store {
 public:
  explicit Store(Bytes bytes = 0, Address first = 0);  // throws Error if there is no address space left
  ~Store();
  Store(const Store& other);  // copies what is not zero
  Store(Store&& other) noexcept;
  Store& operator=(Store other) noexcept;

  float* words(Address address) { return words_ + (address - first_) / 4; }
  const float* words(Address address) const { return words_ + (address - first_) / 4; }
  std::byte* at(Address address) { return reinterpret_cast<std::byte*>(words_) + (address - first_); }
  const std::byte* at(Address address) const { return reinterpret_cast<const std::byte*>(words_) + (address - first_); }
  Bytes bytes() const { return bytes_; }
  Address first() const { return first_; }
  Address end() const { return first_ + bytes_; }

  void clear();  // all zero, as at first

 private:
  Address first_;
  Bytes bytes_;
  float* words_ = nullptr;
};

}  // namespace weft::memory

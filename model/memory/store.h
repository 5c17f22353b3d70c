#pragma once

#include <cstddef>
#include <vector>

#include "model/core/units.h"

namespace weft::memory {

// What one memory channel holds, in data mode: FP32 words from address `first` on, a multiple of 4. Words never written
// are zero.
class Store {
 public:
  explicit Store(Bytes bytes = 0, Address first = 0)
      : first_(first), words_(static_cast<std::size_t>(ceil_div(bytes, 4))) {}

  float* words(Address address) { return words_.data() + (address - first_) / 4; }
  const float* words(Address address) const { return words_.data() + (address - first_) / 4; }
  Bytes bytes() const { return static_cast<Bytes>(words_.size()) * 4; }
  Address first() const { return first_; }
  Address end() const { return first_ + bytes(); }

 private:
  Address first_;
  std::vector<float> words_;
};

}  // namespace weft::memory

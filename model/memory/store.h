#pragma once

#include <cstddef>
#include <vector>

#include "model/core/units.h"

namespace weft::memory {

// What one memory channel holds, in data mode: FP32 words from address 0. Words never written are zero.
class Store {
 public:
  explicit Store(Bytes bytes = 0) : words_(static_cast<std::size_t>(ceil_div(bytes, 4))) {}

  float* words(Address address) { return words_.data() + address / 4; }
  const float* words(Address address) const { return words_.data() + address / 4; }
  Bytes bytes() const { return static_cast<Bytes>(words_.size()) * 4; }

 private:
  std::vector<float> words_;
};

}  // namespace weft::memory

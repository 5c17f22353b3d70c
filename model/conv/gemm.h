#pragma once

#include <cstdint>

namespace weft::conv {

// C = A * B: R by P times P by C.
struct Gemm {
  std::int64_t r = 1, p = 1, c = 1;
  // Of its products, those that multiply a zero of the convolution's padding, or whose sum falls into the padding.
  std::int64_t zeros = 0;

  std::int64_t macs() const { return r * p * c; }
};

}  // namespace weft::conv

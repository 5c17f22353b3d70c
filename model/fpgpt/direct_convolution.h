#pragma once

#include <cstdint>

#include "model/conv/convolution.h"

namespace weft::fpgpt {

// Tensors of a convolution in FP32: pointers to the first word of each view.
struct TensorWords {
  const float* inp = nullptr;
  const float* kern = nullptr;
  float* out = nullptr;
};
// The same in fixed point: words of INP and KERN are unpacked from their lanes.
struct FixedTensorWords {
  const std::int16_t* inp = nullptr;
  const std::int16_t* kern = nullptr;
  std::int32_t* out = nullptr;
};

// Computes OUT of a convolution from its definition, bit-exact with the hardware (NUM-1..8 of CONTRACT.md), without
// FIFOs or cycles. Reads only the samples and weights that it needs, writes only the words of OUT. OUT must not share a
// word with INP or KERN, nor one of its images with another.
//
// The outputs are divided among `parts`; each part computes its own from the first product to the last. Parts may run
// concurrently, and the bytes do not depend on their number. 0 <= part < parts.
void direct_convolution(const conv::Convolution& c, const TensorWords& words, int part = 0, int parts = 1);

// Returns the overflows among the part's outputs; without `may_overflow` it is faster and checks for none.
std::int64_t direct_convolution(const conv::Convolution& c, const FixedTensorWords& words, bool may_overflow,
                                int part = 0, int parts = 1);
// False if no sum can exceed 32 bits, whatever the signs of the products.
bool may_overflow(const conv::Convolution& c, const FixedTensorWords& words);

// Largest memory of a part, in addition to the tensors.
Bytes direct_convolution_bytes(const conv::Convolution& c);
Bytes fixed_convolution_bytes(const conv::Convolution& c);

}  // namespace weft::fpgpt

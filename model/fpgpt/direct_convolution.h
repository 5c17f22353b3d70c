#pragma once

#include <cstdint>

#include "model/conv/convolution.h"

namespace weft::fpgpt {

// Where the tensors of a convolution lie: the first word of each view.
struct TensorWords {
  const float* inp = nullptr;
  const float* kern = nullptr;
  float* out = nullptr;
};
// Of fixed point: words of INP and KERN out of their lanes.
struct FixedTensorWords {
  const std::int16_t* inp = nullptr;
  const std::int16_t* kern = nullptr;
  std::int32_t* out = nullptr;
};

// OUT of a convolution straight from its definition, to the bit what the hardware makes (NUM-1..8 of CONTRACT.md): no
// FIFOs, no cycles. Reads the samples and the weights that it needs, writes the words of OUT and no others. OUT must
// not share a word with INP or KERN, nor one of its images with another.
//
// The outputs are dealt to `parts`, each of which computes its own from the first product to the last: parts may run at
// once, and the bytes do not depend on how many there are. 0 <= part < parts.
void direct_convolution(const conv::Convolution& c, const TensorWords& words, int part = 0, int parts = 1);

// The overflows among the outputs of the part; without `may_overflow` it is faster and looks for none.
std::int64_t direct_convolution(const conv::Convolution& c, const FixedTensorWords& words, bool may_overflow,
                                int part = 0, int parts = 1);
// False: whatever signs the products have, no sum leaves 32 bits.
bool may_overflow(const conv::Convolution& c, const FixedTensorWords& words);

// What a part holds at most besides the tensors.
Bytes direct_convolution_bytes(const conv::Convolution& c);
Bytes fixed_convolution_bytes(const conv::Convolution& c);

}  // namespace weft::fpgpt

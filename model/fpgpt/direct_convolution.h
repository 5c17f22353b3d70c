#pragma once

#include "model/conv/convolution.h"

namespace weft::fpgpt {

// Where the tensors of a convolution lie: the first word of each view.
struct TensorWords {
  const float* inp = nullptr;
  const float* kern = nullptr;
  float* out = nullptr;
};

// OUT of a convolution straight from its definition, to the bit what the hardware makes (NUM-1..4 of CONTRACT.md): no
// FIFOs, no cycles. Reads the samples and the weights that it needs, writes the words of OUT and no others. OUT must
// not share a word with INP or KERN, nor one of its images with another.
//
// The outputs are dealt to `parts`, each of which computes its own from the first product to the last: parts may run at
// once, and the bytes do not depend on how many there are. 0 <= part < parts.
void direct_convolution(const conv::Convolution& c, const TensorWords& words, int part = 0, int parts = 1);

// What a part holds at most besides the tensors.
Bytes direct_convolution_bytes(const conv::Convolution& c);

}  // namespace weft::fpgpt

#pragma once

#include <string>
#include <vector>

#include "model/conv/convolution.h"

namespace weft::workloads {

// GEMM that trains one image and one group of `layer`, as in Caffe's base_conv_layer, with D filters, C channels and
// kh*kw weights per channel of the group, and Ho*Wo outputs:
//   F   R = D, P = C*kh*kw, C = Ho*Wo:  weights times im2col(IFM)
//   GI  R = C*kh*kw, P = D, C = Ho*Wo:  weights transposed times grad-OFM; col2im follows
//   GW  R = D, P = Ho*Wo, C = C*kh*kw:  grad-OFM times im2col(IFM) transposed, summed over the images
// Throws Error for a layer that fails check().
conv::Gemm lower_gemm(const conv::Layer& layer, conv::Kind kind);

// True if the layer's maps equal the matrix of im2col: 1 x 1 windows that use each sample once.
bool is_matrix(const conv::Layer& layer);

// Throws Error unless the layer has an output, its groups divide its channels and filters, and too_much() is empty.
void check(const conv::Layer& layer);

// Message about the first count of the layer that is too large; limits: 2^40 words per tensor, 2^58
// multiply-accumulates, 2^20 groups. Empty if all are within limits. The layer must have an output.
std::string too_much(const conv::Layer& layer);

// One convolution of training `layer`, as the hardware runs it (the thesis, Table 5.3; reading F24 for strides,
// dilations and padding). Of a transposed layer, F is the convolution that GI is of others, and GI that of F; INP of
// its GW is the gradient, KERN its input. A grouped layer is `layer.groups` convolutions; `group` selects one. The
// views start at base 0 with the group's first word in the layer's whole tensors; the caller places these in memory.
// Throws Error for a layer that fails check(), or an invalid group.
conv::Convolution lower(const conv::Layer& layer, conv::Kind kind, int group = 0);

// All groups of `kind`, in order.
std::vector<conv::Convolution> lower_groups(const conv::Layer& layer, conv::Kind kind);

// Words of the whole INP, KERN and OUT tensors of the convolution, all groups.
struct TensorWords {
  Words inp = 0, kern = 0, out = 0;
};
TensorWords tensor_words(const conv::Layer& layer, conv::Kind kind);

}  // namespace weft::workloads

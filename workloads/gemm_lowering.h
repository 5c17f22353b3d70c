#pragma once

#include "model/conv/convolution.h"
#include "model/conv/gemm.h"
#include "model/conv/layer.h"

namespace weft::workloads {

// The GEMM that trains one image and one group of `layer`, as Caffe's base_conv_layer makes it, with D filters, C
// channels and kh*kw weights a channel of the group, and Ho*Wo outputs:
//   F   R = D, P = C*kh*kw, C = Ho*Wo:  weights times im2col(IFM)
//   GI  R = C*kh*kw, P = D, C = Ho*Wo:  weights transposed times grad-OFM; col2im follows
//   GW  R = D, P = Ho*Wo, C = C*kh*kw:  grad-OFM times im2col(IFM) transposed, summed over the images
// Throws Error for a layer that fails check() (workloads/lowering.h).
conv::Gemm lower_gemm(const conv::Layer& layer, conv::Kind kind);

// Whether the maps of a layer are the matrix that im2col would write: 1 x 1 windows that touch each sample once.
bool is_matrix(const conv::Layer& layer);

}  // namespace weft::workloads

#pragma once

#include <string>

#include "model/core/units.h"

namespace weft::conv {

// One spatial axis of a layer as its network defines it.
struct LayerAxis {
  int size = 1;    // H or W of the IFM
  int kernel = 1;  // kh or kw, undilated
  int stride = 1;
  int pad_begin = 0;
  int pad_end = 0;
  int dilation = 1;

  int kernel_extent() const { return dilation * (kernel - 1) + 1; }
  int out() const { return (size + pad_begin + pad_end - kernel_extent()) / stride + 1; }
};

// A convolution layer: IFM (N, C, H, W), weights (D, C/groups, kh, kw), OFM (N, D, Ho, Wo).
struct Layer {
  std::string name;
  int batch = 1;
  int channels = 1;  // C of the IFM, all groups
  int filters = 1;   // D, all groups
  int groups = 1;
  LayerAxis h, w;

  bool from_graph_input = false;  // its grad-IFM is not needed for training
};

// "64x56x56 128x3 s2": channels, height and width of the input; filters and their kernel (3 is 3x3); and what is not 1
// of strides, dilations and groups.
std::string shape_text(const Layer& layer);

}  // namespace weft::conv

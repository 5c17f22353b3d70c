#pragma once

#include "platform/design/design.h"

namespace weft::barista {

// Caffe Barista (the thesis, chapter 4): a tiled GEMM on a mesh; im2col, tiling and untiling on the host.
const design::Design& design();

}  // namespace weft::barista

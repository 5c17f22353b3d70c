#pragma once

#include <vector>

#include "model/conv/convolution.h"

namespace weft::conv {

// What INP must hold for X consecutive flattened outputs of one map (the thesis, Fig. 5.4b; reading F7): addresses are
// stored words of one INP channel, row-major, width W_INP; padding and the gaps between dilated samples are not stored.
struct WindowGeometry {
  Words z = 1;          // most words between two samples that one window position touches within a set, plus 1
  Words z_channel = 1;  // most words between two samples that a set touches at any position, plus 1
};

// The geometry of `c` for an array of `x` columns. Exact: the maximum over all sets and all positions of the dilated
// window. Its time does not grow with the map or the window: sets that differ only in where they lie are looked at
// once.
WindowGeometry window_geometry(const Convolution& c, int x);

// Per set of `x` outputs the smallest address it touches, 0 for a set that touches nothing.
std::vector<Words> set_starts(const Convolution& c, int x);

}  // namespace weft::conv

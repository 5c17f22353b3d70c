#pragma once

#include <vector>

#include "model/conv/convolution.h"

namespace weft::conv {

// Part of INP needed for X consecutive flattened outputs of one map (the thesis, Fig. 5.4b; reading F7). Addresses are
// stored words of one INP channel, row-major, width W_INP; padding and gaps of dilation are not stored.
struct WindowGeometry {
  Words z = 1;          // largest distance of two samples that one window position touches within a set, plus 1
  Words z_channel = 1;  // largest distance of two samples that a set touches at any position, plus 1
};

// Returns the geometry of `c` for an array of `x` columns. Exact: the maximum over all sets and all positions of the
// dilated window. The run time does not depend on map or window size: sets that are shifted copies are examined once.
WindowGeometry window_geometry(const Convolution& c, int x);

// Returns for each set of `x` outputs the smallest address it touches, 0 if it touches nothing.
std::vector<Words> set_starts(const Convolution& c, int x);

}  // namespace weft::conv

#pragma once

#include <filesystem>
#include <vector>

#include "model/conv/convolution.h"

namespace weft::config {

// Reads the layers of a SCALE-Sim topology: a line of column names, then a line a layer. Of convolutions: name, height
// and width of the padded input, height and width of the filter, channels, filters, strides (one or two); sizes of the
// output are rounded up, which adds padding at the end. A name with "DP" is a depthwise layer: each channel has its
// filters. Of matrix products: name, M, N, K; M vectors of K features become N features. Throws InputError that names
// file and line.
std::vector<conv::Layer> read_topology(const std::filesystem::path& path);

}  // namespace weft::config

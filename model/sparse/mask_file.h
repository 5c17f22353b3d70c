#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/sparse/mask.h"

namespace weft::sparse {

// Masks of layers by name, as a file holds them (CONTRACT.md of batchlane, MSK-5): "WEFTMASK", then for each layer the
// length of its name (32 bits, as all numbers lowest byte first), the name, outputs, inputs, and a bit for each kernel,
// inputs innermost, from the lowest bit of a byte up; bits beyond the last are 0.
using LayerMasks = std::vector<std::pair<std::string, Mask>>;

std::string mask_file(const LayerMasks& masks);
// Throws Error with the offset and the reason where `bytes` is no such file.
LayerMasks read_mask_file(const std::string& bytes);

}  // namespace weft::sparse

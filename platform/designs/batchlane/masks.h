#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/batchlane/alpha.h"
#include "model/conv/layer.h"
#include "model/sparse/mask.h"
#include "platform/config/run_config.h"

namespace weft::batchlane {

// The masks of a run's layers; all kept where it has no sparsity. Throws InputError for a density of a layer that does
// not exist, and a file that does not hold the masks of these layers.
std::map<std::string, sparse::Mask> masks_of(const config::RunConfig& run, const std::vector<conv::Layer>& layers,
                                             const Alpha& alpha);

}  // namespace weft::batchlane

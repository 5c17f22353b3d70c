#pragma once

#include <memory>

#include "platform/design/design.h"

namespace weft::copy {

// Plans the rows and units of `run`: a row is the input tensor of a convolution of a layer, and one unit.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

// Moves a tensor from one place in memory to another.
const design::Design& design();

}  // namespace weft::copy

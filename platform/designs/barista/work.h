#pragma once

#include <memory>

#include "platform/design/design.h"

namespace weft::barista {

// What `run` asks for as rows and units: a row is a convolution of a layer, its units are the GEMMs of its images and
// groups, which are equal. Throws Error for what the board cannot hold.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

}  // namespace weft::barista

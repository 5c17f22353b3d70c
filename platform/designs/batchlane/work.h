#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/design/design.h"

namespace weft::batchlane {

// What `run` asks for as rows and units: a row is a convolution of a layer, its units are the passes of its batch.
// Throws Error for what the kernel or the board cannot hold.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

// Of a result: how long transfers waited for memory, what masks kept, and what this is in operations of dense layers.
std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows);

}  // namespace weft::batchlane

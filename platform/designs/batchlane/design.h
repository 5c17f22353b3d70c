#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/design/row.h"

namespace weft::batchlane {

// Plans the rows and units of `run`: a row is a convolution of a layer, its units are the passes of its batch. Throws
// Error if the kernel or the board cannot hold one.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

// Remarks on a result: time that transfers waited for memory, kernels kept by masks, and equivalent dense operations.
std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows);

// Throws InputError for a key or value that does not exist.
Readings readings_of(const std::vector<config::ReadingChoice>& given);
// Returns every reading with its value, as a file would give it.
std::vector<config::ReadingChoice> all_readings(const Readings& readings);

// Latencies of the run's memory with a closed row and no other traffic: cycles from a transfer's request to its first
// beat, and from its last beat to its response.
Latencies latencies(const config::RunConfig& run);

const design::Design& design();

}  // namespace weft::batchlane

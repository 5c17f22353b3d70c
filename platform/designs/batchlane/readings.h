#pragma once

#include <cstdint>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "platform/config/run_config.h"

namespace weft::batchlane {

// Throws InputError at the key or value that does not exist.
Readings readings_of(const std::vector<config::ReadingChoice>& given);
// Every reading with its value, as a file would give it.
std::vector<config::ReadingChoice> all_readings(const Readings& readings);

// The cycles from a transfer's request to its first beat, and from its last beat to its response, on the run's memory
// with a closed row and nothing else under way.
Latencies latencies(const config::RunConfig& run);

}  // namespace weft::batchlane

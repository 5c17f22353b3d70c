#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"
#include "platform/design/row.h"

namespace weft::batchlane {

// What `run` asks for as rows and units: a row is a convolution of a layer, its units are the passes of its batch.
// Throws Error for what the kernel or the board cannot hold.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

// Of a result: how long transfers waited for memory, what masks kept, and what this is in operations of dense layers.
std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows);

// Throws InputError at the key or value that does not exist.
Readings readings_of(const std::vector<config::ReadingChoice>& given);
// Every reading with its value, as a file would give it.
std::vector<config::ReadingChoice> all_readings(const Readings& readings);

// The cycles from a transfer's request to its first beat, and from its last beat to its response, on the run's memory
// with a closed row and nothing else under way.
Latencies latencies(const config::RunConfig& run);

const design::Design& design();

}  // namespace weft::batchlane

#pragma once

#include "platform/document/document.h"
#include "platform/iteration/train/result.h"

namespace weft::tools {

// First line of the CSV: one line per group of iterations of an epoch in the same levels.
inline constexpr const char* kEpochColumns =
    "epoch,level,learning_rate,iterations,lowered,cycles,convolutions_seconds,iteration_seconds,loads,hours\n";

report::Document view_of(const train::TrainResult& result);
std::string csv_of(const train::TrainResult& result);

}  // namespace weft::tools

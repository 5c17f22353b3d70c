#pragma once

#include <filesystem>
#include <string>

#include "platform/document/report.h"
#include "platform/document/table_view.h"
#include "platform/iteration/train/train.h"

namespace weft::tools {

// The version of the JSON of a training; it grows when a key changes its meaning or goes.
inline constexpr int kTrainSchema = 1;

// The first line of its CSV: a line for iterations of an epoch in the same levels.
inline constexpr const char* kEpochColumns =
    "epoch,level,learning_rate,iterations,lowered,cycles,convolution_s,iteration_s,loads,hours\n";

report::Report train_report(const train::TrainConfig& config, const train::Training& training,
                            const std::string& network, const report::TableView& view);

// The tables of a saved one: what weft train printed. Throws InputError if it did not write it.
std::string saved_train_tables(const std::filesystem::path& folder, const report::TableView& view);

}  // namespace weft::tools

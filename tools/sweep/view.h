#pragma once

#include <filesystem>
#include <string>

#include "platform/document/document.h"
#include "platform/studies/sweep/definition/definition.h"
#include "tools/cli/show_options.h"

namespace weft::tools {

// `weft show FILE.db`: what a sweep has recorded, filtered, sorted, its Pareto front; as a table, JSON or CSV.
std::string show_sweep(const ShowOptions& options);

// All points of a database, for weft report.
report::Document view_of(const std::filesystem::path& database);

// `weft show SWEEP`: what a sweep file says, at a glance.
std::string describe_sweep(const sweep::Definition& definition);

}  // namespace weft::tools

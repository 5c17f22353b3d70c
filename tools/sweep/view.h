#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/sweep/store/rerank.h"
#include "tools/cli/cli.h"
#include "tools/cli/options.h"

namespace weft::tools {

std::vector<report::Section> rerank_sections(const sweep::Results& results);  // of each rung

// The points that were run again on another rung, as `weft show FILE.db --rerank` prints them. Throws Error if
// there is none.
Report rerank_report(const sweep::Results& results);

// `weft show FILE.db`: what a sweep has recorded, filtered, sorted, its Pareto front; as a table, JSON or CSV.
std::string show_sweep(const ShowOptions& options);

// All points of a database, for weft report.
report::Document view_of(const std::filesystem::path& database);

// `weft show SWEEP`: what a sweep file says, at a glance.
std::string describe_sweep(const sweep::Definition& definition);

}  // namespace weft::tools

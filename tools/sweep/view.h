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

std::vector<report::Section> rerank_sections(const sweep::Results& results);  // by rung

// Points that were run again on another rung, as `weft show FILE.db --rerank` prints them. Throws Error if there is
// none.
Report rerank_report(const sweep::Results& results);

// `weft show FILE.db`: recorded results, filtered and sorted, with Pareto front; as a table, JSON or CSV.
std::string show_sweep(const ShowOptions& options);

// View of all points of a database, for weft report.
report::Document view_of(const std::filesystem::path& database);

// `weft show SWEEP`: summary of a sweep file.
std::string describe_sweep(const sweep::Definition& definition);

}  // namespace weft::tools

#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/document/document.h"
#include "platform/studies/explain/explanation.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// Columns of its CSV.
std::vector<std::string> ladder_columns();

report::Document view_of(const explain::Explanation& explanation);
// Its ladders, for the page of the run, too.
std::vector<report::Section> ladder_sections(const explain::Explanation& explanation);

Report explain_report(const explain::Explanation& explanation, const TableView& view);

// The files of a saved explanation, the runs of its ladders among them. `config`: the run that was explained.
std::map<std::string, std::string> explanation_files(const Report& report, const std::string& config,
                                                     std::map<std::string, std::string> runs);

}  // namespace weft::tools

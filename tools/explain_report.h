#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "platform/explain/explanation.h"
#include "tools/cli.h"

namespace weft::tools {

Report explain_report(const explain::Explanation& explanation);

// The files of a saved explanation, the runs of its ladders among them. `config`: the run that was explained.
std::map<std::string, std::string> explanation_files(const Report& report, const std::string& config,
                                                     std::map<std::string, std::string> runs);

// The explanation in a directory of results. Throws InputError if weft explain did not write it.
explain::Explanation load_explanation(const std::filesystem::path& folder);

}  // namespace weft::tools

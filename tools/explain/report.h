#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "platform/studies/explain/explanation.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// The first line of its CSV.
inline constexpr const char* kLadderColumns =
    "ladder,ending,step,change,seconds,gain,alone,last,cycles,cycles_f,cycles_gi,cycles_gw,array_utilisation,"
    "stall_share,ddr_efficiency,do_not_fit,most,most_share,kernel,memory,config,why_not\n";

Report explain_report(const explain::Explanation& explanation, const TableView& view);

// The files of a saved explanation, the runs of its ladders among them. `config`: the run that was explained.
std::map<std::string, std::string> explanation_files(const Report& report, const std::string& config,
                                                     std::map<std::string, std::string> runs);

// The explanation in a directory of results. Throws InputError if weft explain did not write it.
explain::Explanation load_explanation(const std::filesystem::path& folder);

}  // namespace weft::tools

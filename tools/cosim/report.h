#pragma once

#include <string>

#include "platform/hardware/cosim/result.h"
#include "tools/cli/options.h"

namespace weft::tools {

// First lines of the CSV files below.
inline constexpr const char* kCosimColumns = "layer,kind,cycles,handshakes,equal\n";
std::string campaign_columns(const cosim::RtlDesign& rtl_design);
inline constexpr const char* kMutantColumns = "mutant,file,noticed,convolutions\n";

// Report of `weft cosim CONFIG`.
Report report(const cosim::RunComparisonResult& result, const TableView& view);

// Report of a campaign: random cases drawn and compared, states of each block by kind, and all builds. CSV: one line
// per convolution.
Report report(const cosim::RtlDesign& rtl_design, const cosim::CampaignResult& result, const TableView& view);

// Report of each fault: number of convolutions until it was noticed, and the check that noticed it.
Report report(const cosim::MutationResult& result, const TableView& view);

}  // namespace weft::tools

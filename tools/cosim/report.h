#pragma once

#include <string>

#include "platform/hardware/cosim/result.h"

namespace weft::tools {

// The first lines of the CSV files below.
inline constexpr const char* kCosimColumns = "layer,kind,cycles,handshakes,equal\n";
std::string campaign_columns(const cosim::Subject& subject);
inline constexpr const char* kMutantColumns = "mutant,file,noticed,convolutions\n";

// `weft cosim CONFIG`.
Report report(const cosim::RunComparisonResult& result, const TableView& view);

// A campaign: what was drawn and compared, which states of which block occurred for which kind, and every build. CSV: a
// line per convolution.
Report report(const cosim::Subject& subject, const cosim::CampaignResult& result, const TableView& view);

// Each fault, after how many convolutions it was noticed, and by what.
Report report(const cosim::MutationResult& result, const TableView& view);

}  // namespace weft::tools

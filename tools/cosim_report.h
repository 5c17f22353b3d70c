#pragma once

#include <string>
#include <vector>

#include "platform/cosim/campaign.h"
#include "platform/cosim/lockstep.h"
#include "platform/cosim/mutation.h"
#include "tools/cli.h"

namespace weft::tools {

// One convolution of `weft cosim CONFIG`.
struct CosimRow {
  std::string layer, kind;
  cosim::Verdict verdict;
};
Report report(const std::vector<CosimRow>& rows);

// A campaign: what was drawn and compared, which states of which block occurred for which kind, and every build. CSV: a
// line per convolution.
Report report(const cosim::Subject& subject, const cosim::CampaignResult& result);

// Each fault, after how many convolutions it was noticed, and by what.
Report report(const cosim::MutationResult& result);

}  // namespace weft::tools

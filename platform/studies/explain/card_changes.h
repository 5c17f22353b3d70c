#pragma once

#include <vector>

#include "platform/design/counterfactual.h"

namespace weft::explain {

// What may be asked of the training iteration of a run on a card: the link, the calls, the loads of bitstreams, and the
// kernel and memory of `kernels`, the end of the ladder of its convolutions.
std::vector<design::Counterfactual> card_changes(const config::RunConfig& kernels);

}  // namespace weft::explain

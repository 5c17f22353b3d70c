#pragma once

#include <vector>

#include "platform/design/counterfactual.h"

namespace weft::fpgpt {

// The switches of the profile, then ports, FIFOs, array, memory and clock.
std::vector<design::Counterfactual> counterfactuals();

// See design::Design.
config::RunConfig as_seen_by(const config::RunConfig& run, conv::Kind kind);

}  // namespace weft::fpgpt

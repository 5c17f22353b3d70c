#pragma once

#include <vector>

#include "platform/design/counterfactual.h"

namespace weft::barista {

// What an architect may ask of a run of Barista, in the order in which ties are broken.
std::vector<design::Counterfactual> counterfactuals();

}  // namespace weft::barista

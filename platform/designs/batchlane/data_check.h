#pragma once

#include "model/batchlane/plan.h"
#include "platform/design/row.h"
#include "platform/designs/batchlane/row_work.h"

namespace weft::batchlane {

// A digest of a pass' results, and how far some hundred of them are from the sums of the dense convolution with masked
// weights. `results`: where they lie.
design::DataCheck check_data(const Plan& plan, const sparse::Mask& mask, const Contents& contents,
                             const std::byte* results);

}  // namespace weft::batchlane
